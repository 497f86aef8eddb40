import type { System } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import type { ClaimedJob } from "./claim.ts";

/** Ends a job; `errorCode` null means it did what it was for. False: a later attempt holds it, nothing changed. */
export async function finish(
  tx: Tx,
  job: ClaimedJob,
  outcome: { readonly errorCode: string | null },
): Promise<boolean> {
  const rows = await tx`
    update jobs set status = ${outcome.errorCode === null ? "done" : "failed"}, error_code = ${outcome.errorCode},
           ended_at = aiw_now(), lease_until = null
     where id = ${job.id} and workspace_id is not distinct from ${job.workspaceId} and attempt = ${job.attempt} and status = 'running' returning id`;
  return rows.length === 1;
}

/** Ends a job that could not do its work; the click can be repeated. */
export function fail(ctx: Ctx<System>, job: ClaimedJob, errorCode: string): Promise<boolean> {
  return transaction(ctx.db, scopeOf(job), (tx) => finish(tx, job, { errorCode }));
}

/** Ends a job and forgets it: what it did stands elsewhere. False: a later attempt holds it, nothing changed. */
export async function drop(tx: Tx, job: ClaimedJob): Promise<boolean> {
  const rows = await tx`
    delete from jobs where id = ${job.id} and workspace_id is not distinct from ${job.workspaceId} and attempt = ${job.attempt}
      and status = 'running' returning id`;
  return rows.length === 1;
}

/** What a transaction of this job may see: its workspace, or as a job of the platform what looks for work sees. */
export const scopeOf = (job: ClaimedJob): { readonly workspaces: readonly string[] } => ({
  workspaces: job.workspaceId === null ? [] : [job.workspaceId],
});
