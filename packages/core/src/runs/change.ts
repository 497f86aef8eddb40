import { Problem } from "@aiw/contract/problem";
import type { Human } from "@aiw/contract/actors";
import type { RunStatus } from "@aiw/contract/runs";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import { fp } from "@aiw/platform/fault";

interface Facts {
  readonly workspaceId: string;
  readonly teamId: string;
  readonly ring: readonly string[];
}

interface Cancelled extends Facts {
  /** It ended by this; false: it ends at its next safe point, or had ended so before. */
  readonly ended: boolean;
}

/** RUN-22: the starter or an admin of the workspace; anybody else of the workspace is told so, strangers see nothing. */
const assertMayChange = async (
  tx: Tx,
  ctx: Ctx<Human>,
  runId: string,
): Promise<{ workspaceId: string; teamId: string; status: RunStatus }> => {
  const [run] = await tx<
    { workspace_id: string; team_id: string; started_by: string; status: RunStatus; role: string | null }[]
  >`
    select r.workspace_id, r.team_id, r.started_by, r.status, m.role from runs r
      left join memberships m on m.workspace_id = r.workspace_id and m.user_id = ${ctx.actor.userId} where r.id = ${runId}`;
  if (run === undefined || run.role === null) throw new Problem("not_found");
  if (run.started_by !== ctx.actor.userId && run.role !== "admin") throw new Problem("forbidden");
  return { workspaceId: run.workspace_id, teamId: run.team_id, status: run.status };
};

/** RUN-8: cancels at once what waits; what runs stops at its next safe point. Repeating it changes nothing. */
export const cancel = async (ctx: Ctx<Human>, scope: readonly string[], runId: string): Promise<Cancelled> =>
  fp("cancel.tx", () =>
    transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
      const facts = await assertMayChange(tx, ctx, runId);
      const [row] = await tx<
        { outcome: string; started: string | null }[]
      >`select outcome, started from run_cancel_v1(${runId}::uuid, ${ctx.actor.userId}::uuid)`;
      if (row === undefined || row.outcome === "none") throw new Problem("not_found");
      if (row.outcome === "not_cancellable") throw new Problem("run_not_cancellable");
      const ended = row.outcome === "cancelled" && facts.status !== "cancelled";
      return { ...facts, ring: row.started === null ? [] : [row.started], ended };
    }),
  );

/**
 * RUN-9: a failed run goes on from its history; calls that have their outcome are never made again. A run that was for one
 * staged call, or for another run, has told its end already and stays where it is.
 */
export const resume = async (ctx: Ctx<Human>, scope: readonly string[], runId: string): Promise<Facts> =>
  fp("resume.tx", () =>
    transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
      const facts = await assertMayChange(tx, ctx, runId);
      const [busy] =
        await tx`select 1 from runs r join runs o on o.chat_id = r.chat_id and o.id <> r.id where r.id = ${runId}
      and o.status in ('queued', 'running', 'waiting_approval', 'waiting_input', 'needs_reconciliation')`;
      if (busy !== undefined) throw new Problem("run_not_resumable", { params: { why: "chat_busy" } });
      const rows =
        await tx`update runs set status = 'queued' where id = ${runId} and status = 'failed' and lane = 'chat' returning id`;
      if (rows.length === 0) throw new Problem("run_not_resumable");
      return { ...facts, ring: [runId] };
    }),
  );
