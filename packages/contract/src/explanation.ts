import { z } from "zod";
import { approvalLevel, policyDecision } from "./tools.ts";

const params = z.record(z.string(), z.unknown());

/** One comparison of a condition, with the values it looked at. */
export const conditionStep = z.object({
  text: z.string(),
  outcome: z.enum(["true", "false", "error"]),
  errorCode: z.string().optional(),
  reads: z.array(
    z.object({
      /** As it stands in the condition: `param.amount`. */
      path: z.string(),
      /** A JSON type, `missing`, or `unreachable`: a value on the way there has no members. */
      type: z.string(),
      value: z.unknown().optional(),
      /** Characters or entries that are not shown. */
      cut: z.number().int().optional(),
    }),
  ),
});
export type ConditionStep = z.infer<typeof conditionStep>;

/** What became of a rule's condition (POL-7): why am I asked, and what would have made it automatic. */
export const conditionReport = z.object({
  text: z.string(),
  /** `open`: there was no call yet. */
  outcome: z.enum(["true", "false", "error", "open"]),
  errorCode: z.string().optional(),
  trace: z.array(conditionStep),
  /** Any of these would have made the rule ask nothing, each with all of its sentences. */
  counterfactual: z.array(z.array(z.string())),
});
export type ConditionReport = z.infer<typeof conditionReport>;

/** One thing that had a say, with what it asked for. */
export const explanationStep = z.object({
  code: z.string(),
  params,
  ruleId: z.string().optional(),
  atLevel: z.string(),
  decision: policyDecision,
  level: approvalLevel,
  fourEyes: z.boolean(),
  condition: conditionReport.optional(),
});
export type ExplanationStep = z.infer<typeof explanationStep>;

/** Why the gate decided as it did (POL-2): the step that decided, and every step in the order of the levels. */
export const explanation = z.object({
  code: z.string(),
  params,
  ruleId: z.string().optional(),
  atLevel: z.string().optional(),
  condition: conditionReport.optional(),
  steps: z.array(explanationStep).optional(),
});
export type Explanation = z.infer<typeof explanation>;
