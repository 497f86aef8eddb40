import { area } from "./area.ts";
import { de } from "./de/sources.ts";
import { en } from "./en/sources.ts";

/** Words of the pages below sources. */
export const sources = area(de, en);
