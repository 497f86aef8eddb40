import { z } from "zod";
import type { JsonValue } from "@aiw/contract/tools";
import type { Discovery } from "../connector/index.ts";
import type { McpLimits } from "./limits.ts";
import type { Session } from "./session.ts";
import { fp } from "@aiw/platform/fault";

/** One page, read loosely: a tool that is not understood must not hide the others. It was read as JSON just before. */
const page = z.looseObject({ tools: z.array(z.custom<JsonValue>(() => true)), nextCursor: z.string().optional() });

export interface RawList {
  readonly tools: readonly JsonValue[];
  readonly incomplete: Discovery["incomplete"];
}

/** All pages of the server's list, as sent (POL-6). @throws McpFailure */
export const listRaw = async (session: Session, limits: McpLimits): Promise<RawList> => {
  const tools: JsonValue[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let count = 0; count < limits.maxPages; count += 1) {
    const answer = await fp("mcp.list", () =>
      session.request("tools/list", cursor === undefined ? {} : { cursor }, page),
    );
    tools.push(...answer.tools.slice(0, limits.maxTools + 1 - tools.length));
    if (tools.length > limits.maxTools) return { tools: tools.slice(0, limits.maxTools), incomplete: "tools" };
    cursor = answer.nextCursor;
    if (cursor === undefined || cursor === "") return { tools, incomplete: null };
    if (cursors.has(cursor)) return { tools, incomplete: "cursor" };
    cursors.add(cursor);
  }
  return { tools, incomplete: "pages" };
};
