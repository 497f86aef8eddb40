import { area } from "./area.ts";
import { de } from "./de/rules.ts";
import { en } from "./en/rules.ts";

/** Words of rules and the stop switch, in settings and in the administration. */
export const rules = area(de, en);
