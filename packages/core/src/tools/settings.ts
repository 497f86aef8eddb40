import { propertiesOf, readToolSettings, type ToolSettings, type ToolSettingsInput } from "@aiw/contract/mcp";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject } from "@aiw/contract/tools";
import type { Tx } from "@aiw/platform/db";
import type { ToolRow } from "./row.ts";

/**
 * What an admin declared for an MCP tool, checked against its stored definition (MCP-2): named arguments exist; a probe names a
 * tool of the same server that is classified as reading, whose present definition is pinned with it, so that asking whether
 * a write happened can never be a way around the gate (POL-1, N46).
 * @throws Problem bad_request with the field
 */
export async function readSettings(tx: Tx, tool: ToolRow, input: ToolSettingsInput): Promise<ToolSettings> {
  const { probe, ...rest } = input;
  if (probe === undefined) return readToolSettings(toJson(rest), schemaOf(tool.definition));
  const reading = await tx<ToolRow[]>`
    select * from tools where source_kind = ${tool.source_kind} and risk_class = 'read' and missing_at is null and id <> ${tool.id}`;
  const asked = reading.find(({ definition }) => wireOf(definition)["name"] === probe.tool);
  if (asked === undefined) throw bad("probe.tool");
  const known = propertiesOf(schemaOf(asked.definition));
  for (const name of Object.keys(probe.arguments))
    if (!Object.hasOwn(known, name)) throw bad(`probe.arguments.${name}`);
  const pinned = { ...rest, probe: { ...probe, definitionHash: asked.definition_hash } };
  return readToolSettings(toJson(pinned), schemaOf(tool.definition));
}

const bad = (field: string): Problem => new Problem("bad_request", { fields: { [`settings.${field}`]: "invalid" } });

/** Without members that are undefined, which JSON does not have. */
export const toJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

const wireOf = (definition: string): JsonObject => JSON.parse(definition) as JsonObject;

const schemaOf = (definition: string): JsonObject => {
  const schema = wireOf(definition)["inputSchema"];
  return typeof schema === "object" && schema !== null && !Array.isArray(schema) ? (schema as JsonObject) : {};
};
