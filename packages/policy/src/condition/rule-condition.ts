import type { StagingDecision } from "@aiw/contract/tools";
import { counterfactual } from "./counterfactual.ts";
import { evaluate, type Outcome, type TraceStep } from "./evaluate.ts";
import { type ParsedCondition, parseCondition } from "./parse.ts";
import { type ConditionError, errorAt } from "./problems.ts";
import type { ConditionValues, EvaluationError } from "./values.ts";

/** Where a caller keeps parsed conditions; `parseCondition` itself by default. */
export type ParseCondition = (text: string) => ParsedCondition;

/** What became of a rule's condition: stored with the explanation, worded by the screens. JSON as it stands. */
export interface ConditionReport {
  readonly text: string;
  /** `open`: there were no values yet, as when tools are offered; the rule counts as asking. */
  readonly outcome: Outcome | "open";
  /** Set where the outcome is `error`. `not_readable`: stored text that this version does not read. */
  readonly errorCode?: EvaluationError | "not_readable" | "not_allowed";
  readonly trace: readonly TraceStep[];
  /** What would have made the rule ask nothing: any of these, each with all of its sentences. */
  readonly counterfactual: readonly (readonly string[])[];
}

/**
 * Judges a rule's condition. Total, and strict where it cannot say: text that is no condition and a rule that may carry none
 * are errors, and an error asks (POL-7).
 */
export const reportOn = (
  rule: { readonly decision: StagingDecision; readonly condition: string },
  values: ConditionValues | undefined,
  parse: ParseCondition = parseCondition,
): ConditionReport => {
  const text = rule.condition;
  const silent = { text, trace: [], counterfactual: [] };
  if (rule.decision !== "approve") return { ...silent, outcome: "error", errorCode: "not_allowed" };
  const parsed = parse(text);
  if (!parsed.ok) return { ...silent, outcome: "error", errorCode: "not_readable" };
  if (values === undefined) return { ...silent, outcome: "open" };
  return { text, ...evaluate(parsed.ast, values), counterfactual: counterfactual(parsed.ast, values) };
};

/**
 * Reads the condition of a rule that is to be saved. Beside what `parseCondition` refuses, only a rule that asks may carry
 * one: a denial that depends on the arguments would be a gap for whoever writes the arguments.
 */
export const checkRuleCondition = (rule: {
  readonly decision: StagingDecision;
  readonly condition: string;
}): ParsedCondition => {
  if (rule.decision === "approve") return parseCondition(rule.condition);
  const hint = 'Only a rule that asks ("approve") may have a condition.';
  const errors: readonly ConditionError[] = [errorAt(rule.condition, "condition_needs_approve", 0, hint)];
  return { ok: false, errors };
};
