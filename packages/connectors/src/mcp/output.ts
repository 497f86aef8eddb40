import { Validator } from "@cfworker/json-schema";
import type { JsonObject } from "@aiw/contract/tools";
import type { McpLimits } from "./limits.ts";
import type { CallResult } from "./session.ts";
import { outputSchemaOf } from "./tool.ts";

/** Whether a result keeps the tool's promise about its form; `none` = it promised nothing. */
export type OutputCheck = "none" | "ok" | "mismatch" | "unchecked";

/**
 * Compares a result with the output schema of the pinned definition (MCP-2). A mismatch never undoes a write: it counts as
 * done and is marked.
 */
export const checkOutput = (wire: JsonObject, answer: CallResult, limits: McpLimits): OutputCheck => {
  if (!Object.hasOwn(wire, "outputSchema") || answer.isError === true) return "none";
  const schema = outputSchemaOf(wire, limits);
  if (schema === null) return "unchecked";
  if (answer.structuredContent === undefined) return "mismatch";
  if (JSON.stringify(answer.structuredContent).length > limits.maxCheckedBytes) return "unchecked";
  try {
    return new Validator(schema, "2020-12", true).validate(answer.structuredContent).valid ? "ok" : "mismatch";
  } catch {
    return "unchecked";
  }
};
