import { z } from "zod";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import type { CallContext } from "../connector/index.ts";
import { isObject, member } from "./json.ts";

const json: z.ZodType<JsonValue> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(json), z.record(z.string(), json)]),
);

const argumentName = z.string().min(1).max(128);
const CONTEXT = ["userId", "workspaceId", "teamId", "runId"] as const;

/** `{ "$context": "workspaceId" }` stands for what the server knows of the call; every other value is taken as it is. */
const fromContext = z.strictObject({ $context: z.enum(CONTEXT) });
/** `{ "$key": true }`: the idempotency key of the write; `{ "$argument": "order_id" }`: what the write was called with. */
const fromWrite = z.union([z.strictObject({ $key: z.literal(true) }), z.strictObject({ $argument: argumentName })]);

const schema = z.strictObject({
  /** Arguments the platform sets on every call; the model neither sees nor sets them (MCP-2, N44). */
  serverArguments: z.record(argumentName, json).default({}),
  /** The argument by which the server recognises a repeated write; set to the key of the request (RUN-7). */
  idempotencyArgument: argumentName.optional(),
  /** How to ask the server whether a write happened. */
  probe: z
    .strictObject({
      /** Name of a reading tool at the server, and the hash it had when it was declared. */
      tool: z.string().min(1).max(128),
      definitionHash: z.string().min(1),
      arguments: z.record(argumentName, json),
      /** Members and indexes, separated by dots, in the structured result (or in a text that is JSON). */
      path: z.string().min(1).max(500),
      equals: json,
    })
    .optional(),
});

/** What a platform admin declared for one MCP tool. */
export type ToolSettings = z.infer<typeof schema>;

/**
 * Reads declarations for a tool with this argument schema: every named argument must exist, and the key's must take text.
 * @throws Problem `bad_request` with the field.
 */
export const readToolSettings = (input: JsonValue, inputSchema: JsonObject): ToolSettings => {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw badField(parsed.error.issues[0]?.path.join(".") || "settings");
  const settings = parsed.data;
  const properties = member(inputSchema, "properties");
  const known = isObject(properties) ? properties : {};
  for (const [name, value] of Object.entries(settings.serverArguments)) {
    const marked = isObject(value) && Object.hasOwn(value, "$context");
    if (!Object.hasOwn(known, name) || (marked && !fromContext.safeParse(value).success))
      throw badField(`serverArguments.${name}`);
  }
  const { idempotencyArgument: key } = settings;
  if (key !== undefined && (!takesText(member(known, key)) || Object.hasOwn(settings.serverArguments, key))) {
    throw badField("idempotencyArgument");
  }
  return settings;
};

/** Settings as stored; they were read before, so anything else is a broken row. */
export const settingsOf = (stored: JsonObject): ToolSettings => schema.parse(stored);

const takesText = (property: JsonValue | undefined): boolean => {
  if (property === undefined || !isObject(property)) return property === true;
  const type = member(property, "type");
  return type === undefined || type === "string" || (Array.isArray(type) && type.includes("string"));
};

const badField = (field: string): Problem => new Problem("bad_request", { fields: { [field]: "invalid" } });

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
