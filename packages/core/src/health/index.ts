import { type Database, transaction } from "@aiw/platform/db";

/** One round trip to the database. Rejects when it cannot be reached. */
export async function reachDatabase(db: Database): Promise<void> {
  await db.sql`select 1`;
}

/** What the newest migration added: they run forward only, so it is there when all before it are (OPS-8). */
export const NEWEST = { table: "approvals", column: "stale_facts" } as const;

/** Rejects when the database is older than this code. */
export async function requireSchema(db: Database): Promise<void> {
  const rows = await db.sql`
    select from pg_attribute where attrelid = to_regclass(${NEWEST.table}) and attname = ${NEWEST.column} and not attisdropped`;
  if (rows.length === 0) throw new Error("the database is not migrated to this version");
}

/** What waits on this installation, for its figures (SEC-9). */
export interface Backlog {
  /** Requests that wait for a person. */
  readonly approvals: number;
  /** Age in seconds of the oldest run that could work and does not; 0: there is none. */
  readonly oldestRunS: number;
}

/** Counts what waits, in one round trip, on a connection that may look for work. */
export async function backlog(db: Database): Promise<Backlog> {
  const [row] = await transaction(
    db,
    "unscoped",
    (tx) => tx<{ approvals: number; oldest: number }[]>`
      select (select count(*)::integer from approvals where status = 'pending') as approvals,
             coalesce(extract(epoch from aiw_now() - min(coalesce(wake_at, queued_at))), 0)::float8 as oldest
        from runs where status = 'queued' and coalesce(wake_at, queued_at) <= aiw_now()`,
  );
  return { approvals: row?.approvals ?? 0, oldestRunS: row?.oldest ?? 0 };
}
