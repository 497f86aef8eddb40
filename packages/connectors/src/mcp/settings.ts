import { fromContext, fromWrite, toolSettings, type ToolSettings } from "@aiw/contract/mcp";
import type { JsonObject } from "@aiw/contract/tools";
import type { CallContext } from "../connector/index.ts";
import { member } from "./json.ts";

/** Settings as stored; they were read before, so anything else is a broken row. */
export const settingsOf = (stored: JsonObject): ToolSettings => toolSettings.parse(stored);

/** Arguments that are hidden from the model. */
export const hiddenArguments = (settings: ToolSettings): readonly string[] => [
  ...Object.keys(settings.serverArguments),
  ...(settings.idempotencyArgument === undefined ? [] : [settings.idempotencyArgument]),
];

/** What the platform sets for this call. */
export const serverArguments = (settings: ToolSettings, context: CallContext): JsonObject =>
  Object.fromEntries(
    Object.entries(settings.serverArguments).map(([name, value]) => {
      const marked = fromContext.safeParse(value);
      return [name, marked.success ? context[marked.data.$context] : value];
    }),
  );

/** Arguments of the probe for one write. */
export const probeArguments = (probe: NonNullable<ToolSettings["probe"]>, write: JsonObject, key: string): JsonObject =>
  Object.fromEntries(
    Object.entries(probe.arguments).map(([name, value]) => {
      const marked = fromWrite.safeParse(value);
      if (!marked.success) return [name, value];
      return [name, "$key" in marked.data ? key : (member(write, marked.data.$argument) ?? null)];
    }),
  );
