import { area } from "./area.ts";
import { de } from "./de/auth.ts";
import { en } from "./en/auth.ts";

/** Words of the auth pages. */
export const tAuth = area(de, en);
