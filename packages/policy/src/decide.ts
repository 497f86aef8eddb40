import type { ApprovalLevel, ChatMode, PolicyDecision, RiskClass, WritePolicy } from "@aiw/contract/tools";
import { policyLevel } from "@aiw/contract/tools";
import { type ConditionReport, type ParseCondition, reportOn } from "./condition/rule-condition.ts";
import type { ConditionValues } from "./condition/values.ts";
import { type Explanation, type ExplanationCode, type ExplanationStep, reasonFor } from "./explain.ts";
import {
  asPolicyDecision,
  BUILT_IN_STAGING_RULES,
  isUnconditional,
  namesOneTool,
  type PolicyRule,
  type RuleSet,
  type ToolName,
  winningRules,
} from "./rules.ts";
import { type Binding, join, stricter } from "./strictness.ts";

export { stricter, tightened } from "./strictness.ts";
export type { Binding } from "./strictness.ts";
export { BUILT_IN_STAGING_RULES } from "./rules.ts";
export type { PolicyRule, RuleSet } from "./rules.ts";

/** The one writing tool plan mode offers (POL-9). Its group is reserved: no source may register tools under it. */
export const PLAN_TOOL_ID = "plan.update_plan";

export interface PolicyTool extends ToolName {
  /** Null: unclassified. */
  readonly riskClass: RiskClass | null;
  /** What the platform admin decided beyond the class; null or absent where the class's own answer was kept. */
  readonly classifiedDecision?: PolicyDecision | null | undefined;
  readonly level: ApprovalLevel;
  readonly fourEyes: boolean;
}

export interface PolicyInput {
  readonly tool: PolicyTool;
  readonly writePolicy: WritePolicy;
  readonly chatMode: ChatMode;
  /** In any order. */
  readonly ruleSets: readonly RuleSet[];
  /** What conditions look at. Absent while there is no call yet: then every rule with a condition asks. */
  readonly values?: ConditionValues | undefined;
  /** How conditions are read, for callers that keep them parsed. Default: anew each time. */
  readonly parse?: ParseCondition | undefined;
}

export interface Verdict extends Binding {
  readonly explanation: Explanation;
  /** One English sentence for the model. */
  readonly reason: string;
}

/**
 * The gate's decision for one call (POL-2..POL-5, POL-8): every level says what it asks for, the strictest wins, for
 * decision, approval level and four eyes alike. Within one rule set the most specific rule speaks. The order of sets and
 * rules does not matter. Total: never throws on a decoded input.
 */
export const decide = (input: PolicyInput): Verdict => {
  const { values, parse } = input;
  return decideWith(input, (rule) => reportOn(rule, values, parse));
};

/** What a rule's condition says. */
export type Settle = (rule: PolicyRule & { readonly condition: string }) => ConditionReport;

/** `decide` with the answers to the conditions given. */
export const decideWith = (input: PolicyInput, settle: Settle): Verdict => {
  const [first, ...rest] = stepsOf(input, settle);
  const binding = rest.reduce<Binding>(join, first);
  const deciding = [first, ...rest].find((step) => step.decision === binding.decision) ?? first;
  const { code, params, atLevel, ruleId, condition } = deciding;
  return {
    decision: binding.decision,
    level: binding.level,
    fourEyes: binding.fourEyes,
    explanation: {
      code,
      params,
      atLevel,
      ...(ruleId === undefined ? {} : { ruleId }),
      ...(condition === undefined ? {} : { condition }),
      steps: [first, ...rest],
    },
    reason: reasonFor(binding.decision, deciding),
  };
};

type Steps = [ExplanationStep, ...ExplanationStep[]];

const stepsOf = (input: PolicyInput, settle: Settle): Steps => {
  const { tool, chatMode } = input;
  const { riskClass } = tool;
  // Nothing else has a say about a tool nobody has looked at (POL-4).
  if (riskClass === null) return [classificationStep(tool, "unclassified", "deny", { tool: tool.id })];

  const steps: Steps = [...classification(input, riskClass)];
  if (chatMode === "plan" && !offeredInPlanMode(tool)) {
    steps.unshift({
      ...base(tool),
      code: "plan_mode",
      params: { tool: tool.id, riskClass },
      atLevel: "mode",
      decision: "deny",
    });
  }
  for (const level of policyLevel.options) {
    const sets = input.ruleSets.filter((set) => set.level === level);
    if (level === "platform") steps.push(...builtInSteps(sets, tool));
    steps.push(...sets.flatMap((set) => ruleSteps(set, tool, settle)).sort(byRule));
  }
  return steps;
};

const offeredInPlanMode = (tool: PolicyTool): boolean =>
  tool.riskClass === "read" || (tool.riskClass === "write_internal" && tool.id === PLAN_TOOL_ID);

/** The class's answer, and the administrator's where it says more. */
const classification = (input: PolicyInput, riskClass: RiskClass): Steps => {
  const { tool, writePolicy } = input;
  const classified = tool.classifiedDecision ?? null;
  const ofClass = classAnswer(riskClass, writePolicy);
  const params = { riskClass, writePolicy };

  // Mode A leaves the answer for external writes to the administrator, looser or stricter (POL-5).
  const mayLoosen = riskClass === "write_external" && writePolicy === "risk_based";
  if (classified === "allow" && mayLoosen) return [classificationStep(tool, "classified_allow", "allow", params)];

  const raised = riskClass === "destructive" && raisedByPlatform(input.ruleSets, tool);
  const own: ExplanationStep = raised
    ? { ...classificationStep(tool, "destructive_raised", "require_approval", params), level: "global_approver" }
    : classificationStep(tool, ofClass.code, ofClass.decision, params);
  if (classified === null || stricter(classified, own.decision) === own.decision) return [own];
  return [own, classificationStep(tool, `classified_${classified}`, classified, params)];
};

const classAnswer = (
  riskClass: RiskClass,
  writePolicy: WritePolicy,
): { readonly code: ExplanationCode; readonly decision: PolicyDecision } => {
  switch (riskClass) {
    case "read":
      return { code: "class_read", decision: "allow" };
    case "write_internal":
      return { code: "class_write_internal", decision: "allow" };
    case "write_external":
      return writePolicy === "risk_based"
        ? { code: "class_write_external", decision: "require_approval" }
        : { code: "class_write_external_always", decision: "require_approval" };
    case "destructive":
      return { code: "class_destructive", decision: "deny" };
  }
};

/**
 * Whether the platform's own rules deliberately raise exactly this destructive tool or action to an approval (POL-5).
 * A rule for its group, for everything, a default, a built-in rule or a rule with a condition does not.
 */
const raisedByPlatform = (ruleSets: readonly RuleSet[], tool: ToolName): boolean =>
  ruleSets
    .filter((set) => set.level === "platform")
    .some((set) => {
      const { rank, rules } = winningRules(set.rules, tool);
      const asks = rules.every((rule) => rule.decision === "approve");
      return rank >= namesOneTool && asks && rules.some(isUnconditional);
    });

/**
 * Built-in rules stand beside the platform's own, not among them: a platform rule for a whole group that denies must not
 * lose to a more specific built-in one that only asks. A rule with a condition replaces none: who adds one to ask more
 * must not relax the rest by it. An `auto` rule of the same pattern beside it does.
 */
const builtInSteps = (platformSets: readonly RuleSet[], tool: PolicyTool): ExplanationStep[] => {
  const own = new Set(platformSets.flatMap((set) => set.rules.filter(isUnconditional).map((rule) => rule.pattern)));
  const standing = BUILT_IN_STAGING_RULES.filter((rule) => !own.has(rule.pattern));
  return winningRules(standing, tool).rules.map((rule) => ruleStep("rule_built_in", rule, "platform", tool));
};

const ruleSteps = (set: RuleSet, tool: PolicyTool, settle: Settle): ExplanationStep[] => {
  const { rules } = winningRules(set.rules, tool);
  if (rules.length > 0) {
    return rules.map((rule) => {
      const { condition } = rule;
      return condition === undefined || isUnconditional(rule)
        ? ruleStep("rule", rule, set.level, tool)
        : conditionStep(rule, settle({ ...rule, condition }), set.level, tool);
    });
  }
  if (set.default === undefined || set.default === "auto") return [];
  const decision = asPolicyDecision(set.default);
  return [{ ...base(tool), code: "rule_default", params: { level: set.level }, atLevel: set.level, decision }];
};

const ruleStep = (
  code: "rule" | "rule_built_in",
  rule: PolicyRule,
  atLevel: RuleSet["level"],
  tool: PolicyTool,
): ExplanationStep => ({
  code,
  params: { pattern: rule.pattern, label: rule.label, version: rule.version, level: atLevel },
  ruleId: rule.id,
  atLevel,
  decision: asPolicyDecision(rule.decision),
  level: rule.approvalLevel ?? tool.level,
  fourEyes: rule.fourEyes ?? tool.fourEyes,
});

const conditionStep = (
  rule: PolicyRule,
  condition: ConditionReport,
  atLevel: RuleSet["level"],
  tool: PolicyTool,
): ExplanationStep => {
  const { params } = ruleStep("rule", rule, atLevel, tool);
  const { text, outcome, errorCode } = condition;
  const silent = outcome === "false";
  return {
    ...ruleStep("rule", rule, atLevel, tool),
    ...(silent ? { ...base(tool), decision: "allow" } : { decision: "require_approval" }),
    code: `rule_condition_${outcome}`,
    params: { ...params, condition: text, ...(errorCode === undefined ? {} : { errorCode }) },
    condition,
  };
};

const classificationStep = (
  tool: PolicyTool,
  code: ExplanationCode,
  decision: PolicyDecision,
  params: ExplanationStep["params"],
): ExplanationStep => ({ ...base(tool), code, params, atLevel: "classification", decision });

const base = (tool: PolicyTool): Pick<Binding, "level" | "fourEyes"> => ({
  level: tool.level,
  fourEyes: tool.fourEyes,
});

const byRule = (a: ExplanationStep, b: ExplanationStep): number => {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};
