import type { RequestOf } from "@aiw/contract/api";
import type { AdminTool } from "@aiw/contract/views";

type SettingsBody = NonNullable<RequestOf<"classifyTool">["body"]["settings"]>;

/** What the form holds; JSON parts stay text until they are read. */
export interface SettingsDraft {
  readonly serverArguments: string;
  readonly idempotencyArgument: string;
  readonly probing: boolean;
  readonly probeTool: string;
  readonly probeArguments: string;
  readonly probePath: string;
  readonly probeEquals: string;
}

const shown = (value: unknown): string => JSON.stringify(value, null, 2);

export const draftOf = (settings: AdminTool["settings"]): SettingsDraft => ({
  serverArguments: shown(settings?.serverArguments ?? {}),
  idempotencyArgument: settings?.idempotencyArgument ?? "",
  probing: settings?.probe !== undefined,
  probeTool: settings?.probe?.tool ?? "",
  probeArguments: shown(settings?.probe?.arguments ?? {}),
  probePath: settings?.probe?.path ?? "",
  probeEquals: settings?.probe === undefined ? "true" : shown(settings.probe.equals),
});

export type Fault = "json" | "object" | "required";
export type SettingsField = "serverArguments" | "probeTool" | "probeArguments" | "probePath" | "probeEquals";
export type SettingsReading =
  | { readonly ok: true; readonly settings: SettingsBody }
  | { readonly ok: false; readonly faults: Readonly<Partial<Record<SettingsField, Fault>>> };

type Json = { readonly ok: true; readonly value: unknown } | { readonly ok: false };
const parse = (text: string): Json => {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
};
const isObject = (value: unknown): value is SettingsBody["serverArguments"] & object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectFault = (read: Json): Fault | undefined => {
  if (!read.ok) return "json";
  return isObject(read.value) ? undefined : "object";
};

/** What would be sent, or what is wrong with it so far; the server checks it against the definition (MCP-2). */
export function readSettings(draft: SettingsDraft): SettingsReading {
  const serverArguments = parse(draft.serverArguments);
  const args = parse(draft.probeArguments);
  const equals = parse(draft.probeEquals);
  const found: Partial<Record<SettingsField, Fault | undefined>> = {
    serverArguments: objectFault(serverArguments),
    ...(draft.probing
      ? {
          probeTool: draft.probeTool === "" ? "required" : undefined,
          probeArguments: objectFault(args),
          probePath: draft.probePath.trim() === "" ? "required" : undefined,
          probeEquals: equals.ok ? undefined : "json",
        }
      : {}),
  };
  const faults = Object.fromEntries(Object.entries(found).filter(([, fault]) => fault !== undefined));
  if (Object.keys(faults).length > 0 || !serverArguments.ok || !isObject(serverArguments.value))
    return { ok: false, faults };
  const probe =
    draft.probing && args.ok && isObject(args.value) && equals.ok
      ? {
          tool: draft.probeTool,
          arguments: args.value,
          path: draft.probePath.trim(),
          equals: equals.value as NonNullable<SettingsBody["probe"]>["equals"],
        }
      : undefined;
  return {
    ok: true,
    settings: {
      serverArguments: serverArguments.value,
      ...(draft.idempotencyArgument === "" ? {} : { idempotencyArgument: draft.idempotencyArgument }),
      ...(probe === undefined ? {} : { probe }),
    },
  };
}

/** Whether the form says something else than what is stored. */
export const isEdited = (settings: AdminTool["settings"], draft: SettingsDraft): boolean => {
  const before = draftOf(settings);
  return (Object.keys(before) as (keyof SettingsDraft)[]).some((key) => before[key] !== draft[key]);
};

interface Definition {
  readonly name?: unknown;
  readonly inputSchema?: { readonly properties?: Readonly<Record<string, unknown>> };
}
const definitionOf = (text: string): Definition => {
  const read = parse(text);
  return read.ok && isObject(read.value) ? (read.value as Definition) : {};
};

/** Names of the tool's arguments, as its server defines them. */
export const argumentsOf = (tool: AdminTool): readonly string[] => {
  const properties = definitionOf(tool.definition).inputSchema?.properties;
  return isObject(properties) ? Object.keys(properties) : [];
};

/** Names at the server of the tools that may be asked: of the same server, classified as reading, offered now. */
export const probeTools = (tool: AdminTool, all: readonly AdminTool[]): readonly string[] =>
  all.flatMap((one) => {
    const { name } = definitionOf(one.definition);
    const may = one.server === tool.server && one.id !== tool.id && one.riskClass === "read" && one.missingAt === null;
    return may && typeof name === "string" ? [name] : [];
  });
