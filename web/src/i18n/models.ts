import { area } from "./area.ts";
import { de } from "./de/models.ts";
import { en } from "./en/models.ts";

/** Words of the pages about models, their gateways and guardrail codes, and of the choice of a model. */
export const models = area(de, en);
