import { area } from "./area.ts";
import { de } from "./de/operation.ts";
import { en } from "./en/operation.ts";

/** Words of the pages for the platform's upkeep: limits and dead letters. */
export const operation = area(de, en);
