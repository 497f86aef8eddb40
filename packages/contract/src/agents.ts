import { z } from "zod";
import { id, instant } from "./ids.ts";
import { toolId } from "./tools.ts";

/** Names the platform keeps for tools of its own (AGT-2). */
export const RESERVED_TOOL_NAMES: readonly string[] = [
  "ask_user",
  "load_skill",
  "read_skill_file",
  "update_plan",
  "search_tools",
  "use_tool",
  "bash",
  "run_python",
];

/** The id of the tool that asks for this input: `input.<name>`, a group that no source registers tools under. */
export const INPUT_GROUP = "input";

/** Most tools an agent may have, input tools counted (AGT-2). */
export const MAX_TOOLS = 100;

/** Seconds: 30 s to 7 days (APR-7). */
export const approvalTimeoutS = z.number().int().min(30).max(604_800);

/** How a call that needs a person is put to them (APR-8): the run waits, or it goes on and the call is carried out apart. */
export const approvalMode = z.enum(["pause", "stage"]);
export type ApprovalMode = z.infer<typeof approvalMode>;

const identifier = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/);

export const inputParamType = z.enum(["str", "int", "float", "bool"]);
export type InputParamType = z.infer<typeof inputParamType>;

/** A tool without code: a person's text is its result, exactly (APR-9). */
export const inputTool = z.strictObject({
  name: identifier,
  /** What the model reads; not shown to the person. */
  prompt: z.string().trim().min(1).max(2000),
  /** Names the answer field. */
  label: z.string().trim().min(1).max(120),
  /** All required; extra arguments are refused. */
  params: z.array(z.strictObject({ name: identifier, type: inputParamType })).max(20),
  /** APR-10: masked while typed, encrypted where kept, redacted wherever it is shown, told or logged. */
  sensitive: z.boolean(),
});
export type InputTool = z.infer<typeof inputTool>;

/** A tool whose calls need a person whatever the classification allows; it can only tighten (AGT-3). */
export const gatedTool = z.strictObject({
  tool: toolId,
  /** When it asks (POL-7); null: always. */
  condition: z.string().max(8000).nullable(),
});
export type GatedTool = z.infer<typeof gatedTool>;

/** The `approval:` part of an agent (AGT-1). A version of it is never changed, and a run keeps the one it started with (F63). */
export const agentSettings = z.strictObject({
  mode: approvalMode,
  /** APR-6: what a rejected or expired request does to its run. */
  onRejection: z.enum(["continue", "fail"]),
  /** Null: the workspace's own time. */
  timeoutS: approvalTimeoutS.nullable(),
  /** What the approver reads with each request; empty: nothing. */
  message: z.string().trim().max(500),
  tools: z.array(gatedTool).max(MAX_TOOLS),
  inputs: z.array(inputTool).max(20),
});
export type AgentSettings = z.infer<typeof agentSettings>;

/** What holds where nobody has set anything. */
export const BUILT_IN_AGENT: AgentSettings = {
  mode: "pause",
  onRejection: "continue",
  timeoutS: null,
  message: "",
  tools: [],
  inputs: [],
};

export const agent = z.object({
  name: z.string(),
  /** 0: the built-in settings, nobody has saved any. */
  version: z.number().int(),
  settings: agentSettings,
  changedBy: z.object({ id, name: z.string(), displayName: z.string() }).nullable(),
  changedAt: instant.nullable(),
});
export type Agent = z.infer<typeof agent>;

const ws = z.object({ workspaceId: id });

/** Endpoints about the agent of a workspace; part of the table in `api.ts`. */
export const AGENT_ENDPOINTS = {
  getAgent: {
    method: "GET",
    path: "/api/workspaces/:workspaceId/agent",
    access: "member",
    status: 200,
    params: ws,
    response: agent,
    summary: "How the workspace's agent asks for approvals and inputs",
  },
  saveAgent: {
    method: "PUT",
    path: "/api/workspaces/:workspaceId/agent",
    access: "admin",
    status: 200,
    params: ws,
    body: z.strictObject({ version: z.number().int(), settings: agentSettings }),
    response: agent,
    summary: "Save a new version for runs that start from now on (409 conflict when somebody else did)",
  },
} as const;
