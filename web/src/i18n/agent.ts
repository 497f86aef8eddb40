import { area } from "./area.ts";
import { de } from "./de/agent.ts";
import { en } from "./en/agent.ts";

/** Texts about the agent's settings. */
export const agent = area(de, en);
