import { BUILT_IN_GUARDRAILS, type GuardrailMatch, type GuardrailRule } from "@aiw/contract/guardrails";

/** A line as an admin saved it: an own one, or in place of one of the product. */
export interface SavedGuardrail {
  readonly name: string;
  readonly match: GuardrailMatch;
  readonly direction: "request" | "response" | null;
  readonly userText: string | null;
  readonly enabled: boolean;
}

export interface GuardrailLine {
  readonly rule: GuardrailRule;
  readonly enabled: boolean;
  readonly builtIn: boolean;
  /** A line of the product whose place an admin's takes. */
  readonly changed: boolean;
}

/**
 * The guardrail map as it holds (GW-4): own lines first, in the order in which they were saved, then those of the product,
 * each replaced by a saved line of its name. The first line that matches decides. Pure.
 */
export function guardrailMap(saved: readonly SavedGuardrail[]): GuardrailLine[] {
  const byName = new Map(saved.map((line) => [line.name, line]));
  const shipped = new Set(BUILT_IN_GUARDRAILS.map(({ rule }) => rule.name));
  return [
    ...saved
      .filter(({ name }) => !shipped.has(name))
      .map((line) => ({ rule: toRule(line), enabled: line.enabled, builtIn: false, changed: false })),
    ...BUILT_IN_GUARDRAILS.map(({ rule, enabled }) => {
      const line = byName.get(rule.name);
      return line === undefined
        ? { rule, enabled, builtIn: true, changed: false }
        : { rule: toRule(line), enabled: line.enabled, builtIn: true, changed: true };
    }),
  ];
}

/** The lines that are looked at. */
export const activeGuardrails = (saved: readonly SavedGuardrail[]): GuardrailRule[] =>
  guardrailMap(saved).flatMap(({ rule, enabled }) => (enabled ? [rule] : []));

const toRule = (line: SavedGuardrail): GuardrailRule => ({
  name: line.name,
  when: line.match,
  direction: line.direction ?? undefined,
  userText: line.userText ?? undefined,
});
