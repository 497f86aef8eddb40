import { area } from "./area.ts";
import { de } from "./de/runs.ts";
import { en } from "./en/runs.ts";

/** Words of the pages below runs. */
export const runs = area(de, en);
