import type { Database } from "@aiw/platform/db";

/** One round trip to the database. Rejects when it cannot be reached. */
export async function reachDatabase(db: Database): Promise<void> {
  await db.sql`select 1`;
}

/** The newest function the code relies on: migrations run forward only, so it is there when all before it are (OPS-8). */
const NEWEST = "approval_checked_v1";

/** Rejects when the database is older than this code. */
export async function requireSchema(db: Database): Promise<void> {
  const rows = await db.sql`select from pg_proc where proname = ${NEWEST}`;
  if (rows.length === 0) throw new Error("the database is not migrated to this version");
}
