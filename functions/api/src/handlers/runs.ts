import { runEventBody } from "@aiw/contract/events";
import * as approvals from "@aiw/core/approvals";
import * as events from "@aiw/core/events";
import * as runs from "@aiw/core/runs";
import * as workspaces from "@aiw/core/workspaces";
import type { Handlers } from "../http/call.ts";
import { openInboxStream, openRunStream } from "../stream/open.ts";
import { goOn } from "./go-on.ts";

type Names =
  | "listRuns"
  | "getRun"
  | "runEvents"
  | "runEventList"
  | "cancelRun"
  | "resumeRun"
  | "reconcileRun"
  | "inboxEvents";

const MAX_LISTED = 1_000;

export const runHandlers: Pick<Handlers, Names> = {
  listRuns: ({ ctx, query }) => runs.list(ctx, ctx.actor.workspaceId, query),
  getRun: async ({ ctx, params }) => runs.detail(ctx, await workspaces.scopeOf(ctx), params.runId),
  runEvents: openRunStream,
  inboxEvents: openInboxStream,

  runEventList: async ({ ctx, params, query }) => {
    const run = await runs.one(ctx, await workspaces.scopeOf(ctx), params.runId);
    const stored = await events.after(ctx.db, run.workspaceId, run.id, query.after ?? 0, MAX_LISTED);
    const position = await events.position(ctx.db, run.workspaceId, run.id);
    const items = stored.map((event) => ({
      ...runEventBody.parse(JSON.parse(events.toJson(event))),
      seq: event.seq,
      at: event.at.toISOString(),
    }));
    const reached = items.at(-1)?.seq ?? query.after ?? 0;
    return { items, done: position === null || reached >= position.lastSeq };
  },

  cancelRun: async ({ ctx, params, deps }) => {
    const scope = await workspaces.scopeOf(ctx);
    const { workspaceId, teamId, ring, ended } = await runs.cancel(ctx, scope, params.runId);
    if (ended)
      deps.telemetry?.runEnded(params.runId, {
        "aiw.run.status": "cancelled",
        "aiw.workspace.id": workspaceId,
        "aiw.team.id": teamId,
      });
    await goOn(deps, { teamId, runIds: ring }, [params.runId]);
    return runs.one(ctx, scope, params.runId);
  },

  resumeRun: async ({ ctx, params, deps }) => {
    const scope = await workspaces.scopeOf(ctx);
    const { teamId, ring } = await runs.resume(ctx, scope, params.runId);
    await goOn(deps, { teamId, runIds: ring });
    return runs.one(ctx, scope, params.runId);
  },

  reconcileRun: async ({ ctx, params, body, deps }) => {
    const scope = await workspaces.scopeOf(ctx);
    const { teamId, ring } = await approvals.reconcile(
      ctx,
      scope,
      { ...body, runId: params.runId },
      deps.settings.executeWithinS,
      deps.vault,
    );
    await goOn(deps, { teamId, runIds: ring }, [params.runId]);
    return runs.one(ctx, scope, params.runId);
  },
};
