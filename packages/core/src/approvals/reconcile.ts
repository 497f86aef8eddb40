import { Problem } from "@aiw/contract/problem";
import type { Human } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import { fp } from "@aiw/platform/fault";
import { hidingOf } from "./hide.ts";
import type { Opener } from "./sealed.ts";

export interface Reconciliation {
  readonly runId: string;
  readonly approvalId: string;
  /** What the person found at the target: it happened; it did not, try again; end the run (RUN-7). */
  readonly outcome: "happened" | "retry" | "end";
  readonly comment: string;
}

interface Reconciled {
  readonly workspaceId: string;
  readonly teamId: string;
  readonly ring: readonly string[];
}

/**
 * RUN-7, RUN-22: a workspace admin says what became of a write whose outcome is unknown. Only this lets a second call
 * happen. Throws not_found, forbidden, run_not_reconcilable.
 */
export const reconcile = async (
  ctx: Ctx<Human>,
  scope: readonly string[],
  input: Reconciliation,
  executeWithinS: number,
  vault: Opener,
): Promise<Reconciled> => fp("reconcile.tx", () => settle(ctx, scope, input, executeWithinS, vault));

const settle = async (
  ctx: Ctx<Human>,
  scope: readonly string[],
  input: Reconciliation,
  executeWithinS: number,
  vault: Opener,
): Promise<Reconciled> =>
  transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
    const [run] = await tx<{ workspace_id: string; team_id: string; status: string; role: string | null }[]>`
      select r.workspace_id, r.team_id, r.status,
             (select m.role from memberships m where m.workspace_id = r.workspace_id and m.user_id = ${ctx.actor.userId}) as role
        from runs r where r.id = ${input.runId} for update of r`;
    if (run === undefined || run.role === null) throw new Problem("not_found");
    if (run.role !== "admin") throw new Problem("forbidden");
    const [approval] = await tx<{ tool_call_id: string; status: string }[]>`
      select tool_call_id, status from approvals where id = ${input.approvalId} and run_id = ${input.runId} for update`;
    if (approval === undefined) throw new Problem("not_found");
    if (run.status !== "needs_reconciliation" || approval.status !== "unknown")
      throw new Problem("run_not_reconcilable");
    const comment = (await hidingOf(tx, vault, input.runId))(input.comment);
    const status = { happened: "executed", retry: "approved", end: "failed" }[input.outcome];
    const callStatus = { happened: "executed", retry: "waiting", end: "failed" }[input.outcome];
    const result = input.outcome === "happened" ? `A person confirmed that the change took effect: ${comment}` : null;
    await tx`
      update approvals set status = ${status}, reconciled = ${input.outcome === "happened"}, reconciled_by = ${ctx.actor.userId},
             reconcile_comment = ${comment}, result = coalesce(${result}, result), executed_hash = case when ${status} = 'executed' then snapshot_hash end,
             execute_before = case when ${status} = 'approved' then aiw_now() + make_interval(secs => ${executeWithinS}::integer) else execute_before end,
             ended_at = case when ${status} = 'approved' then null else aiw_now() end
        where id = ${input.approvalId}`;
    await tx`update tool_calls set status = ${callStatus}, result = coalesce(${result}, result), ended_at = case when ${callStatus} = 'waiting' then null else aiw_now() end
      where id = ${approval.tool_call_id}`;
    await tx`insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
      values (${run.workspace_id}, 'human', ${ctx.actor.userId}, 'run.reconciled', 'approval', ${input.approvalId}, ${input.runId}, 'approval',
              ${tx.json({ outcome: input.outcome, comment })})`;
    await tx`select approval_tell_v1(${input.approvalId}::uuid, ${ctx.actor.displayName}, ${comment})`;
    if (callStatus !== "waiting") await tx`select call_tell_v1(${approval.tool_call_id}::uuid)`;
    const facts = { workspaceId: run.workspace_id, teamId: run.team_id };
    if (input.outcome === "end") {
      // Two statements: what the first one writes belongs to the row that the second one changes.
      const [closed] = await tx<{ seq: number }[]>`
        select run_close_v1(id, workspace_id, last_seq, 'Not carried out: the run was ended.') as seq from runs where id = ${input.runId}`;
      if (closed === undefined) throw new Problem("internal");
      await tx`update runs set status = 'failed', last_seq = ${closed.seq}, error_code = 'ended_by_person', error_text = ${comment} where id = ${input.runId}`;
      const [next] = await tx<{ id: string | null }[]>`select run_ended_v1(${input.runId}::uuid) as id`;
      return { ...facts, ring: [next?.id ?? []].flat() };
    }
    const [open] = await tx`select 1 from approvals where run_id = ${input.runId} and status = 'unknown'`;
    if (open !== undefined) return { ...facts, ring: [] };
    await tx`update runs set status = 'queued' where id = ${input.runId}`;
    return { ...facts, ring: [input.runId] };
  });
