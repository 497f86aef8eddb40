import { readToolSettings } from "@aiw/contract/mcp";
import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import type {
  DiscoveredTool,
  Discovery,
  SkippedTool,
  SkipReason,
  SourceAccess,
  ToolFinding,
} from "../connector/index.ts";
import { fits, isObject, member } from "./json.ts";
import type { McpLimits } from "./limits.ts";
import { listRaw } from "./list.ts";
import { toolNames } from "./names.ts";
import { SchemaRefusal } from "./schema.ts";
import { withSession, type Session, type SessionOptions } from "./session.ts";
import { configOf } from "./source.ts";
import { buildTool } from "./tool.ts";
import { clipped, visible } from "./visible.ts";

/** How the caller writes and hashes JSON; the same functions that pin a definition (POL-6, RFC 8785). */
export interface Canonical {
  text(value: JsonValue): string;
  hash(value: JsonValue): string;
}

export interface DiscoverOptions {
  readonly canonical: Canonical;
  readonly limits: McpLimits;
  /** Lower-case wire names of native tools, which nothing may shadow (N40). */
  readonly taken: ReadonlySet<string>;
}

/** Asks a server for everything it offers (MCP-1). @throws McpFailure */
export const discoverTools = (
  source: SourceAccess,
  session: SessionOptions,
  options: DiscoverOptions,
): Promise<Discovery> =>
  withSession(source, session, async (open) => readDiscovery(configOf(source).server, open, options));

const readDiscovery = async (server: string, session: Session, options: DiscoverOptions): Promise<Discovery> => {
  const { tools: raw, incomplete } = await listRaw(session, options.limits);
  const { tools, skipped } = sortOut(server, raw, options);
  return {
    protocolVersion: session.protocolVersion,
    serverName: session.serverName,
    serverVersion: session.serverVersion,
    instructions: session.instructions,
    instructionsHash: instructionsHash(session.instructions, options.canonical),
    tools,
    skipped,
    incomplete,
  };
};

/** The identity of a server's instructions; null without any. */
export const instructionsHash = (instructions: string | null, canonical: Canonical): string | null =>
  // A lone surrogate has no canonical form; it is hidden text anyway and made visible for the hash.
  instructions === null ? null : canonical.hash(instructions.isWellFormed() ? instructions : visible(instructions));

interface Candidate {
  readonly tool: DiscoveredTool;
  readonly key: string;
}

/** Each tool by itself: one that cannot be used is left out with its reason and harms no other (N42). */
export const sortOut = (
  server: string,
  raw: readonly JsonValue[],
  options: DiscoverOptions,
): { readonly tools: readonly DiscoveredTool[]; readonly skipped: readonly SkippedTool[] } => {
  const candidates: Candidate[] = [];
  const skipped: SkippedTool[] = [];
  for (const wire of raw) {
    const read = readTool(server, wire, options);
    if ("reason" in read) skipped.push({ name: shownName(wire), reason: read.reason });
    else candidates.push(read);
  }
  // Names count whether or not the tool itself is usable: the other of the pair must not profit from a broken twin.
  const keys = countBy(raw.flatMap((wire) => keyOf(server, wire)));
  const names = countBy(raw.flatMap((wire) => rawName(wire)));
  const usable: DiscoveredTool[] = [];
  for (const { tool, key } of candidates) {
    const name = rawName(tool.wire)[0] ?? "";
    if ((names.get(name) ?? 0) > 1) skipped.push({ name: shownName(tool.wire), reason: "listed_twice" });
    else if ((keys.get(key) ?? 0) > 1) skipped.push({ name: shownName(tool.wire), reason: "name_clash" });
    else usable.push(tool);
  }
  const known = new Set([...options.taken, ...usable.flatMap((tool) => [tool.wireName, ...rawName(tool.wire)])]);
  return { tools: usable.map((tool) => withMentions(tool, known)), skipped };
};

const readTool = (
  server: string,
  wire: JsonValue,
  options: DiscoverOptions,
): Candidate | { readonly reason: SkipReason } => {
  if (!isObject(wire)) return { reason: "not_an_object" };
  const names = toolNames(server, member(wire, "name"), options.taken);
  if (!names.ok) return { reason: names.reason };
  if (!fits(wire, options.limits.maxToolBytes)) return { reason: "too_large" };
  try {
    const ids = { id: names.id, wireName: names.wireName };
    const { definition, findings } = buildTool(ids, wire, readToolSettings({}, {}), options.limits);
    const { suggestedRiskClass } = definition;
    return {
      key: names.key,
      tool: { ...ids, wire, hash: hashOf(wire, options.canonical), definition, suggestedRiskClass, findings },
    };
  } catch (error) {
    if (error instanceof SchemaRefusal) return { reason: error.reason };
    throw error;
  }
};

/** @throws SchemaRefusal for what cannot be written canonically, such as a lone surrogate. */
const hashOf = (wire: JsonObject, canonical: Canonical): string => {
  try {
    return canonical.hash(wire);
  } catch {
    throw new SchemaRefusal("not_canonical");
  }
};

const rawName = (wire: JsonValue): string[] => {
  const name = isObject(wire) ? member(wire, "name") : undefined;
  return typeof name === "string" ? [name] : [];
};

const keyOf = (server: string, wire: JsonValue): string[] => {
  const names = toolNames(server, rawName(wire)[0]);
  return names.ok ? [names.key] : [];
};

const countBy = (values: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

const shownName = (wire: JsonValue): string => clipped(visible(rawName(wire)[0] ?? "(no name)"), 100);

/** A definition that speaks of another tool may be an attempt to steer it (shadowing). */
const withMentions = (tool: DiscoveredTool, names: ReadonlySet<string>): DiscoveredTool => {
  const own = new Set([tool.wireName, ...rawName(tool.wire)]);
  const words = JSON.stringify([member(tool.wire, "description") ?? "", member(tool.wire, "inputSchema") ?? ""]);
  const found = words.match(/[A-Za-z][A-Za-z0-9]*(?:[_.-]+[A-Za-z0-9]+)+/g) ?? [];
  const mentions = found.some((name) => !own.has(name) && (names.has(name) || name.includes("__")));
  if (!mentions) return tool;
  const findings: readonly ToolFinding[] = [...tool.findings, "names_other_tool"];
  return { ...tool, findings };
};
