import { isActive, type RunStatus } from "@aiw/contract/runs";
import { type Database, transaction } from "@aiw/platform/db";
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
  const rows = await db.sql<Row[]>`
    select kind, seq, name, data, at from stream_read_v1(${workspaceId}::uuid, ${runId}::uuid, ${after}, ${limit},
      ${readers.map((reader) => reader.sessionId)}::uuid[], ${limits.sessionIdleS})`;
  const [run] = rows;
  if (run?.kind !== "run") return null;
  const allowed = new Set(readers.map((reader) => reader.sessionId));
  const events: StoredEvent[] = [];
  for (const row of rows) {
    if (row.kind === "event") events.push({ seq: row.seq, type: row.name, data: row.data, at: row.at });
    if (row.kind === "denied") allowed.delete(row.name);
  }
  return { events, status: run.name as RunStatus, lastSeq: run.seq, allowed };
}

/** A row of `stream_read_v1`: the run with its last seq and state, an event, or a session that may not read. */
interface Row {
  readonly kind: "run" | "event" | "denied";
  readonly seq: number;
  readonly name: string;
  readonly data: string;
  readonly at: Date;
}

/** A run in a final state tells nothing more, unless somebody resumes it. */
export const isOver = (status: RunStatus): boolean => !isActive(status);

/** Nothing happens until a person did something; a run that works is queued or running. */
export const isWaiting = (status: RunStatus): boolean =>
  isActive(status) && status !== "queued" && status !== "running";

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
