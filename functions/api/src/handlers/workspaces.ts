import * as audit from "@aiw/core/audit";
import * as tools from "@aiw/core/tools";
import * as workspaces from "@aiw/core/workspaces";
import type { Handlers } from "../http/call.ts";

type Names =
  | "listWorkspaces"
  | "createWorkspace"
  | "getWorkspace"
  | "updateWorkspace"
  | "listCandidates"
  | "setMember"
  | "removeMember"
  | "listWorkspaceTools"
  | "setWorkspaceTool"
  | "listAudit"
  | "listTools"
  | "classifyTool";

export const workspaceHandlers: Pick<Handlers, Names> = {
  listWorkspaces: async ({ ctx }) => ({ items: await workspaces.list(ctx) }),
  createWorkspace: ({ ctx, body, deps }) => workspaces.create(ctx, body, deps.settings),
  getWorkspace: ({ ctx }) => workspaces.get(ctx),
  updateWorkspace: ({ ctx, body, deps }) =>
    workspaces.update(ctx, body, { maxToolRounds: deps.settings.maxToolRoundsLimit }),
  listCandidates: async ({ ctx }) => ({ items: await workspaces.candidates(ctx) }),
  setMember: ({ ctx, params, body }) => workspaces.setMember(ctx, params.userId, body.role),
  removeMember: ({ ctx, params }) => workspaces.removeMember(ctx, params.userId),
  listWorkspaceTools: async ({ ctx }) => ({ items: await tools.list(ctx) }),
  setWorkspaceTool: ({ ctx, params, body }) => tools.setActive(ctx, params.toolId, body.active),
  listAudit: ({ ctx, query }) => audit.list(ctx, query),
  listTools: async ({ ctx }) => ({ items: await tools.adminList(ctx) }),
  classifyTool: ({ ctx, params, body }) => tools.classify(ctx, params.toolId, body),
};
