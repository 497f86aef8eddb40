import { type Database, transaction } from "@aiw/platform/db";
import { liveSessions, type SessionLimits } from "../identity/sessions.ts";
import type { Reader } from "./read.ts";

/** What a reader may be told of at this moment. */
export interface Standing {
  readonly workspaces: ReadonlySet<string>;
  readonly isGlobalApprover: boolean;
}

/** Which of these people are still signed in, and what each may be told of now; by session id (N6). */
export async function memberships(
  db: Database,
  readers: readonly Reader[],
  limits: SessionLimits,
): Promise<ReadonlyMap<string, Standing>> {
  const live = await transaction(db, { workspaces: [] }, (tx) =>
    liveSessions(
      tx,
      readers.map((reader) => reader.sessionId),
      limits,
    ),
  );
  const byUser = new Map<string, ReadonlySet<string>>();
  const found = new Map<string, Standing>();
  for (const reader of readers) {
    const session = live.get(reader.sessionId);
    if (session === undefined) continue;
    const known = byUser.get(reader.userId) ?? (await workspacesOf(db, reader.userId));
    byUser.set(reader.userId, known);
    found.set(reader.sessionId, { workspaces: known, isGlobalApprover: session.isGlobalApprover });
  }
  return found;
}

async function workspacesOf(db: Database, userId: string): Promise<ReadonlySet<string>> {
  const rows = await transaction(
    db,
    { workspaces: [], userId },
    (tx) => tx<{ workspace_id: string }[]>`
    select workspace_id from memberships where user_id = ${userId}`,
  );
  return new Set(rows.map((row) => row.workspace_id));
}

/** What people see of a run in lists: two equal ones need no new look. */
export interface RunMark {
  readonly runId: string;
  readonly workspaceId: string;
  readonly status: string;
  /** The states of its requests, in order. */
  readonly approvals: string;
}

/** The marks of these runs, as far as they lie in the given workspaces. */
export async function marks(
  db: Database,
  workspaces: readonly string[],
  runIds: readonly string[],
): Promise<RunMark[]> {
  const rows = await transaction(
    db,
    { workspaces },
    (tx) => tx<{ id: string; workspace_id: string; status: string; approvals: string }[]>`
    select r.id, r.workspace_id, r.status,
           coalesce((select string_agg(a.status || case when a.stale_at is null then '' else '!' end, ',' order by a.id) from approvals a where a.run_id = r.id), '') as approvals
      from runs r where r.id = any (${[...runIds]}::uuid[])`,
  );
  return rows.map((row) => ({
    runId: row.id,
    workspaceId: row.workspace_id,
    status: row.status,
    approvals: row.approvals,
  }));
}

/** The states of requests for global approvers in these runs, as one of them sees them: by run id. */
export async function globalMarks(
  db: Database,
  approverId: string,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await transaction(
    db,
    { workspaces: [], userId: approverId },
    (tx) => tx<{ run_id: string; approvals: string }[]>`
    select run_id, string_agg(status || case when stale_at is null then '' else '!' end, ',' order by id) as approvals from approvals
     where run_id = any (${[...runIds]}::uuid[]) and level = 'global_approver' group by run_id`,
  );
  return new Map(rows.map((row) => [row.run_id, row.approvals]));
}
