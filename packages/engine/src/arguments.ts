import { Validator } from "@cfworker/json-schema";
import type { JsonObject } from "@aiw/contract/tools";
import { readArguments } from "@aiw/policy/json";
import type { CallableTool } from "./own-tools.ts";

export type ReadCall =
  | { readonly ok: true; readonly args: JsonObject; readonly canonical: string }
  | { readonly ok: false; readonly code: string; readonly message: string };

/**
 * Arguments as the model wrote them: strict JSON (APR-2), then the tool's own schema (RUN-15). Tools without arguments may
 * be called with an empty text, which some gateways send for `{}`.
 */
export const readCall = (text: string, tool: Pick<CallableTool, "definition">, maxBytes: number): ReadCall => {
  const read = readArguments(text.trim() === "" ? "{}" : text, { maxBytes });
  if (!read.ok)
    return {
      ok: false,
      code: read.code,
      message: read.path === undefined ? read.message : `${read.message} (at ${read.path})`,
    };
  const result = new Validator(tool.definition.parameters as object, "2020-12", false).validate(
    JSON.parse(read.canonical) as unknown,
  );
  if (result.valid) return { ok: true, args: read.value, canonical: read.canonical };
  const errors = result.errors.filter((e) => e.keyword !== "properties" && e.keyword !== "items").slice(0, 5);
  const words = errors
    .map((e) => `${e.instanceLocation === "#" ? "arguments" : e.instanceLocation}: ${e.error}`)
    .join("; ");
  return { ok: false, code: "schema", message: words === "" ? "the arguments do not fit the schema" : words };
};
