import type { System } from "@aiw/contract/actors";
import type { Job } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";

/** A job this process holds until its lease ends. `attempt` is its fence: only the latest attempt may record anything. */
export interface ClaimedJob<K extends Job["kind"] = Job["kind"]> {
  readonly id: string;
  /** Null: a job of the platform. */
  readonly workspaceId: string | null;
  readonly kind: K;
  readonly subjectId: string;
  readonly createdBy: string;
  readonly attempt: number;
}

/** Jobs by the function that does them; each has its own queue. */
export const JOB_KINDS = {
  jobs: ["source_test", "tool_discovery", "model_test", "model_import", "approval_check"],
  ingest: ["upload_import", "upload_removal"],
} as const satisfies Readonly<Record<string, readonly Job["kind"][]>>;

const MAX_ATTEMPTS = 5;

interface Row<K> {
  readonly id: string;
  readonly workspace_id: string | null;
  readonly kind: K;
  readonly subject_id: string;
  readonly created_by: string;
  readonly attempt: number;
  readonly status: Job["status"];
}

/**
 * Takes a job that waits or whose lease ran out, for `leaseS` seconds. Null: there is nothing to do for this message
 * (done, held by somebody, unknown, not due, of another function), so it can be dropped. After five attempts the job ends as failed.
 */
export async function claim<K extends Job["kind"]>(
  ctx: Ctx<System>,
  jobId: string,
  leaseS: number,
  kinds: readonly K[],
): Promise<ClaimedJob<K> | null> {
  const [row] = await transaction(
    ctx.db,
    "unscoped",
    (tx) => tx<Row<K>[]>`
    update jobs set attempt = attempt + 1,
           status = case when attempt < ${MAX_ATTEMPTS} then 'running' else 'failed' end,
           error_code = case when attempt < ${MAX_ATTEMPTS} then null else 'attempts_used_up' end,
           ended_at = case when attempt < ${MAX_ATTEMPTS} then null else aiw_now() end,
           lease_until = aiw_now() + make_interval(secs => ${leaseS})
     where id = ${jobId} and kind = any(${[...kinds]}) and coalesce(due_at, created_at) <= aiw_now() and (status = 'queued' or (status = 'running' and lease_until <= aiw_now()))
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
