import { z } from "zod";

/** POL-5: what a tool may do to the world. */
export const riskClass = z.enum(["read", "write_internal", "write_external", "destructive"]);
export type RiskClass = z.infer<typeof riskClass>;

/** POL-2: the three verdicts of the gate. */
export const policyDecision = z.enum(["allow", "require_approval", "deny"]);
export type PolicyDecision = z.infer<typeof policyDecision>;

/** How staging rules and agent files spell a decision (POL-2): `auto` means "no extra rule". */
export const stagingDecision = z.enum(["auto", "approve", "deny"]);
export type StagingDecision = z.infer<typeof stagingDecision>;

/** APR-1: who has to decide. */
export const approvalLevel = z.enum(["workspace_admin", "global_approver"]);
export type ApprovalLevel = z.infer<typeof approvalLevel>;

/** POL-5: mode A (`risk_based`) and mode B (`confirm_external`). */
export const writePolicy = z.enum(["risk_based", "confirm_external"]);
export type WritePolicy = z.infer<typeof writePolicy>;

/** AI-3: in `plan` only reading tools are offered. */
export const chatMode = z.enum(["work", "plan"]);
export type ChatMode = z.infer<typeof chatMode>;

/** The rule sets of POL-3, from the outermost to the innermost. */
export const policyLevel = z.enum(["platform", "workspace", "source", "agent"]);
export type PolicyLevel = z.infer<typeof policyLevel>;

/** `group.action`: the one name people, policy, audit and API use for a tool. */
export const toolId = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}\.[A-Za-z][A-Za-z0-9_]{0,63}$/);

/** JSON as it comes off the wire. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A tool as a connector declares it. `wireName` is what the model sees (at most 64 characters, no dots). */
export interface ToolDefinition {
  readonly id: string;
  readonly wireName: string;
  readonly description: string;
  /** JSON Schema (2020-12) of the arguments, always `type: "object"` with `additionalProperties: false` for our own tools. */
  readonly parameters: JsonObject;
  /** What the connector suggests; only a platform admin's classification counts (POL-4). */
  readonly suggestedRiskClass: RiskClass;
  /** How an interrupted write is settled: by the tool's own probe, or by a person (RUN-7). */
  readonly reconcile: "probe" | "human";
}
