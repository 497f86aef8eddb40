import type { ConditionStep, Explanation } from "@aiw/contract/explanation";
import { policy } from "../i18n/policy.ts";

type Read = ConditionStep["reads"][number];

/** A value a condition looked at, as text; what is not there is said in words. */
export const readText = (read: Read): string => {
  if (read.type === "missing") return policy("why.missing");
  if (read.type === "unreachable") return policy("why.unreachable");
  if (read.value === undefined) return policy("why.object");
  const text = JSON.stringify(read.value);
  return read.cut === undefined ? text : `${text} ${policy("why.cut", { n: String(read.cut) })}`;
};

/**
 * Whether the call would have run without a person if the rule that decided had not asked: nothing else had a say but it.
 * Without the steps nobody can tell.
 */
export const wouldHaveRun = ({ ruleId, steps }: Explanation): boolean =>
  steps !== undefined && steps.every((step) => step.decision === "allow" || step.ruleId === ruleId);
