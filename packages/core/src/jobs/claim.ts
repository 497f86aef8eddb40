import type { System } from "@aiw/contract/actors";
import type { Job } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";

/** A job this process holds until its lease ends. `attempt` is its fence: only the latest attempt may record anything. */
export interface ClaimedJob {
  readonly id: string;
  /** Null: a job of the platform. */
  readonly workspaceId: string | null;
  readonly kind: Job["kind"];
  readonly subjectId: string;
  readonly createdBy: string;
  readonly attempt: number;
}

const MAX_ATTEMPTS = 5;

interface Row {
  readonly id: string;
  readonly workspace_id: string | null;
  readonly kind: Job["kind"];
  readonly subject_id: string;
  readonly created_by: string;
  readonly attempt: number;
  readonly status: Job["status"];
}

/**
 * Takes a job that waits or whose lease ran out, for `leaseS` seconds. Null: there is nothing to do for this message
 * (done, held by somebody, unknown), so it can be dropped. After five attempts the job ends as failed.
 */
export async function claim(ctx: Ctx<System>, jobId: string, leaseS: number): Promise<ClaimedJob | null> {
  const [row] = await transaction(
    ctx.db,
    "unscoped",
    (tx) => tx<Row[]>`
    update jobs set attempt = attempt + 1,
           status = case when attempt < ${MAX_ATTEMPTS} then 'running' else 'failed' end,
           error_code = case when attempt < ${MAX_ATTEMPTS} then null else 'attempts_used_up' end,
           ended_at = case when attempt < ${MAX_ATTEMPTS} then null else aiw_now() end,
           lease_until = aiw_now() + make_interval(secs => ${leaseS})
     where id = ${jobId} and (status = 'queued' or (status = 'running' and lease_until <= aiw_now()))
     returning id, workspace_id, kind, subject_id, created_by, attempt, status`,
  );
  if (row === undefined || row.status !== "running") return null;
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    kind: row.kind,
    subjectId: row.subject_id,
    createdBy: row.created_by,
    attempt: row.attempt,
  };
}
