import { z } from "zod";
import { Problem } from "./problem.ts";
import type { JsonObject, JsonValue } from "./tools.ts";

/** Longest short name of a server; with the name of a tool it makes the tool's name (N40). */
const MAX_SERVER_NAME = 24;
/** No double underscore and none at the end, so that `<server>__<tool>` has one reading only. */
const SERVER = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** The words of a few lines as one set. */
const words = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(" ")));

/** Groups of the platform's own tools; a server with such a name would speak in their name (N40). */
const RESERVED: ReadonlySet<string> = words(
  "aiw agent agents approval approvals chat database db docs file filerw files folder folders ftp git",
  "hugin input inputs mail mcp memory native plan platform policy postgres pulls run runs skill skills",
  "source sources system telegram tool tools uploads",
);

/** Whether a server may be registered under this short name (N40). `taken` = groups of native tools. */
export const isServerName = (name: string, taken: Iterable<string> = []): boolean =>
  name.length <= MAX_SERVER_NAME &&
  SERVER.test(name) &&
  !RESERVED.has(name) &&
  ![...taken].some((group) => group.toLowerCase() === name);

/** `tools.source_kind` of the tools of a server: they belong to sources of this server alone. */
export const mcpSourceKind = (server: string): string => `mcp:${server}`;

/** What a server is for (MCP-1): the instructions of memory servers alone go into the prompt. */
export const mcpPurpose = z.enum(["general", "memory", "documents"]);
export type McpPurpose = z.infer<typeof mcpPurpose>;

/**
 * The address of an MCP endpoint as far as text can say: an absolute URL without blanks, user info, fragment, or anything in
 * its query that looks like a credential, because an address is shown and logged (N50). Which hosts are allowed is the network guard's.
 */
export const isEndpointAddress = (text: string): boolean => {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  const secretive = [...url.searchParams.keys()].some((name) => /token|secret|passw|api_?key|^key$|auth/i.test(name));
  return url.username === "" && url.password === "" && url.hash === "" && !secretive;
};

/** JSON that is not nested without end. */
const json = z.custom<JsonValue>((value) => isJson(value, MAX_DEPTH));
const MAX_DEPTH = 32;
const isJson = (value: unknown, depth: number): boolean => {
  if (value === null || ["string", "boolean"].includes(typeof value)) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth === 0) return false;
  return Object.values(value ?? {}).every((part) => isJson(part, depth - 1));
};
const argumentName = z.string().min(1).max(128);
const CONTEXT = ["userId", "workspaceId", "teamId", "runId"] as const;

/** `{ "$context": "workspaceId" }` stands for what the platform knows of the call; every other value is taken as it is. */
export const fromContext = z.strictObject({ $context: z.enum(CONTEXT) });
/** `{ "$key": true }`: the idempotency key of the write; `{ "$argument": "order_id" }`: what the write was called with. */
export const fromWrite = z.union([
  z.strictObject({ $key: z.literal(true) }),
  z.strictObject({ $argument: argumentName }),
]);

const probe = z.strictObject({
  /** Name of a reading tool at the server. */
  tool: z.string().min(1).max(128),
  arguments: z.record(argumentName, json),
  /** Members and indexes, separated by dots, in the structured result (or in a text that is JSON). */
  path: z.string().min(1).max(500),
  equals: json,
});

/** What a platform admin declares for one MCP tool (MCP-2). */
export const toolSettings = z.strictObject({
  /** Arguments the platform sets on every call; the model neither sees nor sets them (MCP-2, N44). */
  serverArguments: z.record(argumentName, json).default({}),
  /** The argument by which the server recognises a repeated write; set to the key of the request (RUN-7). */
  idempotencyArgument: argumentName.optional(),
  /** How to ask the server whether a write happened; `definitionHash` is the one the tool had when it was declared. */
  probe: probe.extend({ definitionHash: z.string().min(1) }).optional(),
});
export type ToolSettings = z.infer<typeof toolSettings>;

/** The same as an admin sends it: the hash of the probe's tool is the platform's to know. */
export const toolSettingsInput = toolSettings.extend({ probe: probe.optional() });
export type ToolSettingsInput = z.infer<typeof toolSettingsInput>;

/**
 * Reads declarations for a tool with this argument schema: every named argument must exist, and the key's must take text.
 * @throws Problem `bad_request` with the field.
 */
export const readToolSettings = (input: JsonValue, inputSchema: JsonObject): ToolSettings => {
  const parsed = toolSettings.safeParse(input);
  if (!parsed.success) throw badField(parsed.error.issues[0]?.path.join(".") || "settings");
  const settings = parsed.data;
  const known = propertiesOf(inputSchema);
  for (const [name, value] of Object.entries(settings.serverArguments)) {
    const marked = isObject(value) && Object.hasOwn(value, "$context");
    if (!Object.hasOwn(known, name) || (marked && !fromContext.safeParse(value).success))
      throw badField(`serverArguments.${name}`);
  }
  const { idempotencyArgument: key } = settings;
  if (key !== undefined && (!takesText(member(known, key)) || Object.hasOwn(settings.serverArguments, key))) {
    throw badField("idempotencyArgument");
  }
  for (const [name, value] of Object.entries(settings.probe?.arguments ?? {})) {
    const marked = isObject(value) && (Object.hasOwn(value, "$key") || Object.hasOwn(value, "$argument"));
    const from = fromWrite.safeParse(value);
    if (marked && !(from.success && ("$key" in from.data || Object.hasOwn(known, from.data.$argument))))
      throw badField(`probe.arguments.${name}`);
  }
  return settings;
};

/** The arguments a schema names; those of a prototype are none. */
export const propertiesOf = (inputSchema: JsonObject): JsonObject => {
  const properties = member(inputSchema, "properties");
  return isObject(properties) ? properties : {};
};

const takesText = (property: JsonValue | undefined): boolean => {
  if (property === undefined || !isObject(property)) return property === true;
  const type = member(property, "type");
  return type === undefined || type === "string" || (Array.isArray(type) && type.includes("string"));
};

const badField = (field: string): Problem => new Problem("bad_request", { fields: { [field]: "invalid" } });

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An own member, never something of a prototype. */
const member = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
