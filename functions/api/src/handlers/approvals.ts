import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { ApprovalDetail } from "@aiw/contract/views";
import * as approvals from "@aiw/core/approvals";
import * as runs from "@aiw/core/runs";
import * as workspaces from "@aiw/core/workspaces";
import type { Ctx } from "@aiw/platform/ctx";
import type { ApiDeps } from "../deps.ts";
import type { Handlers } from "../http/call.ts";
import { goOn } from "./go-on.ts";

type Names = "listApprovals" | "getApproval" | "approve" | "reject" | "requestAgain" | "decide";

export const approvalHandlers: Pick<Handlers, Names> = {
  listApprovals: async ({ ctx, query }) => approvals.list(ctx, await workspaces.scopeOf(ctx), query),
  getApproval: async ({ ctx, params }) => approvals.detail(ctx, await workspaces.scopeOf(ctx), params.approvalId),

  approve: ({ ctx, params, body, deps }) =>
    decide(ctx, deps, {
      approvalId: params.approvalId,
      vote: "approved",
      reason: body.reason ?? null,
      seenHash: body.seenHash,
      channel: "page",
    }),

  reject: ({ ctx, params, body, deps }) =>
    decide(ctx, deps, {
      approvalId: params.approvalId,
      vote: "rejected",
      reason: body.reason,
      seenHash: body.seenHash,
      endRun: body.endRun ?? false,
      channel: "page",
    }),

  requestAgain: async ({ ctx, params, deps }) => {
    const scope = await workspaces.scopeOf(ctx);
    const { runId, teamId } = await approvals.requestAgain(ctx, scope, params.approvalId);
    await goOn(deps, { teamId, runIds: [runId] });
    return runs.one(ctx, scope, runId);
  },

  decide: async ({ ctx, params, body, deps }) => {
    if (body.response !== undefined) throw new Problem("response_not_expected");
    // A person always says what they saw; only keys of services may leave it out (APR-13).
    if (body.seen_hash === undefined) throw new Problem("seen_hash_required", { fields: { seen_hash: "required" } });
    return decide(ctx, deps, {
      approvalId: params.approvalId,
      vote: body.status,
      reason: body.reason ?? null,
      seenHash: body.seen_hash,
      channel: "api",
      workspaceId: params.projectId,
    });
  },
};

async function decide(ctx: Ctx<Human>, deps: ApiDeps, decision: approvals.Decision): Promise<ApprovalDetail> {
  const scope = await workspaces.scopeOf(ctx);
  const { runId, teamId, ring } = await approvals.decide(ctx, scope, decision, deps.settings.executeWithinS);
  await goOn(deps, { teamId, runIds: ring ? [runId] : [] }, [runId]);
  return approvals.detail(ctx, scope, decision.approvalId);
}
