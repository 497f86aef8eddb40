import { isActive, type RunStatus } from "@aiw/contract/runs";
import { type Database, transaction, type Tx } from "@aiw/platform/db";
import type { StoredEvent } from "../events/read.ts";
import type { SessionLimits } from "../identity/sessions.ts";

/** A reader of a stream: the session it was opened with, and whose it is. */
export interface Reader {
  readonly sessionId: string;
  readonly userId: string;
}

export interface Batch {
  readonly events: readonly StoredEvent[];
  readonly status: RunStatus;
  readonly lastSeq: number;
  /** Sessions among the asked ones that may read this run at the moment of the reading (N6). */
  readonly allowed: ReadonlySet<string>;
}

/**
 * Events of a run after a position, at most `limit`, together with who may still read them: what is sent after a
 * revocation cannot be older than it (N6). Null: the run is gone.
 */
export async function read(
  db: Database,
  from: { readonly workspaceId: string; readonly runId: string; readonly after: number; readonly limit: number },
  readers: readonly Reader[],
  limits: SessionLimits,
): Promise<Batch | null> {
  const { workspaceId, runId, after, limit } = from;
  return transaction(db, { workspaces: [workspaceId] }, async (tx) => {
    const [run, events, sessions] = await Promise.all([
      tx<
        { status: RunStatus; last_seq: number }[]
      >`select status, last_seq from runs where id = ${runId} and workspace_id = ${workspaceId}`,
      tx<
        StoredEvent[]
      >`select seq, type, data, at from run_events where run_id = ${runId} and seq > ${after} order by seq limit ${limit}`,
      membersAmong(tx, workspaceId, readers, limits),
    ]);
    const [row] = run;
    return row === undefined
      ? null
      : { events: [...events], status: row.status, lastSeq: row.last_seq, allowed: sessions };
  });
}

/** A run in a final state tells nothing more, unless somebody resumes it. */
export const isOver = (status: RunStatus): boolean => !isActive(status);

async function membersAmong(
  tx: Tx,
  workspaceId: string,
  readers: readonly Reader[],
  limits: SessionLimits,
): Promise<Set<string>> {
  const rows = await tx<{ id: string }[]>`
    select s.id from sessions s join users u on u.id = s.user_id
      join memberships m on m.user_id = u.id and m.workspace_id = ${workspaceId}
     where s.id = any (${readers.map((reader) => reader.sessionId)}::uuid[]) and s.expires_at > aiw_now() and u.disabled_at is null
       and s.seen_at > aiw_now() - make_interval(secs => ${limits.sessionIdleS})`;
  return new Set(rows.map((row) => row.id));
}

/** Where runs stand: the last seq written, and whether more will come; one query for all of them. */
export async function heads(
  db: Database,
  runs: readonly { readonly runId: string; readonly workspaceId: string }[],
): Promise<ReadonlyMap<string, { lastSeq: number; over: boolean }>> {
  const workspaces = [...new Set(runs.map((run) => run.workspaceId))];
  const rows = await transaction(
    db,
    { workspaces },
    (tx) => tx<{ id: string; status: RunStatus; last_seq: number }[]>`
    select id, status, last_seq from runs where id = any (${runs.map((run) => run.runId)}::uuid[])`,
  );
  return new Map(rows.map((row) => [row.id, { lastSeq: row.last_seq, over: isOver(row.status) }]));
}
