import { area } from "./area.ts";
import { de } from "./de/mcp.ts";
import { en } from "./en/mcp.ts";

/** Words of MCP servers and of what they offer. */
export const mcp = area(de, en);
