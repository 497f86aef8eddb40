import { z } from "zod";
import { AGENT_ENDPOINTS } from "./agents.ts";
import { runEventBody } from "./events.ts";
import { GUARDRAIL_ENDPOINTS } from "./guardrails.ts";
import { id, sha256 } from "./ids.ts";
import { MODEL_ENDPOINTS } from "./model-endpoints.ts";
import { modelChoice } from "./models.ts";
import { type ApiScope, KEY_ENDPOINTS } from "./keys.ts";
import { sourceLabels, workspaceCombination } from "./labels.ts";
import { requestStatus } from "./runs.ts";
import { OPERATION_ENDPOINTS } from "./operation.ts";
import { QUESTION_ENDPOINTS } from "./questions.ts";
import { POLICY_ENDPOINTS } from "./policies.ts";
import { mcpPurpose, toolSettingsInput } from "./mcp.ts";
import { approvalLevel, chatMode, policyDecision, riskClass, toolId, writePolicy } from "./tools.ts";
import { UPLOAD_ENDPOINTS } from "./uploads.ts";
import * as v from "./views.ts";
import { saysSomething } from "./text.ts";

/**
 * Every HTTP endpoint: method, path, who, body, answer. functions/api binds each one to a verb and nothing else;
 * the access matrix, the typed client and the API description are made from this table.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Who may call at all (the verb still checks rights on the record):
 * public = anybody; session = signed in; member = member of the workspace in the path, else 404;
 * admin = workspace admin there; platform = platform admin.
 */
export type Access = "public" | "session" | "member" | "admin" | "platform";

export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  /** API keys with this scope may call it; absent: none may (IDN-5). */
  readonly scope?: ApiScope;
  readonly status: number;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Absent: no body (204). "stream": server-sent events. */
  readonly response?: z.ZodType | "stream";
  readonly summary: string;
}
const endpoint = <const E extends Endpoint>(e: E): E => e;

const ws = z.object({ workspaceId: id });
const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullable() });
const page = z.strictObject({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
});
const name = z.string().trim().min(1).max(80);
/** What goes out in a header: printable, without blanks; a pasted line break is no part of it. */
const credential = z
  .string()
  .trim()
  .min(1)
  .max(4000)
  .regex(/^[\x21-\x7e]+$/);
const reason = z.string().trim().max(2000);
/** What a person answers to an input request: kept exactly as it is, so it has to be storable; blank is refused by the verb. */
const response = z
  .string()
  .max(20_000)
  .refine((s) => !s.includes("\u0000") && s.isWellFormed(), "bad_text");
/** Chat text: at most 32,000 characters, storable (no NUL, no lone surrogate). */
const text = z
  .string()
  .min(1)
  .max(32_000)
  .refine(saysSomething, "blank")
  .refine((s) => !s.includes("\u0000") && s.isWellFormed(), "bad_text");

export const ENDPOINTS = {
  // health and identity
  config: endpoint({
    method: "GET",
    path: "/api/config",
    access: "public",
    status: 200,
    response: v.publicConfig,
    summary: "What the sign-in page needs",
  }),
  login: endpoint({
    method: "POST",
    path: "/api/login",
    access: "public",
    status: 200,
    body: z.strictObject({ name: z.string().max(200), password: z.string().max(1024) }),
    response: v.me,
    summary: "Sign in",
  }),
  logout: endpoint({ method: "POST", path: "/api/logout", access: "public", status: 204, summary: "Sign out" }),
  me: endpoint({
    method: "GET",
    path: "/api/me",
    access: "session",
    status: 200,
    response: v.me,
    summary: "Who is signed in",
  }),
  changePassword: endpoint({
    method: "POST",
    path: "/api/me/password",
    access: "session",
    status: 204,
    body: z.strictObject({ current: z.string().max(1024), next: z.string().max(1024) }),
    summary: "Set an own password",
  }),

  // workspaces
  listWorkspaces: endpoint({
    method: "GET",
    path: "/api/workspaces",
    access: "session",
    status: 200,
    response: z.object({ items: z.array(v.workspaceSummary) }),
    summary: "Own and shared workspaces",
  }),
  createWorkspace: endpoint({
    method: "POST",
    path: "/api/workspaces",
    access: "session",
    status: 201,
    body: z.strictObject({ name, description: z.string().trim().max(500).default(""), teamId: id.optional() }),
    response: v.workspaceDetail,
    summary: "Create a workspace; its creator becomes its admin",
  }),
  getWorkspace: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId",
    access: "member",
    status: 200,
    params: ws,
    response: v.workspaceDetail,
    summary: "One workspace",
  }),
  updateWorkspace: endpoint({
    method: "PATCH",
    path: "/api/workspaces/:workspaceId",
    access: "admin",
    status: 200,
    params: ws,
    body: z.strictObject({
      name: name.optional(),
      description: z.string().trim().max(500).optional(),
      writePolicy: writePolicy.optional(),
      approvalTtlS: z.number().int().min(30).max(604_800).optional(),
      maxToolRounds: z.number().int().min(1).max(100).optional(),
    }),
    response: v.workspaceDetail,
    summary: "Change settings",
  }),
  listCandidates: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/candidates",
    access: "admin",
    status: 200,
    params: ws,
    response: z.object({ items: z.array(v.person) }),
    summary: "People of the team who are not members yet",
  }),
  setMember: endpoint({
    method: "PUT",
    path: "/api/workspaces/:workspaceId/members/:userId",
    access: "admin",
    status: 200,
    params: ws.extend({ userId: id }),
    body: z.strictObject({ role: v.memberRole }),
    response: v.workspaceDetail,
    summary: "Add a member or change the role",
  }),
  removeMember: endpoint({
    method: "DELETE",
    path: "/api/workspaces/:workspaceId/members/:userId",
    access: "admin",
    status: 200,
    params: ws.extend({ userId: id }),
    response: v.workspaceDetail,
    summary: "Remove a member",
  }),
  listWorkspaceTools: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/tools",
    access: "member",
    status: 200,
    params: ws,
    response: z.object({ items: z.array(v.workspaceTool) }),
    summary: "Tools, how they are classified and decided here",
  }),
  setWorkspaceTool: endpoint({
    method: "PUT",
    path: "/api/workspaces/:workspaceId/tools/:toolId",
    access: "admin",
    status: 200,
    params: ws.extend({ toolId }),
    body: z.strictObject({ active: z.boolean() }),
    response: v.workspaceTool,
    summary: "Switch a tool on or off for this workspace",
  }),
  listAudit: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/audit",
    access: "admin",
    status: 200,
    params: ws,
    query: page,
    response: list(v.auditEvent),
    summary: "What happened here, newest first",
  }),

  // sources
  listSources: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/sources",
    access: "member",
    status: 200,
    params: ws,
    response: z.object({ items: z.array(v.source) }),
    summary: "Connected sources",
  }),
  createSource: endpoint({
    method: "POST",
    path: "/api/workspaces/:workspaceId/sources",
    access: "admin",
    status: 201,
    params: ws,
    body: z.strictObject({
      kind: z.literal("git"),
      name,
      url: z.string().trim().max(2000),
      branch: z.string().trim().min(1).max(200).nullish(),
      username: z.string().trim().min(1).max(200).nullish(),
      token: credential.nullish(),
      /** SRC-2: the admin confirms that all members may see this data. */
      confirmed: z.boolean(),
    }),
    response: v.source,
    summary: "Connect a source",
  }),
  listAvailableServers: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/mcp-servers",
    access: "admin",
    status: 200,
    params: ws,
    response: z.object({ items: z.array(v.availableServer) }),
    summary: "Registered MCP servers, to be connected here",
  }),
  connectServer: endpoint({
    method: "POST",
    path: "/api/workspaces/:workspaceId/mcp-sources",
    access: "admin",
    status: 201,
    params: ws,
    body: z.strictObject({
      serverId: id,
      name,
      /** Absent: the platform's token for this server, where it has one. */
      token: credential.nullish(),
      confirmed: z.boolean(),
    }),
    response: v.source,
    summary: "Connect a registered MCP server as a source (MCP-1)",
  }),
  getSource: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/sources/:sourceId",
    access: "member",
    status: 200,
    params: ws.extend({ sourceId: id }),
    response: v.source,
    summary: "One source",
  }),
  replaceSecret: endpoint({
    method: "PUT",
    path: "/api/workspaces/:workspaceId/sources/:sourceId/secret",
    access: "admin",
    status: 200,
    params: ws.extend({ sourceId: id }),
    body: z.strictObject({ token: credential, username: z.string().trim().min(1).max(200).nullish() }),
    response: v.source,
    summary: "Replace the credentials",
  }),
  setSourceLabels: endpoint({
    method: "PUT",
    path: "/api/workspaces/:workspaceId/sources/:sourceId/labels",
    access: "admin",
    status: 200,
    params: ws.extend({ sourceId: id }),
    body: z.strictObject(sourceLabels.shape),
    response: v.source,
    summary: "Say what a source is: environment, sensitivity, trust of its content (POL-11)",
  }),
  listCombinations: endpoint({
    method: "GET",
    path: "/api/admin/combinations",
    access: "platform",
    status: 200,
    response: z.object({ items: z.array(workspaceCombination) }),
    summary: "Workspaces with a dangerous combination of sources, and where its block was lifted (POL-11)",
  }),
  liftCombination: endpoint({
    method: "PUT",
    path: "/api/admin/combinations",
    access: "platform",
    status: 200,
    body: z.strictObject({ workspaceId: id, lifted: z.boolean(), reason }),
    response: z.object({ lifted: z.boolean() }),
    summary: "Lift the block of outward tools in a workspace, with a reason (POL-11)",
  }),
  removeSource: endpoint({
    method: "DELETE",
    path: "/api/workspaces/:workspaceId/sources/:sourceId",
    access: "admin",
    status: 204,
    params: ws.extend({ sourceId: id }),
    summary: "Disconnect a source",
  }),
  testSource: endpoint({
    method: "POST",
    path: "/api/workspaces/:workspaceId/sources/:sourceId/test",
    access: "admin",
    status: 202,
    params: ws.extend({ sourceId: id }),
    response: v.job,
    summary: "Test the connection (a job)",
  }),
  getJob: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/jobs/:jobId",
    access: "member",
    status: 200,
    params: ws.extend({ jobId: id }),
    response: v.job,
    summary: "State of a job",
  }),

  ...UPLOAD_ENDPOINTS,

  // chats
  listChats: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/chats",
    access: "member",
    scope: "runs.view",
    status: 200,
    params: ws,
    query: page.extend({ archived: z.enum(["true", "false"]).optional(), search: z.string().max(200).optional() }),
    response: list(v.chatSummary),
    summary: "Chats of a workspace",
  }),
  createChat: endpoint({
    method: "POST",
    path: "/api/workspaces/:workspaceId/chats",
    access: "member",
    scope: "runs.start",
    status: 201,
    params: ws,
    body: z.strictObject({ title: name.optional(), model: modelChoice.optional() }),
    response: v.chatDetail,
    summary: "Start a chat (409 no_tested_source until a source is tested)",
  }),
  getChat: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/chats/:chatId",
    access: "member",
    scope: "runs.view",
    status: 200,
    params: ws.extend({ chatId: id }),
    response: v.chatDetail,
    summary: "A chat with everything the page shows",
  }),
  updateChat: endpoint({
    method: "PATCH",
    path: "/api/workspaces/:workspaceId/chats/:chatId",
    access: "member",
    status: 200,
    params: ws.extend({ chatId: id }),
    body: z.strictObject({
      title: name.optional(),
      archived: z.boolean().optional(),
      mode: chatMode.optional(),
      /** Null: what the workspace chose. */
      model: modelChoice.optional(),
    }),
    response: v.chatSummary,
    summary: "Rename, archive, switch plan mode, choose the model (CHT-1)",
  }),
  sendMessage: endpoint({
    method: "POST",
    path: "/api/workspaces/:workspaceId/chats/:chatId/messages",
    access: "member",
    scope: "runs.start",
    status: 202,
    params: ws.extend({ chatId: id }),
    body: z.strictObject({ id, text }),
    response: z.object({ message: v.message, run: v.runSummary.nullable() }),
    summary: "Send a message; the client makes the id, sending twice is sending once",
  }),

  // runs
  listRuns: endpoint({
    method: "GET",
    path: "/api/workspaces/:workspaceId/runs",
    access: "member",
    scope: "runs.view",
    status: 200,
    params: ws,
    query: page.extend({ group: z.enum(["running", "waiting", "completed", "failed"]).optional() }),
    response: list(v.runSummary),
    summary: "Runs of a workspace",
  }),
  getRun: endpoint({
    method: "GET",
    path: "/api/runs/:runId",
    access: "session",
    scope: "runs.view",
    status: 200,
    params: z.object({ runId: id }),
    response: v.runDetail,
    summary: "A run with its steps",
  }),
  runEvents: endpoint({
    method: "GET",
    path: "/api/runs/:runId/events",
    access: "session",
    status: 200,
    params: z.object({ runId: id }),
    query: z.strictObject({ after: z.string().max(40).optional() }),
    response: "stream",
    summary: "Events of a run as server-sent events; id = seq, honours Last-Event-ID",
  }),
  runEventList: endpoint({
    method: "GET",
    path: "/api/runs/:runId/event-list",
    access: "session",
    scope: "runs.view",
    status: 200,
    params: z.object({ runId: id }),
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional() }),
    response: z.object({
      items: z.array(z.intersection(runEventBody, z.object({ seq: z.number().int(), at: z.string() }))),
      done: z.boolean(),
    }),
    summary: "The same events as JSON, at most 1,000",
  }),
  cancelRun: endpoint({
    method: "POST",
    path: "/api/runs/:runId/cancel",
    access: "session",
    scope: "runs.start",
    status: 200,
    params: z.object({ runId: id }),
    response: v.runSummary,
    summary: "Cancel (starter or workspace admin)",
  }),
  resumeRun: endpoint({
    method: "POST",
    path: "/api/runs/:runId/resume",
    access: "session",
    status: 200,
    params: z.object({ runId: id }),
    response: v.runSummary,
    summary: "Resume a failed run from its history",
  }),
  reconcileRun: endpoint({
    method: "POST",
    path: "/api/runs/:runId/reconcile",
    access: "session",
    status: 200,
    params: z.object({ runId: id }),
    body: z.strictObject({
      approvalId: id,
      outcome: z.enum(["happened", "retry", "end"]),
      comment: z.string().trim().min(1).max(2000).refine(saysSomething, "blank"),
    }),
    response: v.runSummary,
    summary: "Say what became of a write with unknown outcome (workspace admin)",
  }),

  // approvals
  listApprovals: endpoint({
    method: "GET",
    path: "/api/approvals",
    access: "session",
    scope: "approvals.view",
    status: 200,
    query: page.extend({ workspaceId: id.optional(), filter: z.enum(["open", "mine", "done"]).optional() }),
    response: list(v.approvalSummary).extend({ open: z.number().int() }),
    summary: "Requests the reader may see; `open` counts what the reader can decide",
  }),
  getApproval: endpoint({
    method: "GET",
    path: "/api/approvals/:approvalId",
    access: "session",
    scope: "approvals.view",
    status: 200,
    params: z.object({ approvalId: id }),
    response: v.approvalDetail,
    summary: "One request with the real change",
  }),
  approve: endpoint({
    method: "POST",
    path: "/api/approvals/:approvalId/approve",
    access: "session",
    scope: "approvals.decide",
    status: 200,
    params: z.object({ approvalId: id }),
    body: z.strictObject({ seenHash: sha256, reason: reason.optional(), response: response.optional() }),
    response: v.approvalDetail,
    summary: "Approve exactly what was shown; an input request takes the response (APR-9)",
  }),
  reject: endpoint({
    method: "POST",
    path: "/api/approvals/:approvalId/reject",
    access: "session",
    scope: "approvals.decide",
    status: 200,
    params: z.object({ approvalId: id }),
    body: z.strictObject({ seenHash: sha256, reason, endRun: z.boolean().optional() }),
    response: v.approvalDetail,
    summary: "Reject with a reason",
  }),
  decideMany: endpoint({
    method: "POST",
    path: "/api/approvals/decisions",
    access: "session",
    scope: "approvals.decide",
    status: 200,
    body: z.strictObject({
      status: z.enum(["approved", "rejected"]),
      /** Required to reject; the comment of each decision. */
      reason: reason.optional(),
      requests: z
        .array(z.strictObject({ approvalId: id, seenHash: sha256 }))
        .min(1)
        .max(50),
    }),
    response: z.object({
      items: z.array(
        z.object({
          approvalId: id,
          ok: z.boolean(),
          /** Why not, as a problem code; a foreign id is not_found in its place (N38). */
          code: z.string().nullable(),
          status: requestStatus.nullable(),
        }),
      ),
    }),
    summary: "Several single decisions in the given order, with a result for each (APR-15)",
  }),
  requestAgain: endpoint({
    method: "POST",
    path: "/api/approvals/:approvalId/request-again",
    access: "session",
    status: 201,
    params: z.object({ approvalId: id }),
    response: v.approvalDetail,
    summary: "Put forward again: prepared anew against the present state (APR-7, APR-19)",
  }),
  decide: endpoint({
    method: "POST",
    path: "/api/projects/:projectId/approvals/:approvalId/decide",
    access: "session",
    scope: "approvals.decide",
    status: 200,
    params: z.object({ projectId: id, approvalId: id }),
    body: z.strictObject({
      status: z.enum(["approved", "rejected"]),
      response: response.optional(),
      reason: reason.optional(),
      seen_hash: sha256.optional(),
    }),
    response: v.approvalDetail,
    summary: "Decide (project = workspace)",
  }),
  inboxEvents: endpoint({
    method: "GET",
    path: "/api/inbox/events",
    access: "session",
    status: 200,
    response: "stream",
    summary: "Hints for this person: what to fetch anew",
  }),

  // platform administration
  listTools: endpoint({
    method: "GET",
    path: "/api/admin/tools",
    access: "platform",
    status: 200,
    response: z.object({ items: z.array(v.adminTool) }),
    summary: "All tools with their classification",
  }),
  classifyTool: endpoint({
    method: "PUT",
    path: "/api/admin/tools/:toolId/classification",
    access: "platform",
    status: 200,
    params: z.object({ toolId }),
    body: z.strictObject({
      version: z.number().int(),
      definitionHash: sha256,
      riskClass: riskClass.nullable(),
      decision: policyDecision.nullable(),
      level: approvalLevel,
      fourEyes: z.boolean(),
      /** MCP tools alone; absent: those it has. */
      settings: toolSettingsInput.optional(),
    }),
    response: v.adminTool,
    summary: "Classify a tool (POL-4)",
  }),
  ...POLICY_ENDPOINTS,
  ...MODEL_ENDPOINTS,
  ...GUARDRAIL_ENDPOINTS,
  ...AGENT_ENDPOINTS,
  ...KEY_ENDPOINTS,
  ...OPERATION_ENDPOINTS,
  ...QUESTION_ENDPOINTS,
  listMcpServers: endpoint({
    method: "GET",
    path: "/api/admin/mcp-servers",
    access: "platform",
    status: 200,
    response: z.object({ items: z.array(v.mcpServer) }),
    summary: "Registered MCP servers (MCP-1)",
  }),
  registerMcpServer: endpoint({
    method: "POST",
    path: "/api/admin/mcp-servers",
    access: "platform",
    status: 201,
    body: z.strictObject({
      name: z.string().trim().min(1).max(24),
      url: z.string().trim().max(2000),
      purpose: mcpPurpose.default("general"),
      token: credential.nullish(),
    }),
    response: v.mcpServer,
    summary: "Register a server and ask for its tools",
  }),
  fetchMcpTools: endpoint({
    method: "POST",
    path: "/api/admin/mcp-servers/:serverId/fetch",
    access: "platform",
    status: 202,
    params: z.object({ serverId: id }),
    response: v.job,
    summary: "Ask the server for its tools again (a job)",
  }),
  replaceMcpToken: endpoint({
    method: "PUT",
    path: "/api/admin/mcp-servers/:serverId/token",
    access: "platform",
    status: 200,
    params: z.object({ serverId: id }),
    /** Null: none from now on. */
    body: z.strictObject({ token: credential.nullable() }),
    response: v.mcpServer,
    summary: "Replace or drop the platform's token for a server",
  }),
  removeMcpServer: endpoint({
    method: "DELETE",
    path: "/api/admin/mcp-servers/:serverId",
    access: "platform",
    status: 204,
    params: z.object({ serverId: id }),
    summary: "Remove a server: nothing is called there any more",
  }),
  listUsers: endpoint({
    method: "GET",
    path: "/api/admin/users",
    access: "platform",
    status: 200,
    query: page.extend({ search: z.string().max(200).optional() }),
    response: list(v.adminUser),
    summary: "All people, by name (ADM-1)",
  }),
  createUser: endpoint({
    method: "POST",
    path: "/api/admin/users",
    access: "platform",
    status: 201,
    body: z.strictObject({
      name,
      displayName: name,
      teamIds: z.array(id).max(100),
      isPlatformAdmin: z.boolean(),
      isGlobalApprover: z.boolean(),
    }),
    response: v.adminUserWithPassword,
    summary: "Make a user; the one-time password is in this answer alone (IDN-2)",
  }),
  updateUser: endpoint({
    method: "PUT",
    path: "/api/admin/users/:userId",
    access: "platform",
    status: 200,
    params: z.object({ userId: id }),
    body: z.strictObject({
      displayName: name,
      teamIds: z.array(id).max(100),
      isPlatformAdmin: z.boolean(),
      isGlobalApprover: z.boolean(),
    }),
    response: v.adminUser,
    summary: "Change name, teams and flags of a user (409 last_platform_admin)",
  }),
  disableUser: endpoint({
    method: "POST",
    path: "/api/admin/users/:userId/disable",
    access: "platform",
    status: 200,
    params: z.object({ userId: id }),
    response: v.adminUser,
    summary: "Disable a user: sessions and streams end (IDN-0, 409 last_platform_admin)",
  }),
  enableUser: endpoint({
    method: "POST",
    path: "/api/admin/users/:userId/enable",
    access: "platform",
    status: 200,
    params: z.object({ userId: id }),
    response: v.adminUser,
    summary: "Let a disabled user sign in again",
  }),
  resetPassword: endpoint({
    method: "POST",
    path: "/api/admin/users/:userId/reset-password",
    access: "platform",
    status: 200,
    params: z.object({ userId: id }),
    response: v.adminUserWithPassword,
    summary: "New one-time password; unlocks and ends all sessions (IDN-2)",
  }),
  listTeams: endpoint({
    method: "GET",
    path: "/api/admin/teams",
    access: "platform",
    status: 200,
    response: z.object({ items: z.array(v.adminTeam) }),
    summary: "All teams (ADM-1)",
  }),
  createTeam: endpoint({
    method: "POST",
    path: "/api/admin/teams",
    access: "platform",
    status: 201,
    body: z.strictObject({ name, maxParallelRuns: z.number().int().min(1).max(1000) }),
    response: v.adminTeam,
    summary: "Make a team",
  }),
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;
type Def<N extends EndpointName> = (typeof ENDPOINTS)[N];
type In<N extends EndpointName, K extends string> =
  Def<N> extends { readonly [P in K]: infer S extends z.ZodType } ? z.input<S> : undefined;
type Out<N extends EndpointName, K extends string> =
  Def<N> extends { readonly [P in K]: infer S extends z.ZodType } ? z.output<S> : undefined;

/** What a client passes for an endpoint. */
export type RequestOf<N extends EndpointName> = { params: In<N, "params">; query: In<N, "query">; body: In<N, "body"> };
/** What a handler gets after decoding. */
export type DecodedOf<N extends EndpointName> = {
  params: Out<N, "params">;
  query: Out<N, "query">;
  body: Out<N, "body">;
};
/** What the endpoint answers. */
export type ResponseOf<N extends EndpointName> =
  Def<N> extends { readonly response: infer S extends z.ZodType } ? z.output<S> : undefined;
