import { z } from "zod";
import { explanation } from "./explanation.ts";
import { id, instant } from "./ids.ts";
import { approvalLevel, policyDecision, policyLevel, stagingDecision, toolId, writePolicy } from "./tools.ts";

/** Something about a rule that its author should look at; it holds nevertheless. */
export const ruleWarning = z.object({
  /**
   * `no_effect`: something else asks or denies whatever the rule says. `no_tool`: it names no tool there is now.
   * `relaxes_built_in`: a rule of the product no longer asks. `raises_destructive`: calls that cannot be undone may be
   * approved now. `never_evaluates`, `constant`, `unknown_argument`: parts of the condition.
   */
  code: z.enum([
    "no_effect",
    "no_tool",
    "relaxes_built_in",
    "raises_destructive",
    "never_evaluates",
    "constant",
    "unknown_argument",
  ]),
  /** The part of the condition that is meant. */
  text: z.string().optional(),
  /** Why there is no effect: a code of `explanation`. */
  because: z.string().optional(),
});
export type RuleWarning = z.infer<typeof ruleWarning>;

const by = z.object({ id, name: z.string(), displayName: z.string() });

/** A rule beside the classification (POL-3), as it is shown to whoever is bound by it. */
export const policyRule = z.object({
  /** A UUID, or `built-in:...`. */
  id: z.string(),
  level: policyLevel,
  sourceId: id.nullable(),
  sourceName: z.string().nullable(),
  /** `group.tool`, `group.tool.action`, `group`, or `*`. */
  pattern: z.string(),
  decision: stagingDecision,
  /** When it asks; null: always. */
  condition: z.string().nullable(),
  /** Null: as the tool is classified. */
  approvalLevel: approvalLevel.nullable(),
  fourEyes: z.boolean().nullable(),
  label: z.string(),
  version: z.number().int(),
  /** A rule of the product (POL-8): nobody changes it, a platform rule of the same pattern takes its place. */
  builtIn: z.boolean(),
  /** A built-in rule whose place is taken. */
  replaced: z.boolean(),
  /** Whether the reader may change it here. */
  mayChange: z.boolean(),
  warnings: z.array(ruleWarning),
  changedBy: by.nullable(),
  changedAt: instant.nullable(),
});
export type PolicyRuleView = z.infer<typeof policyRule>;

export const policyRules = z.object({ items: z.array(policyRule) });

/** Fields a rule is saved with. Checked further by the verb: the tool is known, the condition reads. */
const ruleFields = {
  pattern: z.string().trim().min(1).max(200),
  decision: stagingDecision,
  condition: z.string().max(8000).nullable(),
  approvalLevel: approvalLevel.nullable(),
  fourEyes: z.boolean().nullable(),
  label: z.string().trim().max(120),
};
const sourceId = id.nullable();
const version = z.number().int();
/** The rule to try instead of the one it was made from, or beside all (null). */
const draftOf = <T extends z.ZodRawShape>(shape: T) => z.strictObject({ policyId: id.nullable(), ...shape }).nullable();

const sample = {
  toolId,
  /** The arguments as JSON text, read as strictly as those of a real call. */
  args: z.string().max(100_000),
  /** As whom: the role of the caller in the workspace. */
  role: z.enum(["member", "approver", "admin"]),
};

/** What would become of a call. Nothing is executed and nothing is stored. */
export const trial = z.object({
  decision: policyDecision,
  level: approvalLevel,
  fourEyes: z.boolean(),
  explanation,
});
export type Trial = z.infer<typeof trial>;

/** Since when nothing is written to the outside, and by whom that was stopped (POL-13); null: it is not stopped. */
export const stopMark = z.object({ at: instant, by: by.nullable() }).nullable();
export type StopMark = z.infer<typeof stopMark>;

const ws = z.object({ workspaceId: id });
const onePolicy = z.object({ policyId: id });
const removal = z.strictObject({ version: z.coerce.number().int().optional() });

/** Endpoints about rules and the stop switch; part of the table in `api.ts`. */
export const POLICY_ENDPOINTS = {
  listPolicies: {
    method: "GET",
    path: "/api/workspaces/:workspaceId/policies",
    access: "member",
    status: 200,
    params: ws,
    response: policyRules,
    summary: "Every rule that holds here, those of the platform included",
  },
  createPolicy: {
    method: "POST",
    path: "/api/workspaces/:workspaceId/policies",
    access: "admin",
    status: 201,
    params: ws,
    body: z.strictObject({ ...ruleFields, sourceId }),
    response: policyRule,
    summary: "Add a rule for the workspace or one source; it can only tighten (POL-3)",
  },
  updatePolicy: {
    method: "PUT",
    path: "/api/workspaces/:workspaceId/policies/:policyId",
    access: "admin",
    status: 200,
    params: ws.extend(onePolicy.shape),
    body: z.strictObject({ ...ruleFields, sourceId, version }),
    response: policyRule,
    summary: "Change a rule (409 conflict when somebody else did)",
  },
  removePolicy: {
    method: "DELETE",
    path: "/api/workspaces/:workspaceId/policies/:policyId",
    access: "admin",
    status: 204,
    params: ws.extend(onePolicy.shape),
    query: removal,
    summary: "Remove a rule",
  },
  tryPolicy: {
    method: "POST",
    path: "/api/workspaces/:workspaceId/policies/try",
    access: "admin",
    status: 200,
    params: ws,
    body: z.strictObject({ ...sample, sourceId, draft: draftOf({ ...ruleFields, sourceId }) }),
    response: trial,
    summary: "What the rules would say to a call; nothing is executed",
  },
  setWriteStop: {
    method: "PUT",
    path: "/api/workspaces/:workspaceId/write-stop",
    access: "admin",
    status: 200,
    params: ws,
    body: z.strictObject({ stopped: z.boolean() }),
    response: z.object({ workspace: stopMark, platform: stopMark }),
    summary: "Stop all writes to the outside, or let them go on (POL-13)",
  },
  getWriteStop: {
    method: "GET",
    path: "/api/workspaces/:workspaceId/write-stop",
    access: "member",
    status: 200,
    params: ws,
    response: z.object({ workspace: stopMark, platform: stopMark }),
    summary: "Whether writes to the outside are stopped",
  },
  listPlatformPolicies: {
    method: "GET",
    path: "/api/admin/policies",
    access: "platform",
    status: 200,
    response: policyRules,
    summary: "Rules of the platform and those built in (POL-8)",
  },
  createPlatformPolicy: {
    method: "POST",
    path: "/api/admin/policies",
    access: "platform",
    status: 201,
    body: z.strictObject(ruleFields),
    response: policyRule,
    summary: "Add a rule that holds in every workspace",
  },
  updatePlatformPolicy: {
    method: "PUT",
    path: "/api/admin/policies/:policyId",
    access: "platform",
    status: 200,
    params: onePolicy,
    body: z.strictObject({ ...ruleFields, version }),
    response: policyRule,
    summary: "Change a rule of the platform (409 conflict when somebody else did)",
  },
  removePlatformPolicy: {
    method: "DELETE",
    path: "/api/admin/policies/:policyId",
    access: "platform",
    status: 204,
    params: onePolicy,
    query: removal,
    summary: "Remove a rule of the platform",
  },
  tryPlatformPolicy: {
    method: "POST",
    path: "/api/admin/policies/try",
    access: "platform",
    status: 200,
    body: z.strictObject({ ...sample, writePolicy, draft: draftOf(ruleFields) }),
    response: trial,
    summary: "What the platform's rules would say to a call; nothing is executed",
  },
  setPlatformWriteStop: {
    method: "PUT",
    path: "/api/admin/write-stop",
    access: "platform",
    status: 200,
    body: z.strictObject({ stopped: z.boolean() }),
    response: z.object({ platform: stopMark }),
    summary: "Stop all writes to the outside everywhere, or let them go on (POL-13)",
  },
  getPlatformWriteStop: {
    method: "GET",
    path: "/api/admin/write-stop",
    access: "platform",
    status: 200,
    response: z.object({ platform: stopMark }),
    summary: "Whether writes to the outside are stopped everywhere",
  },
} as const;
