import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { JsonObject } from "@aiw/contract/tools";
import { fp } from "@aiw/platform/fault";
import type { CallContext, StoredTool, ToolResult } from "../connector/index.ts";
import type { Canonical } from "./discover.ts";
import { McpFailure } from "./failure.ts";
import { argumentsText, remoteName } from "./form.ts";
import { isObject } from "./json.ts";
import type { McpLimits } from "./limits.ts";
import { checkOutput } from "./output.ts";
import { resultOf } from "./result.ts";
import { withSession, type CallResult, type Session } from "./session.ts";
import { settingsOf } from "./settings.ts";
import type { McpEgress } from "./source.ts";
import { isAnnotatedAsWrite } from "./tool.ts";

export interface CallEdges {
  readonly egress: McpEgress;
  readonly limits: McpLimits;
  readonly canonical: Canonical;
}

/**
 * Calls a reading tool and answers in any case (MCP-2). Only a session that the server forgot is opened once more; anything
 * else is told to the model.
 */
export const readTool = async (
  call: AuthorisedCall,
  tool: StoredTool,
  context: CallContext,
  edges: CallEdges,
): Promise<ToolResult> => {
  const args = parse(call.argsText);
  const isPlain = Object.keys(settingsOf(tool.settings).serverArguments).length === 0;
  const text = isPlain ? call.argsText : argumentsText(tool, args, context, edges.canonical);
  const once = (): Promise<ToolResult> =>
    withSession(context.source, sessionOptions(context, edges), async (session) => {
      const answer = await fp("mcp.read", () => session.callTool(remoteName(tool), text));
      return answerOf(answer, tool, context, session, edges);
    });
  try {
    return await once().catch((error: unknown) => {
      if (error instanceof McpFailure && error.httpStatus === 404) return once();
      throw error;
    });
  } catch (error) {
    if (error instanceof McpFailure) return { ok: false, text: error.detail, truncated: false };
    throw error;
  }
};

const answerOf = (
  answer: CallResult,
  tool: StoredTool,
  context: CallContext,
  session: Session,
  edges: CallEdges,
): ToolResult => {
  if (isPostponed(answer))
    return { ok: false, text: "The server wants to answer later, which is not supported here.", truncated: false };
  const output = checkOutput(tool.wire, answer, edges.limits);
  // F29: the classification of the pinned definition counts, but what contradicts it is said.
  const flagged = isAnnotatedAsWrite(tool.wire);
  const facts: JsonObject = { output, listChanged: session.listChanged(), annotatedAsWrite: flagged };
  return resultOf(answer, { maxBytes: context.maxResultBytes, secret: context.source.secret }, facts);
};

/** Tasks and questions back need more than one exchange; this client announced neither. */
export const isPostponed = (answer: CallResult): boolean => {
  const hasContent = answer.content !== undefined || answer.structuredContent !== undefined;
  return !hasContent && (Object.hasOwn(answer, "task") || answer["resultType"] === "input_required");
};

export const sessionOptions = (context: CallContext, { egress, limits }: CallEdges) => ({
  egress,
  limits,
  signal: context.signal,
  timeoutMs: context.timeoutMs,
  maxBytes: limits.maxWireBytes,
});

const parse = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new TypeError("arguments are one JSON object");
  return value;
};
