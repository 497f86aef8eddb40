import { fromContext, type ToolSettings } from "@aiw/contract/mcp";
import type { JsonObject } from "@aiw/contract/tools";

/** Whom a call is made for, as far as arguments may be set from it. */
type ArgumentContext = Readonly<Record<"userId" | "workspaceId" | "teamId" | "runId", string>>;

/**
 * The arguments a call has in effect: what the platform sets stands in place of whatever the model wrote there (N44), so that
 * rules judge what is sent. The key of a request decides nothing and is left out.
 */
export const effectiveArguments = (
  settings: ToolSettings | null,
  args: JsonObject,
  context: ArgumentContext,
): JsonObject => {
  if (settings === null) return args;
  const own = Object.entries(args).filter(([name]) => name !== settings.idempotencyArgument);
  const set = Object.entries(settings.serverArguments).map(([name, value]) => [name, valueOf(value, context)] as const);
  return Object.fromEntries([...own, ...set]);
};

const valueOf = (value: ToolSettings["serverArguments"][string], context: ArgumentContext) => {
  const marked = fromContext.safeParse(value);
  return marked.success ? context[marked.data.$context] : value;
};
