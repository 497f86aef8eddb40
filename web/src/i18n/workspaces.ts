import { area } from "./area.ts";
import { de } from "./de/workspaces.ts";
import { en } from "./en/workspaces.ts";

/** Words of the workspaces pages. */
export const tWorkspaces = area(de, en);
