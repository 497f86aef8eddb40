import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Job } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { inWorkspace } from "../identity/scope.ts";

export interface JobRow {
  readonly id: string;
  readonly kind: Job["kind"];
  readonly status: Job["status"];
  readonly error_code: string | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

export const toView = (row: JobRow): Job => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  errorCode: row.error_code,
  createdAt: row.created_at.toISOString(),
  endedAt: row.ended_at?.toISOString() ?? null,
});

/** State of a job, for every member of its workspace. @throws Problem not_found */
export async function get(ctx: Ctx<Member>, jobId: string): Promise<Job> {
  const [row] = await inWorkspace(
    ctx,
    (tx) => tx<JobRow[]>`
    select id, kind, status, error_code, created_at, ended_at from jobs
     where id = ${jobId} and workspace_id = ${ctx.actor.workspaceId}`,
  );
  if (row === undefined) throw new Problem("not_found");
  return toView(row);
}
