import type { Connector, StoredTool } from "@aiw/connectors/connector";
import { toolSettings, type ToolSettings } from "@aiw/contract/mcp";
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
