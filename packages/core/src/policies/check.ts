import { Problem } from "@aiw/contract/problem";
import { actionsOf } from "@aiw/policy/call-values";
import { checkRuleCondition } from "@aiw/policy/condition";
import { BUILT_IN_STAGING_RULES } from "@aiw/policy/decide";
import { readName } from "../identity/names.ts";
import type { KnownTool } from "./ground.ts";
import type { RuleDraft } from "./rule.ts";

/**
 * A rule as it may be saved: it names something there is, its condition reads, and below the platform it only tightens
 * (POL-3, POL-7). The label is what people call it; without one, its pattern.
 * @throws Problem rule_only_tightens | rule_pattern_unknown | condition_invalid (field `condition`: the code; params: where
 *   and what to write instead) | bad_request (label)
 */
export function checkDraft(draft: RuleDraft, tools: readonly KnownTool[], mayRelax: boolean): RuleDraft {
  if (draft.decision === "auto" && !mayRelax)
    throw new Problem("rule_only_tightens", { fields: { decision: "only_tightens" } });
  if (!namesSomething(draft.pattern, tools))
    throw new Problem("rule_pattern_unknown", { fields: { pattern: "unknown" } });
  requireCondition(draft);
  return { ...draft, label: draft.label.trim() === "" ? draft.pattern : readName(draft.label, "label") };
}

function requireCondition({ decision, condition }: RuleDraft): void {
  if (condition === null) return;
  const read = checkRuleCondition({ decision, condition });
  if (read.ok) return;
  const [error] = read.errors;
  throw new Problem("condition_invalid", {
    fields: { condition: error?.code ?? "invalid" },
    params: {
      at: error?.at ?? 0,
      line: error?.line ?? 1,
      column: error?.column ?? 1,
      hint: error?.hint ?? "",
    },
  });
}

const namesSomething = (pattern: string, tools: readonly KnownTool[]): boolean =>
  pattern === "*" ||
  BUILT_IN_STAGING_RULES.some((rule) => rule.pattern === pattern) ||
  tools.some((tool) => pattern === tool.group || pattern === tool.id || actionNamed(pattern, tool) !== null);

/** The action of this tool that a pattern names, if it names one. */
export const actionNamed = (pattern: string, tool: KnownTool): string | null =>
  actionsOf(tool.parameters).find(
    (action) => pattern === `${tool.id}.${action}` || pattern === `${tool.group}.${action}`,
  ) ?? null;
