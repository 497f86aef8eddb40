import { transaction, type Database } from "@aiw/platform/db";
import type { RunStatus } from "@aiw/contract/runs";

export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  /** JSON text of the body without `type`. */
  readonly data: string;
  readonly at: Date;
}

/** Events of a run with `seq > after`, in order, at most `limit`; of a workspace the reader was let into. */
export const after = async (
  db: Database,
  workspaceId: string,
  runId: string,
  position: number,
  limit = 1000,
): Promise<StoredEvent[]> =>
  transaction(
    db,
    { workspaces: [workspaceId] },
    (tx) => tx<StoredEvent[]>`
    select seq, type, data, at from run_events where run_id = ${runId} and seq > ${position} order by seq limit ${limit}`,
  );

/** Where a run stands: its state and the last seq written. Null: no such run in this workspace. */
export const position = async (
  db: Database,
  workspaceId: string,
  runId: string,
): Promise<{ status: RunStatus; lastSeq: number } | null> =>
  transaction(db, { workspaces: [workspaceId] }, async (tx) => {
    const [row] = await tx<
      { status: RunStatus; last_seq: number }[]
    >`select status, last_seq from runs where id = ${runId}`;
    return row === undefined ? null : { status: row.status, lastSeq: row.last_seq };
  });

/** The body of an event as clients read it: `{type, ...data, seq, at}`. */
export const toJson = (event: StoredEvent): string => {
  const body = JSON.parse(event.data) as Record<string, unknown>;
  return JSON.stringify({ type: event.type, ...body, seq: event.seq, at: event.at.toISOString() });
};
