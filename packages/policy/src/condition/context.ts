import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import { isForbiddenName } from "./names.ts";

/** Context values that only the server sets (POL-7). A caller that sends one of these names is refused. */
export const RESERVED_CONTEXT_NAMES = [
  "agent",
  "approval",
  "chat",
  "chat_id",
  "is_admin",
  "roles",
  "run",
  "run_id",
  "source",
  "team",
  "team_id",
  "tool",
  "trigger",
  "user",
  "user_id",
  "workspace",
  "workspace_id",
] as const;

export type ReservedContextName = (typeof RESERVED_CONTEXT_NAMES)[number];

export interface ContextError {
  readonly code: "reserved_name" | "forbidden_name";
  readonly name: string;
}

export type ConditionContext =
  | { readonly ok: true; readonly context: JsonObject }
  | { readonly ok: false; readonly errors: readonly ContextError[] };

// As people read it: `Is_Admin`, full-width letters and a ligature count as the plain name.
const folded = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\P{ID_Continue}|\p{Default_Ignorable_Code_Point}/gu, "");
const reserved: ReadonlySet<string> = new Set(RESERVED_CONTEXT_NAMES);

/**
 * The `context` of a condition: what the server knows, and what a caller supplied beside it (AGT-4). A frozen map without a
 * prototype, so that no member name means anything but itself (M3).
 */
export const conditionContext = (
  server: Readonly<Partial<Record<ReservedContextName, JsonValue>>>,
  supplied: JsonObject = {},
): ConditionContext => {
  const errors = Object.keys(supplied).flatMap((name): readonly ContextError[] => {
    if (reserved.has(folded(name))) return [{ code: "reserved_name", name }];
    return isForbiddenName(name) ? [{ code: "forbidden_name", name }] : [];
  });
  if (errors.length > 0) return { ok: false, errors };
  const context: Record<string, JsonValue> = Object.create(null);
  for (const [name, value] of Object.entries(supplied)) context[name] = value;
  for (const [name, value] of Object.entries(server)) context[name] = value;
  return { ok: true, context: Object.freeze(context) };
};
