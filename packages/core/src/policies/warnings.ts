import type { RuleWarning } from "@aiw/contract/policies";
import { conditionEffect } from "@aiw/policy/condition-effect";
import { parseCondition, reviewCondition } from "@aiw/policy/condition";
import { BUILT_IN_STAGING_RULES, decideWith, type PolicyInput, type Settle, type Verdict } from "@aiw/policy/decide";
import { namesOneTool, specificity } from "@aiw/policy/rules";
import { actionNamed } from "./check.ts";
import { type Ground, inputOf, type KnownTool } from "./ground.ts";
import { type RuleRow, ruleSets } from "./rule.ts";

/** What the author of a rule should look at (POL-7). The rule is one of the ground's. */
export function warningsOf(rule: RuleRow, ground: Ground): RuleWarning[] {
  const named = ground.tools.flatMap((tool) => {
    const action = actionNamed(rule.pattern, tool);
    const rank = specificity(rule.pattern, { id: tool.id, group: tool.group, action });
    return rank === 0 ? [] : [{ tool, action, rank }];
  });
  if (named.length === 0) return [{ code: "no_tool" }];
  return [
    ...noEffect(rule, ground, named),
    ...aboutPlatform(rule, named),
    ...aboutCondition(rule, named.length === 1 ? named[0] : undefined),
  ];
}

interface Named {
  readonly tool: KnownTool;
  readonly action: string | null;
  readonly rank: number;
}

/** Nothing changes for any classified tool it names, whatever the other conditions say. */
function noEffect(rule: RuleRow, ground: Ground, named: readonly Named[]): RuleWarning[] {
  const classified = named.filter(({ tool }) => tool.riskClass !== null);
  // What binds a platform rule differs from workspace to workspace; only the platform's own part is known here.
  const rules = rule.level === "platform" ? ground.rules.filter((row) => row.level === "platform") : ground.rules;
  const becauses = classified.map(({ tool, action }) => {
    const input = (rows: readonly RuleRow[]): PolicyInput =>
      inputOf(tool, action, ruleSets(rows, rule.sourceId), ground.writePolicy);
    return rule.condition === null
      ? unchanged(input(rules), input(rules.filter((row) => row.id !== rule.id)))
      : (() => {
          const effect = conditionEffect(input(rules), rule.id);
          return effect.hasEffect ? null : (effect.because?.code ?? "");
        })();
  });
  const [because] = becauses;
  if (because === undefined || becauses.some((one) => one === null)) return [];
  return [{ code: "no_effect", ...(because === null || because === "" ? {} : { because }) }];
}

/** Why a rule without a condition changes nothing; null: it does. */
function unchanged(withRule: PolicyInput, without: PolicyInput): string | null {
  const [after, before] = [decideWith(withRule, silent), decideWith(without, silent)];
  return sameBinding(after, before) ? before.explanation.code : null;
}

/** Conditions of other rules count as false: that leaves the one looked at the most room. */
const silent: Settle = (rule) => ({ text: rule.condition, outcome: "false", trace: [], counterfactual: [] });

const sameBinding = (a: Verdict, b: Verdict): boolean =>
  a.decision === b.decision &&
  (a.decision !== "require_approval" || (a.level === b.level && a.fourEyes === b.fourEyes));

function aboutPlatform(rule: RuleRow, named: readonly Named[]): RuleWarning[] {
  if (rule.level !== "platform" || rule.condition !== null) return [];
  const builtIn = BUILT_IN_STAGING_RULES.some(({ pattern }) => pattern === rule.pattern);
  const raises =
    rule.decision === "approve" &&
    named.some(({ tool, rank }) => rank >= namesOneTool && tool.riskClass === "destructive");
  return [
    ...(builtIn && rule.decision === "auto" ? [{ code: "relaxes_built_in" as const }] : []),
    ...(raises ? [{ code: "raises_destructive" as const }] : []),
  ];
}

function aboutCondition(rule: RuleRow, only: Named | undefined): RuleWarning[] {
  if (rule.condition === null) return [];
  const read = parseCondition(rule.condition);
  if (!read.ok) return [];
  return reviewCondition(read.ast, only?.tool.parameters).map(({ code, text }) => ({ code, text }));
}
