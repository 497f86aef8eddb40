import type { Job } from "@aiw/contract/views";
import { type Database, transaction } from "@aiw/platform/db";

export interface DueJob {
  readonly id: string;
  readonly kind: Job["kind"];
}

/**
 * Jobs whose doorbell may be lost: waiting without one for `graceS` seconds, or held by a process that died (RUN-5).
 * Marks them rung; at most 500. For the sweeper, on a connection that may look for work.
 */
export async function ringDue(db: Database, graceS: number): Promise<DueJob[]> {
  const rows = await transaction(
    db,
    "unscoped",
    (tx) => tx<DueJob[]>`
    update jobs set rung_at = aiw_now()
     where id in (select id from jobs
                   where (status = 'queued' or (status = 'running' and lease_until <= aiw_now()))
                     and coalesce(rung_at, due_at, created_at) <= aiw_now() - make_interval(secs => ${graceS})
                   order by created_at limit 500 for update skip locked)
     returning id, kind`,
  );
  return [...rows];
}
