import type { SkipReason } from "../connector/index.ts";

/** Longest name a model's tool may have (spec of the gateways), and of an action in a tool id. */
const MAX_WIRE_NAME = 64;
const MAX_SERVER_NAME = 24;

/** No double underscore and none at the end, so that `<server>__<tool>` has one reading only. */
const SERVER = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
/** A letter first: a leading underscore or digit could be read as a part of the separator. */
const TOOL = /^[A-Za-z][A-Za-z0-9_.-]*$/;

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

export type ToolNames =
  | { readonly ok: true; readonly id: string; readonly wireName: string; readonly key: string }
  | { readonly ok: false; readonly reason: SkipReason };

/**
 * The names of a server's tool (N40): id `server.action` and wire name `server__action`. `key` is equal for names that differ
 * in case or in separators alone; two tools with one key are both unusable.
 */
export const toolNames = (server: string, name: unknown, taken: ReadonlySet<string> = new Set()): ToolNames => {
  if (typeof name !== "string" || !TOOL.test(name)) return { ok: false, reason: "name_invalid" };
  const action = name.replace(/[.-]/g, "_");
  const wireName = `${server}__${action}`;
  if (wireName.length > MAX_WIRE_NAME) return { ok: false, reason: "name_too_long" };
  const key = wireName.toLowerCase();
  if (taken.has(key)) return { ok: false, reason: "name_reserved" };
  return { ok: true, id: `${server}.${action}`, wireName, key };
};
