import { decideWith, type PolicyInput } from "./decide.ts";
import type { ExplanationStep } from "./explain.ts";

export type ConditionEffect =
  | { readonly hasEffect: true }
  /** `because`: the step that asks or denies whatever the condition says; null where the rule does not speak for the tool. */
  | { readonly hasEffect: false; readonly because: ExplanationStep | null };

/**
 * Whether the answer to this rule's condition can change what becomes of a call of the tool, so that saving can warn (POL-7).
 * Values are not looked at: every other condition is taken as false, which leaves this one the most room. For a rule that
 * names several tools, ask for each of them: it has an effect if it has one for any.
 */
export const conditionEffect = (input: PolicyInput, ruleId: string): ConditionEffect => {
  const given = (outcome: "true" | "false") =>
    decideWith(input, (rule) => ({
      text: rule.condition,
      outcome: rule.id === ruleId ? outcome : "false",
      trace: [],
      counterfactual: [],
    }));
  const [asking, silent] = [given("true"), given("false")];
  const same =
    asking.decision === silent.decision &&
    (asking.decision !== "require_approval" || (asking.level === silent.level && asking.fourEyes === silent.fourEyes));
  if (!same) return { hasEffect: true };
  const speaks = silent.explanation.steps.some((step) => step.ruleId === ruleId);
  const because = silent.explanation.steps.find((step) => step.decision === silent.decision) ?? null;
  return { hasEffect: false, because: speaks ? because : null };
};

/** `conditionEffect`, as yes or no. */
export const conditionHasEffect = (input: PolicyInput, ruleId: string): boolean =>
  conditionEffect(input, ruleId).hasEffect;
