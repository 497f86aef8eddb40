import { drift } from "./drift.ts";
import { z } from "zod";
import { explanation } from "./explanation.ts";
import { commitSha, id, instant, sha256 } from "./ids.ts";
import { question } from "./questions.ts";
import { callStatus, endReason, invalidReason, requestStatus, runLane, runStatus } from "./runs.ts";
import { combination, sourceLabels } from "./labels.ts";
import { mcpPurpose, toolSettings } from "./mcp.ts";
import { modelChoice } from "./models.ts";
import { approvalLevel, chatMode, policyDecision, riskClass, writePolicy } from "./tools.ts";

/** Shapes of what the API answers. Times are ISO instants, sizes bytes, durations milliseconds. */

export const memberRole = z.enum(["member", "approver", "admin"]);
export type MemberRole = z.infer<typeof memberRole>;

export const person = z.object({ id, name: z.string(), displayName: z.string() });
export type Person = z.infer<typeof person>;

export const me = person.extend({
  isPlatformAdmin: z.boolean(),
  isGlobalApprover: z.boolean(),
  mustChangePassword: z.boolean(),
  teams: z.array(z.object({ id, name: z.string() })),
});
export type Me = z.infer<typeof me>;

/** What the sign-in page and every page may know without a session. */
export const publicConfig = z.object({
  version: z.string(),
  demo: z.boolean(),
  /** Only while a demo password is configured (development): who can sign in with it. */
  demoLogins: z.array(z.object({ name: z.string(), role: z.string(), password: z.string() })),
  demoModel: z.boolean(),
  /** Unit of costs and prices, such as USD. */
  currency: z.string(),
});
export type PublicConfig = z.infer<typeof publicConfig>;

export const workspaceSummary = z.object({
  id,
  name: z.string(),
  description: z.string(),
  team: z.object({ id, name: z.string() }),
  role: memberRole,
  writePolicy,
  sources: z.object({ total: z.number().int(), tested: z.number().int(), failed: z.number().int() }),
  openApprovals: z.number().int(),
  lastActivityAt: instant.nullable(),
  createdAt: instant,
});
export type WorkspaceSummary = z.infer<typeof workspaceSummary>;

export const workspaceDetail = workspaceSummary.extend({
  /** CHT-0: false until a source was tested with success. */
  chatOpen: z.boolean(),
  /** False while no classified tool is active: the agent could only talk. */
  toolsReady: z.boolean(),
  approvalTtlS: z.number().int(),
  maxToolRounds: z.number().int(),
  members: z.array(person.extend({ role: memberRole })),
  /** POL-11: the dangerous combination of its sources; null: there is none. */
  combination: combination.nullable(),
});
export type WorkspaceDetail = z.infer<typeof workspaceDetail>;

export const testStage = z.object({
  stage: z.enum(["address", "reach", "login", "list", "read", "write"]),
  ok: z.boolean(),
  code: z.string().optional(),
  facts: z.record(z.string(), z.unknown()).optional(),
});
export const sourceStatus = z.enum(["untested", "tested", "failed"]);
export const source = z.object({
  id,
  kind: z.enum(["git", "mcp", "uploads"]),
  name: z.string(),
  /** Settings without secrets: url; branch and username of a repository; short name of an MCP server. */
  config: z.object({
    url: z.string(),
    branch: z.string().nullable(),
    username: z.string().nullable(),
    server: z.string().nullable(),
  }),
  status: sourceStatus,
  secretLast4: z.string().nullable(),
  /** Without a token of its own, the one that the platform keeps for this server is used (MCP-1). */
  usesPlatformToken: z.boolean(),
  confirmedBy: person.nullable(),
  confirmedAt: instant.nullable(),
  lastTestAt: instant.nullable(),
  lastTest: z.object({ ok: z.boolean(), stages: z.array(testStage), warnings: z.array(z.string()) }).nullable(),
  /** POL-11 */
  labels: sourceLabels,
  createdAt: instant,
});
export type Source = z.infer<typeof source>;

export const job = z.object({
  id,
  kind: z.enum([
    "source_test",
    "tool_discovery",
    "model_test",
    "model_import",
    "approval_check",
    "upload_import",
    "upload_removal",
  ]),
  status: z.enum(["queued", "running", "done", "failed"]),
  errorCode: z.string().nullable(),
  createdAt: instant,
  endedAt: instant.nullable(),
});
export type Job = z.infer<typeof job>;

/** A tool as a workspace sees it: what it is, how it is classified, what would happen to a call. */
export const workspaceTool = z.object({
  id: z.string(),
  wireName: z.string(),
  description: z.string(),
  riskClass: riskClass.nullable(),
  suggestedRiskClass: riskClass,
  definitionHash: sha256,
  active: z.boolean(),
  decision: policyDecision,
  level: approvalLevel,
  fourEyes: z.boolean(),
  explanation,
});
export type WorkspaceTool = z.infer<typeof workspaceTool>;

export const adminTool = z.object({
  id: z.string(),
  wireName: z.string(),
  description: z.string(),
  suggestedRiskClass: riskClass,
  riskClass: riskClass.nullable(),
  decision: policyDecision.nullable(),
  level: approvalLevel,
  fourEyes: z.boolean(),
  definition: z.string(),
  definitionHash: sha256,
  classifiedBy: person.nullable(),
  classifiedAt: instant.nullable(),
  version: z.number().int(),
  /** Short name of the MCP server it came from; null for the platform's own tools, which have no settings. */
  server: z.string().nullable(),
  settings: toolSettings.nullable(),
  /** What to look at before classifying, as codes; said by or about the server, never taken over (POL-9, N45). */
  findings: z.array(z.string()),
  /** The definition before its last change, to be compared (POL-6). */
  previousDefinition: z.string().nullable(),
  /** Since when the server does not offer it any more: no call goes out, the classification is kept. */
  missingAt: instant.nullable(),
});
export type AdminTool = z.infer<typeof adminTool>;

/** What came of asking a server for its tools. Names are written by the server. */
export const mcpDiscovery = z.object({
  ok: z.boolean(),
  /** Why it failed, as a problem code. */
  code: z.string().nullable(),
  serverName: z.string(),
  serverVersion: z.string(),
  protocolVersion: z.string(),
  tools: z.number().int(),
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** The list ended early, and why. */
  incomplete: z.string().nullable(),
  /** Ids of tools by what became of them. */
  changes: z.object({
    added: z.array(z.string()),
    reset: z.array(z.string()),
    returned: z.array(z.string()),
    missing: z.array(z.string()),
  }),
});
export type McpDiscovery = z.infer<typeof mcpDiscovery>;

/** A registered MCP server as platform admins see it (MCP-1). */
export const mcpServer = z.object({
  id,
  name: z.string(),
  url: z.string(),
  purpose: mcpPurpose,
  secretLast4: z.string().nullable(),
  /** Words of the server, and those before their last change. */
  instructions: z.string().nullable(),
  previousInstructions: z.string().nullable(),
  lastDiscoveryAt: instant.nullable(),
  lastDiscovery: mcpDiscovery.nullable(),
  /** A fetch was asked for and is not done yet. */
  fetching: z.boolean(),
  tools: z.object({ total: z.number().int(), unclassified: z.number().int(), missing: z.number().int() }),
  createdBy: person,
  createdAt: instant,
});
export type McpServer = z.infer<typeof mcpServer>;

/** A registered server as a workspace admin sees it, to be connected as a source. */
export const availableServer = z.object({
  id,
  name: z.string(),
  url: z.string(),
  purpose: mcpPurpose,
  /** The platform has a token for it; a workspace may set its own. */
  hasToken: z.boolean(),
  connected: z.boolean(),
  tools: z.object({ total: z.number().int(), unclassified: z.number().int() }),
});
export type AvailableServer = z.infer<typeof availableServer>;

export const runSummary = z.object({
  id,
  workspaceId: id,
  /** The chat it belongs to; of a run that came from another, that one's chat. */
  chatId: id.nullable(),
  lane: runLane,
  /** The run it came from. */
  parentRunId: id.nullable(),
  title: z.string(),
  status: runStatus,
  endReason: endReason.nullable(),
  errorCode: z.string().nullable(),
  errorText: z.string().nullable(),
  startedBy: person,
  model: z.string(),
  step: z.number().int(),
  attempt: z.number().int(),
  toolRounds: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  contextFill: z.number(),
  /** Money in the platform's currency (AI-6); null: the prices of the model are not known. */
  cost: z.number().nullable(),
  lastSeq: z.number().int(),
  createdAt: instant,
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  /** What the person reading may do now (RUN-22), decided on the server. */
  may: z.object({ cancel: z.boolean(), resume: z.boolean(), continue: z.boolean(), reconcile: z.boolean() }),
});
export type RunSummary = z.infer<typeof runSummary>;

/** What a proposed change comes to, from its frozen preview; pages word it in the reader's language. */
export const approvalSubject = z.object({
  files: z.number().int(),
  /** The branch it is pushed to, without refs/heads/. */
  target: z.string(),
  /** The model's own words: shown as a quotation only. */
  title: z.string().nullable(),
});
export type ApprovalSubject = z.infer<typeof approvalSubject>;

/** A request in the fewest words: for cards, lists and the waiting line of a chat. */
export const approvalSummary = z.object({
  id,
  number: z.number().int(),
  workspaceId: id,
  workspaceName: z.string(),
  runId: id,
  chatId: id.nullable(),
  toolCallId: id,
  tool: z.string(),
  title: z.string(),
  /** Absent: not a change of files, `title` is all there is. */
  subject: approvalSubject.optional(),
  sourceName: z.string().nullable(),
  riskClass: riskClass.nullable(),
  requester: person,
  level: approvalLevel,
  fourEyes: z.boolean(),
  /** APR-8: the run that asked went on; this one is carried out by a run of its own (`runId`). Null: its run waits. */
  stagedFromRunId: id.nullable(),
  /** RUN-18: the run that handed work over to the one that asks, and waits with it. Null: nobody did. */
  parentRunId: id.nullable(),
  /** An input request (APR-9): what the person's text is called; the text becomes the result. Null: an ordinary request. */
  responseLabel: z.string().nullable(),
  /** Of an input: the text is masked, sealed and redacted (APR-10). */
  sensitive: z.boolean(),
  status: requestStatus,
  invalidReason: invalidReason.nullable(),
  stale: z.boolean(),
  allowedByPolicy: z.boolean(),
  createdAt: instant,
  expiresAt: instant.nullable(),
  decidedBy: person.nullable(),
  decidedAt: instant.nullable(),
  decisionReason: z.string().nullable(),
  selfApproval: z.boolean(),
  /** Whether the reader may decide it right now, and why not. */
  decidable: z.boolean(),
  notDecidable: z.enum(["decided", "expired", "four_eyes", "approver_missing", "stale"]).nullable(),
});
export type ApprovalSummary = z.infer<typeof approvalSummary>;

export const previewFile = z.object({
  path: z.string(),
  change: z.enum(["added", "modified", "deleted"]),
  additions: z.number().int(),
  deletions: z.number().int(),
  diff: z.string().nullable(),
  notes: z.array(
    z.enum(["binary", "mode_change", "symlink", "line_endings", "no_final_newline", "ci_configuration", "large"]),
  ),
});
/** What came of trying a change without any effect (APR-20). */
export const rehearsal = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("rehearsed"), at: instant, evidence: z.record(z.string(), z.unknown()) }),
  z.object({ kind: z.literal("none"), why: z.enum(["not_possible", "unreachable"]) }),
]);
export type Rehearsal = z.infer<typeof rehearsal>;

export const preview = z.object({
  title: z.string(),
  kind: z.enum(["diff", "arguments"]),
  files: z.array(previewFile).optional(),
  fields: z.array(z.object({ label: z.string(), value: z.string() })).optional(),
  /** Text: as requests of earlier versions hold it. */
  rehearsal: z.union([z.string(), rehearsal]).optional(),
  predicted: z.record(z.string(), z.unknown()).optional(),
});

export const approvalDetail = approvalSummary.extend({
  snapshotHash: sha256,
  definitionHash: sha256,
  policyVersion: z.number().int(),
  /** The frozen argument bytes, as text. */
  args: z.string(),
  argsBytes: z.number().int(),
  argsHash: sha256,
  /** A sensitive answer stands in it (APR-10): shown and hashed is what is left with it masked; executed is the whole. */
  masked: z.boolean(),
  hiddenCharacters: z.number().int(),
  preview,
  preconditions: z.record(z.string(), z.unknown()),
  explanation,
  /** Writes of this kind are stopped here (POL-13): an approved request waits. */
  stopped: z.boolean(),
  /** What the model said beside the call; unchecked, shown last. */
  modelNote: z.string().nullable(),
  /** What the workspace wants its approvers to read; null: nothing. */
  message: z.string().nullable(),
  executeBefore: instant.nullable(),
  executingAt: instant.nullable(),
  attempt: z.number().int(),
  executedAt: instant.nullable(),
  executedHash: sha256.nullable(),
  reconciled: z.boolean(),
  /** Who said what became of it while that was unknown, and why (RUN-7). */
  settledBy: z.object({ by: person, comment: z.string() }).nullable(),
  result: z.string().nullable(),
  facts: z.record(z.string(), z.unknown()).nullable(),
  /** Of an execution that reported facts: those that were expected, beside what was reported (APR-21). */
  effects: z.array(z.object({ fact: z.string(), predicted: z.unknown(), actual: z.unknown(), same: z.boolean() })),
  /** What was executed, or came of it, is not what was approved: an incident (APR-21). */
  incident: z.boolean(),
  /** What is different at the target (APR-19); written by the tool. */
  staleReason: z.string().nullable(),
  /** The same as a code with facts, where the tool says it so. */
  drift: drift.nullable(),
  /**
   * Why an approval now would end the request instead of executing it, as far as the platform knows by itself (F48): a rule, the
   * tool, its source or the requester changed. Only for those who may decide, who are told on the page; null: nothing is known.
   */
  overtaken: invalidReason.nullable(),
  /** When the target was last looked at; null: not since the request was made. */
  checkedAt: instant.nullable(),
  /** Somebody asked for it to be prepared anew, which is under way. */
  preparing: z.boolean(),
  predecessorId: id.nullable(),
  /** The proposal this one takes the place of, to be seen beside it (APR-19). */
  predecessor: z
    .object({
      id,
      number: z.number().int(),
      args: z.string(),
      preview,
      preconditions: z.record(z.string(), z.unknown()),
      staleReason: z.string().nullable(),
      drift: drift.nullable(),
    })
    .nullable(),
  successorId: id.nullable(),
  /** The other requests of the same turn (RUN-14). */
  siblings: z.array(z.object({ id, number: z.number().int(), title: z.string(), status: requestStatus })),
  votes: z.array(
    z.object({
      by: person,
      vote: z.enum(["approved", "rejected"]),
      at: instant,
      reason: z.string().nullable(),
      channel: z.string(),
      /** False: decided without saying which version had been seen, as only API keys may (APR-13). */
      seenHash: z.boolean(),
      /** Name of the API key it came by. */
      key: z.string().nullable(),
    }),
  ),
  mayRequestAgain: z.boolean(),
});
export type ApprovalDetail = z.infer<typeof approvalDetail>;

export const chatSummary = z.object({
  id,
  title: z.string(),
  createdBy: person,
  createdAt: instant,
  lastActivityAt: instant,
  archivedAt: instant.nullable(),
  mode: chatMode,
  /** What it is answered by (CHT-1); null: what the workspace chose. */
  model: modelChoice,
  /** State of the newest run, for the list. */
  runStatus: runStatus.nullable(),
});
export type ChatSummary = z.infer<typeof chatSummary>;

export const message = z.object({
  id,
  /** `system`: the platform's own, telling the outcome of a staged request (APR-8). */
  role: z.enum(["user", "assistant", "system"]),
  text: z.string(),
  author: person.nullable(),
  runId: id.nullable(),
  /** A message that waits for the run before it (RUN-1). */
  waiting: z.boolean(),
  withheld: z.boolean(),
  /** Of a `system` message: the request it tells of. */
  approvalId: id.nullable(),
  createdAt: instant,
});
export type Message = z.infer<typeof message>;

export const toolCall = z.object({
  id,
  callId: z.string(),
  runId: id,
  step: z.number().int(),
  position: z.number().int(),
  tool: z.string(),
  wireName: z.string(),
  sourceId: id.nullable(),
  sourceName: z.string().nullable(),
  riskClass: riskClass.nullable(),
  args: z.string(),
  status: callStatus,
  result: z.string().nullable(),
  resultBytes: z.number().int(),
  durationMs: z.number().int().nullable(),
  approvalId: id.nullable(),
});
export type ToolCall = z.infer<typeof toolCall>;

/** The whole chat as the page shows it; a reload restores everything from this (CHT-3). */
export const chatDetail = chatSummary.extend({
  workspaceId: id,
  messages: z.array(message),
  runs: z.array(runSummary),
  toolCalls: z.array(toolCall),
  approvals: z.array(approvalSummary),
  questions: z.array(question),
  /** Text the model said between tool calls, by run and step (not part of the answer). */
  notes: z.array(z.object({ runId: id, step: z.number().int(), text: z.string() })),
});
export type ChatDetail = z.infer<typeof chatDetail>;

export const runStep = z.object({
  step: z.number().int(),
  attempt: z.number().int(),
  kind: z.enum(["model", "tools"]).nullable(),
  queueMs: z.number().int().nullable(),
  startedAt: instant,
  endedAt: instant.nullable(),
  outcome: z.string().nullable(),
});
/** A call with what the gate said to it; null while it was not judged. */
export const judgedCall = toolCall.extend({ decision: policyDecision.nullable(), explanation: explanation.nullable() });
export type JudgedCall = z.infer<typeof judgedCall>;

export const runDetail = runSummary.extend({
  pins: z.array(z.object({ sourceId: id, sourceName: z.string(), commit: commitSha.nullable() })),
  /** The settings it started with; version 0: those built in (F63). */
  agent: z.object({ name: z.string(), version: z.number().int() }),
  /** The runs that came from it, oldest first. */
  parts: z.array(z.object({ id, lane: runLane, title: z.string(), status: runStatus })),
  steps: z.array(runStep),
  toolCalls: z.array(judgedCall),
  approvals: z.array(approvalSummary),
  /** Run states over time, for the timeline: waits are drawn as gaps. */
  phases: z.array(z.object({ status: runStatus, at: instant })),
});
export type RunDetail = z.infer<typeof runDetail>;

export const auditEvent = z.object({
  id: z.string(),
  at: instant,
  event: z.string(),
  actor: z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
  objectKind: z.string().nullable(),
  objectId: z.string().nullable(),
  runId: id.nullable(),
  source: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});
export type AuditEvent = z.infer<typeof auditEvent>;

/** A person as platform admins see them (ADM-1). */
export const adminUser = person.extend({
  isPlatformAdmin: z.boolean(),
  isGlobalApprover: z.boolean(),
  teams: z.array(z.object({ id, name: z.string() })),
  /** Set: no sign-in, no session. */
  disabledAt: instant.nullable(),
  /** Set while failed attempts keep the account locked (IDN-2). */
  lockedUntil: instant.nullable(),
  /** The person has a one-time password and has not set an own one yet. */
  mustChangePassword: z.boolean(),
  /** Null: never, or before this was recorded. */
  lastSignInAt: instant.nullable(),
  createdAt: instant,
});
export type AdminUser = z.infer<typeof adminUser>;

/** The one answer that holds a one-time password; it is stored nowhere (IDN-2). */
export const adminUserWithPassword = z.object({ user: adminUser, oneTimePassword: z.string() });
export type AdminUserWithPassword = z.infer<typeof adminUserWithPassword>;

export const adminTeam = z.object({
  id,
  name: z.string(),
  maxParallelRuns: z.number().int(),
  /** People in it, disabled ones not counted. */
  people: z.number().int(),
  createdAt: instant,
});
export type AdminTeam = z.infer<typeof adminTeam>;
