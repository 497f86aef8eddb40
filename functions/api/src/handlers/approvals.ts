import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { ResponseOf } from "@aiw/contract/api";
import type { ApprovalDetail } from "@aiw/contract/views";
import * as approvals from "@aiw/core/approvals";
import * as workspaces from "@aiw/core/workspaces";
import type { Ctx } from "@aiw/platform/ctx";
import type { ApiDeps } from "../deps.ts";
import type { Handlers } from "../http/call.ts";
import { goOn } from "./go-on.ts";

type Names = "listApprovals" | "getApproval" | "approve" | "reject" | "requestAgain" | "decide" | "decideMany";

export const approvalHandlers: Pick<Handlers, Names> = {
  listApprovals: async ({ ctx, query }) => approvals.list(ctx, await workspaces.scopeOf(ctx), query),
  getApproval: async ({ ctx, params, deps }) => {
    const scope = await workspaces.scopeOf(ctx);
    const { item, jobId } = await approvals.view(ctx, scope, params.approvalId, deps.vault);
    if (jobId !== null) await deps.ringJob(jobId);
    return item;
  },

  approve: ({ ctx, params, body, deps }) =>
    decide(ctx, deps, {
      approvalId: params.approvalId,
      vote: "approved",
      reason: body.reason ?? null,
      seenHash: body.seenHash,
      response: body.response,
      channel: ctx.actor.key === undefined ? "page" : "api",
    }),

  reject: ({ ctx, params, body, deps }) =>
    decide(ctx, deps, {
      approvalId: params.approvalId,
      vote: "rejected",
      reason: body.reason,
      seenHash: body.seenHash,
      endRun: body.endRun ?? false,
      channel: ctx.actor.key === undefined ? "page" : "api",
    }),

  requestAgain: async ({ ctx, params, deps }) => {
    const scope = await workspaces.scopeOf(ctx);
    await goOnAfter(deps, await approvals.requestAgain(ctx, scope, params.approvalId));
    return approvals.detail(ctx, scope, params.approvalId);
  },

  decide: async ({ ctx, params, body, deps }) => {
    // A person always says what they saw; only keys of services may leave it out (APR-13).
    if (body.seen_hash === undefined && ctx.actor.key === undefined)
      throw new Problem("seen_hash_required", { fields: { seen_hash: "required" } });
    return decide(ctx, deps, {
      approvalId: params.approvalId,
      vote: body.status,
      reason: body.reason ?? null,
      seenHash: body.seen_hash ?? null,
      response: body.response,
      channel: "api",
      workspaceId: params.projectId,
    });
  },

  // N single decisions, each by itself: one that cannot be made stops no other (N38). Their runs go on when all are made, so that
  // the first one does not take the others with it (RUN-14).
  decideMany: async ({ ctx, body, deps }) => {
    const items: ResponseOf<"decideMany">["items"] = [];
    const ready: Decided[] = [];
    const scope = await workspaces.scopeOf(ctx);
    const common = { vote: body.status, reason: body.reason ?? null } as const;
    const channel = ctx.actor.key === undefined ? "page" : "api";
    for (const { approvalId, seenHash } of body.requests) {
      try {
        const decision = { ...common, approvalId, seenHash, channel } as const;
        ready.push(await approvals.decide(ctx, scope, decision, deps.settings.executeWithinS, deps.vault));
        items.push({ approvalId, ok: true, code: null, status: body.status });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (error instanceof approvals.Overtaken) ready.push(error.decided);
        items.push({ approvalId, ok: false, code: error.code, status: null });
      }
    }
    for (const decided of ready) await goOnAfter(deps, decided);
    return { items };
  },
};

async function decide(ctx: Ctx<Human>, deps: ApiDeps, decision: approvals.Decision): Promise<ApprovalDetail> {
  const scope = await workspaces.scopeOf(ctx);
  try {
    await goOnAfter(deps, await approvals.decide(ctx, scope, decision, deps.settings.executeWithinS, deps.vault));
  } catch (error) {
    // The request ended at this click, and its run goes on.
    if (error instanceof approvals.Overtaken) await goOnAfter(deps, error.decided);
    throw error;
  }
  return approvals.detail(ctx, scope, decision.approvalId);
}

type Decided = Awaited<ReturnType<typeof approvals.decide>>;

const goOnAfter = (deps: ApiDeps, { runId, teamId, ring }: Omit<Decided, "workspaceId">): Promise<void> =>
  goOn(deps, { teamId, runIds: ring ? [runId] : [] }, [runId]);
