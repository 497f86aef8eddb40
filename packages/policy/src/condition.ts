export { RESERVED_CONTEXT_NAMES } from "./condition/context.ts";
export { evaluate } from "./condition/evaluate.ts";
export { parseCondition } from "./condition/parse.ts";
export type { ParsedCondition } from "./condition/parse.ts";
export { reviewCondition } from "./condition/review.ts";
export type { ConditionValues } from "./condition/values.ts";
export { checkRuleCondition } from "./condition/rule-condition.ts";
export type { ParseCondition } from "./condition/rule-condition.ts";
