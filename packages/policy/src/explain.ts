import type { PolicyDecision, PolicyLevel } from "@aiw/contract/tools";
import type { ConditionReport } from "./condition/rule-condition.ts";
import type { Binding } from "./strictness.ts";

/** Why a step of the decision says what it says. Worded by the screens in the reader's language (POL-2). */
export type ExplanationCode =
  | "unclassified"
  | "plan_mode"
  | "class_read"
  | "class_write_internal"
  | "class_write_external"
  | "class_write_external_always"
  | "class_destructive"
  | "classified_allow"
  | "classified_require_approval"
  | "classified_deny"
  | "destructive_raised"
  | "rule"
  | "rule_built_in"
  | "rule_default"
  | "rule_condition_true"
  | "rule_condition_false"
  | "rule_condition_error"
  /** The rule has a condition, and there is no call yet to answer it. */
  | "rule_condition_open";

/** Where a step comes from: the chat's mode, the platform's classification of the tool, or a rule set. */
export type ExplanationLevel = "mode" | "classification" | PolicyLevel;

export type ExplanationParams = Readonly<Record<string, string | number | boolean | null>>;

/** One thing that had a say, with what it asked for. */
export interface ExplanationStep extends Binding {
  readonly code: ExplanationCode;
  readonly params: ExplanationParams;
  readonly ruleId?: string;
  readonly atLevel: ExplanationLevel;
  /** With the codes `rule_condition_*`: why am I asked, and what would have made it automatic (POL-7). */
  readonly condition?: ConditionReport;
}

/** The step that decided, and all steps in the order of the levels. JSON as it stands: stored with the call. */
export interface Explanation {
  readonly code: ExplanationCode;
  readonly params: ExplanationParams;
  readonly ruleId?: string;
  readonly atLevel: ExplanationLevel;
  /** With the codes `rule_condition_*`: why am I asked, and what would have made it automatic (POL-7). */
  readonly condition?: ConditionReport;
  readonly steps: readonly ExplanationStep[];
}

const outcome: Readonly<Record<PolicyDecision, string>> = {
  allow: "Allowed",
  require_approval: "A person must approve this call",
  deny: "Blocked by policy",
};

/** One English sentence for the model. Names no rule text: labels are people's words and do not belong in its context. */
export const reasonFor = (decision: PolicyDecision, step: ExplanationStep): string =>
  `${outcome[decision]}: ${because(step)}.`;

const because = (step: ExplanationStep): string => {
  switch (step.code) {
    case "unclassified":
      return "no administrator has classified this tool yet";
    case "plan_mode":
      return "the chat is in plan mode, which only reads and keeps the plan";
    case "class_read":
      return "the tool only reads";
    case "class_write_internal":
      return "the tool writes to an internal, recoverable place";
    case "class_write_external":
      return "the tool writes to another system";
    case "class_write_external_always":
      return "this workspace confirms every write to another system";
    case "class_destructive":
      return "the tool deletes or cannot be undone";
    case "classified_allow":
    case "classified_require_approval":
    case "classified_deny":
      return "an administrator decided so when classifying this tool";
    case "destructive_raised":
      return "the tool cannot be undone, and a platform rule lets a global approver decide";
    case "rule":
    case "rule_built_in":
      return `a rule at ${step.atLevel} level applies to this tool`;
    case "rule_condition_true":
    case "rule_condition_false":
    case "rule_condition_error":
    case "rule_condition_open":
      return `a rule at ${step.atLevel} level applies to calls such as this one`;
    case "rule_default":
      return `the default at ${step.atLevel} level applies to this tool`;
  }
};
