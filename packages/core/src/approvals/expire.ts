import type { Database } from "@aiw/platform/db";
import { fp } from "@aiw/platform/fault";

export interface Expired {
  readonly runId: string;
  readonly teamId: string;
}

/**
 * APR-7: publishes expiries, each in a transaction of its own and once, however many sweepers run. The clock had decided
 * them before (APR-4). Returns the runs to ring.
 */
export const expireDue = async (db: Database): Promise<{ seen: number; expired: Expired[]; failures: number }> => {
  const due = await fp(
    "expire.pick",
    async () => db.sql<{ id: string; run_id: string }[]>`
    select id, run_id from approvals where status = 'pending' and expires_at <= (select aiw_now()) order by expires_at limit 500`,
  );
  const expired: Expired[] = [];
  let failures = 0;
  for (const { id, run_id: runId } of due) {
    try {
      const teamId = await fp("expire.tx", () => expireOne(db, id, runId));
      if (teamId !== null) expired.push({ runId, teamId });
    } catch {
      failures += 1;
    }
  }
  return { seen: due.length, expired, failures };
};

/** The team of the run that goes on; null when somebody else was faster. One round trip: many may be due at once. */
const expireOne = async (db: Database, id: string, runId: string): Promise<string | null> => {
  const [row] = await db.sql<{ done: boolean; team_id: string | null }[]>`
    select e.done, r.team_id from approval_expire_v1(${id}::uuid) as e (done) left join runs r on r.id = ${runId}`;
  return row?.done === true ? row.team_id : null;
};
