import { area } from "./area.ts";
import { de } from "./de/viewers.ts";
import { en } from "./en/viewers.ts";

/** Words of the widgets that show changes and data: diff view, JSON tree. */
export const viewers = area(de, en);
