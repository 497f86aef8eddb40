import { z } from "zod";
import type { JsonObject, ToolDefinition } from "@aiw/contract/tools";

const source = z
  .string()
  .max(200)
  .describe("Name of the source; only needed when several sources have such a tool.")
  .optional();

export const listTablesArgs = z.strictObject({ source });
export const describeTableArgs = z.strictObject({
  table: z.string().min(1).max(200).describe("Name of the table, as list_tables gives it."),
  source,
});
export const queryArgs = z.strictObject({
  sql: z
    .string()
    .min(1)
    .max(20_000)
    .describe(
      "One SELECT in DuckDB's SQL over tables that list_tables names. Aggregate here instead of fetching all rows.",
    ),
  source,
});

const schemaOf = (schema: z.ZodType): JsonObject => {
  // The text form drops what is no JSON, so that what is hashed and what is sent are the same.
  const plain: unknown = JSON.parse(JSON.stringify(z.toJSONSchema(schema)));
  return isJsonObject(plain) ? plain : {};
};
const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** UPL-2. */
export const UPLOAD_TOOLS: readonly ToolDefinition[] = [
  {
    id: "uploads.list_tables",
    wireName: "list_tables",
    description: "Lists the uploaded files of this workspace as tables, with rows, columns and size.",
    parameters: schemaOf(listTablesArgs),
    suggestedRiskClass: "read",
    reconcile: "probe",
  },
  {
    id: "uploads.describe_table",
    wireName: "describe_table",
    description: "Names the columns of one uploaded table with their types, and shows its first rows.",
    parameters: schemaOf(describeTableArgs),
    suggestedRiskClass: "read",
    reconcile: "probe",
  },
  {
    id: "uploads.query",
    wireName: "query",
    description:
      "Runs one reading SQL query (DuckDB) over the uploaded tables. The first line of the answer names the columns, each " +
      "further line is one row as a JSON array. The person sees the answer as a table and can download it.",
    parameters: schemaOf(queryArgs),
    suggestedRiskClass: "read",
    reconcile: "probe",
  },
];
