import { area } from "./area.ts";
import { de } from "./de/admin.ts";
import { en } from "./en/admin.ts";

/** Words of the pages below admin. */
export const admin = area(de, en);
