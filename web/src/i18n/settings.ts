import { area } from "./area.ts";
import { de } from "./de/settings.ts";
import { en } from "./en/settings.ts";

/** Words of the pages below settings. */
export const settings = area(de, en);
