import { z } from "zod";
import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import type { CallContext, Prepared, StoredTool } from "../connector/index.ts";
import type { Canonical } from "./discover.ts";
import { serverArguments, settingsOf } from "./settings.ts";
import { configOf } from "./source.ts";

export const FORM_VERSION = 1;
const MAX_TITLE = 200;

const formSchema = z.strictObject({
  /** Where it goes: an approved call never follows a changed address. */
  url: z.string(),
  server: z.string(),
  /** Name at the server. */
  tool: z.string(),
  definitionHash: z.string(),
  instructionsHash: z.string().nullable(),
  /** Canonical JSON of all arguments, those set by the platform included: these bytes go out. */
  arguments: z.string(),
  /** Gets the key of the request when it is executed (RUN-7). */
  idempotencyArgument: z.string().nullable(),
});

/** A write to an MCP server as it is frozen (APR-2). */
export type McpForm = z.infer<typeof formSchema>;

/** Name of the tool at the server. */
export const remoteName = (tool: StoredTool): string => z.string().parse(tool.wire["name"]);

/** Arguments with what the platform sets, whatever the model wrote there (MCP-2, N44), in canonical form. */
export const argumentsText = (
  tool: StoredTool,
  args: JsonObject,
  context: CallContext,
  canonical: Canonical,
): string => {
  const settings = settingsOf(tool.settings);
  const key = settings.idempotencyArgument;
  const own = Object.fromEntries(Object.entries(args).filter(([name]) => name !== key));
  return canonical.text({ ...own, ...serverArguments(settings, context) });
};

/** Freezes a call; changes nothing outside. */
export const freeze = (tool: StoredTool, args: JsonObject, context: CallContext, canonical: Canonical): Prepared => {
  const config = configOf(context.source);
  const settings = settingsOf(tool.settings);
  const form: McpForm = {
    url: config.url,
    server: config.server,
    tool: remoteName(tool),
    definitionHash: tool.hash,
    instructionsHash: tool.instructionsHash ?? null,
    arguments: argumentsText(tool, args, context, canonical),
    idempotencyArgument: settings.idempotencyArgument ?? null,
  };
  return {
    form: JSON.stringify(form),
    formVersion: FORM_VERSION,
    preconditions: { definition: form.definitionHash, url: form.url },
    preview: previewOf(form, Object.keys(settings.serverArguments)),
  };
};

/** @throws ZodError | SyntaxError when the text is no form of ours. */
export const readForm = (text: string): McpForm => formSchema.parse(JSON.parse(text));

/** The bytes that go out: the frozen ones, and the key as one member more where the tool takes one. */
export const wireArguments = (form: McpForm, idempotencyKey: string | null): string => {
  if (form.idempotencyArgument === null || idempotencyKey === null) return form.arguments;
  const entry = `${JSON.stringify(form.idempotencyArgument)}:${JSON.stringify(idempotencyKey)}`;
  return form.arguments === "{}" ? `{${entry}}` : `${form.arguments.slice(0, -1)},${entry}}`;
};

/** What a person sees, made from the frozen form alone. Names of arguments hold no spaces, so none can pass for a line of ours. */
const previewOf = (form: McpForm, setByPlatform: readonly string[]): Prepared["preview"] => {
  const args: unknown = JSON.parse(form.arguments);
  const entries = Object.entries(
    z
      .record(
        z.string(),
        z.custom<JsonValue>(() => true),
      )
      .parse(args),
  );
  const short = entries.map(([name, value]) => `${name}: ${shown(value)}`).join(", ");
  return {
    title: clip(`${form.server}: ${form.tool} (${short})`),
    kind: "arguments",
    fields: [
      ...entries.map(([name, value]) => ({
        label: setByPlatform.includes(name) ? `${name} (set by the platform)` : name,
        value: shown(value),
      })),
      ...(form.idempotencyArgument === null
        ? []
        : [
            {
              label: `${form.idempotencyArgument} (set by the platform)`,
              value: "the key of this request, so that the server can recognise a repetition",
            },
          ]),
      { label: "sent to (server and address)", value: `${form.server}, ${form.url}` },
      { label: "tool at the server", value: form.tool },
    ],
  };
};

const shown = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value));

const clip = (text: string): string => {
  const line = text.replace(/\s+/g, " ");
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 3).toWellFormed()}...`;
};
