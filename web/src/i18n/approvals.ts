import { area } from "./area.ts";
import { de } from "./de/approvals.ts";
import { en } from "./en/approvals.ts";

/** Words of the pages below approvals. */
export const approvals = area(de, en);
