import type { Connector, StoredTool } from "@aiw/connectors/connector";
import { fromContext, toolSettings, type ToolSettings } from "@aiw/contract/mcp";
import type { JsonObject, ToolDefinition } from "@aiw/contract/tools";
import type { LoadedTool } from "@aiw/core/runs";
import * as tools from "@aiw/core/tools";

/** A tool of a server as this version would use it. */
export interface UsableTool {
  readonly stored: StoredTool;
  readonly settings: ToolSettings;
  readonly definition: ToolDefinition;
}

const read = new WeakMap<Connector, Map<string, UsableTool | null>>();
const mostKept = 2_000;

/**
 * A stored tool whose definition still has the hash it was classified under (POL-6), read once per process for each definition
 * and its declarations. Null: not classified, not intact, or not usable by this version; it counts as not there.
 */
export const usableTool = (row: LoadedTool, connector: Connector): UsableTool | null => {
  const { stored } = row;
  if (stored === undefined || stored === null || stored.definition === null) return null;
  const known = read.get(connector) ?? new Map<string, UsableTool | null>();
  read.set(connector, known);
  const key = JSON.stringify([row.id, row.definitionHash, stored.instructionsHash, stored.settings]);
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= mostKept) known.clear();
  const usable = make(row, stored.definition, stored, connector);
  known.set(key, usable);
  return usable;
};

const make = (
  row: LoadedTool,
  text: string,
  of: NonNullable<LoadedTool["stored"]>,
  connector: Connector,
): UsableTool | null => {
  const wire = JSON.parse(text) as JsonObject;
  if (tools.canonical.hash(wire) !== row.definitionHash) return null;
  const { id, wireName, definitionHash: hash } = row;
  const stored: StoredTool = { id, wireName, wire, hash, instructionsHash: of.instructionsHash, settings: of.settings };
  const definition = connector.definitionOf?.(stored) ?? null;
  const settings = toolSettings.safeParse(of.settings);
  return definition === null || !settings.success ? null : { stored, settings: settings.data, definition };
};

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
