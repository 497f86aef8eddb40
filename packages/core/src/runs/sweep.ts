import { transaction, type Database } from "@aiw/platform/db";
import type { RunStatus } from "@aiw/contract/runs";
import { fp } from "@aiw/platform/fault";

export interface Recovered {
  readonly runId: string;
  readonly teamId: string;
  /** What is ready now: the run itself, or the next one of its chat. */
  readonly ring: string | null;
  /** What it is now; `failed` and `cancelled`: it ended by this. */
  readonly status: RunStatus;
}

/** Runs whose lease ran out: each in a transaction of its own, so that one failure stops no other (RUN-5, RUN-6). */
export const recoverLeases = async (
  db: Database,
  maxAttempts: number,
): Promise<{ seen: number; recovered: Recovered[]; failures: number }> => {
  const due = await fp(
    "recover.pick",
    async () => db.sql<{ id: string }[]>`
    select id from runs where status = 'running' and lease_until < (select aiw_now()) order by lease_until limit 500`,
  );
  const recovered: Recovered[] = [];
  let failures = 0;
  for (const { id } of due) {
    try {
      const [row] = await fp("recover.tx", () =>
        transaction(
          db,
          "unscoped",
          (tx) => tx<{ outcome: RunStatus | "none"; team_id: string; ring: string | null }[]>`
          select outcome, team_id, ring from run_recover_v1(${id}::uuid, ${maxAttempts})`,
        ),
      );
      if (row !== undefined && row.outcome !== "none")
        recovered.push({ runId: id, teamId: row.team_id, ring: row.ring, status: row.outcome });
    } catch {
      failures += 1;
    }
  }
  return { seen: due.length, recovered, failures };
};

/** The runs whose doorbell may be lost (RUN-5), marked as rung; at most 500. */
export const ringDue = async (db: Database, graceS: number): Promise<{ runId: string; teamId: string }[]> =>
  transaction(db, "unscoped", async (tx) => {
    const rows = await tx<
      { run_id: string; team_id: string }[]
    >`select run_id, team_id from runs_ring_due_v1(${graceS}::integer, 500)`;
    return rows.map((r) => ({ runId: r.run_id, teamId: r.team_id }));
  });

/** The runs that waited for the stop switch and may go on (POL-13), queued again; at most 500. */
export const releaseHeld = async (db: Database): Promise<{ runId: string; teamId: string }[]> =>
  transaction(db, "unscoped", async (tx) => {
    const rows = await tx<{ run_id: string; team_id: string }[]>`select run_id, team_id from runs_release_held_v1(500)`;
    return rows.map((r) => ({ runId: r.run_id, teamId: r.team_id }));
  });
