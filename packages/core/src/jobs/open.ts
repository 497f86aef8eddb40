import type { Job } from "@aiw/contract/views";
import type { Tx } from "@aiw/platform/db";
import { type JobRow, toView } from "./view.ts";

export interface NewJob {
  /** Null: a job of the platform. */
  readonly workspaceId: string | null;
  readonly kind: Job["kind"];
  readonly subjectId: string;
  readonly createdBy: string;
}

/** Opens a job, or finds the open one for the same subject: one click, one job. */
export async function open(tx: Tx, job: NewJob): Promise<Job> {
  await tx`
    insert into jobs (workspace_id, kind, subject_id, created_by, rung_at)
    values (${job.workspaceId}, ${job.kind}, ${job.subjectId}, ${job.createdBy}, aiw_now())
    on conflict (workspace_id, kind, subject_id) where status in ('queued', 'running') do nothing`;
  const [row] = await tx<JobRow[]>`
    select id, kind, status, error_code, created_at, ended_at from jobs
     where workspace_id is not distinct from ${job.workspaceId} and kind = ${job.kind} and subject_id = ${job.subjectId}
     order by (status in ('queued', 'running')) desc, id desc limit 1`;
  if (row === undefined) throw new Error("the job is missing");
  return toView(row);
}
