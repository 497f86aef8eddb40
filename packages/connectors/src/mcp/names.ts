import type { SkipReason } from "../connector/index.ts";

/** Longest name a model's tool may have (spec of the gateways), and of an action in a tool id. */
const MAX_WIRE_NAME = 64;

/** A letter first: a leading underscore or digit could be read as a part of the separator. */
const TOOL = /^[A-Za-z][A-Za-z0-9_.-]*$/;

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
