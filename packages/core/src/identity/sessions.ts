import { createHash, randomBytes } from "node:crypto";
import type { Database, Tx } from "@aiw/platform/db";
import type { Visitor } from "./actors.ts";

/** Seconds: a session ends after `sessionIdleS` without a request, and `sessionMaxS` after it began (N14). */
export interface SessionLimits {
  readonly sessionIdleS: number;
  readonly sessionMaxS: number;
}

/** The cookie holds the token, the database only its hash. */
export const hashToken = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Starts a session of a user: 32 random bytes as base64url. */
export async function openSession(tx: Tx, userId: string, limits: SessionLimits): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await tx`
    insert into sessions (user_id, token_hash, expires_at)
    values (${userId}, ${hashToken(token)}, aiw_now() + make_interval(secs => ${limits.sessionMaxS}))`;
  return token;
}

/** Ends the session of this token, if there is one. */
export async function closeSession(tx: Tx, token: string): Promise<{ userId: string } | null> {
  const [row] = await tx<
    { user_id: string }[]
  >`delete from sessions where token_hash = ${hashToken(token)} returning user_id`;
  return row === undefined ? null : { userId: row.user_id };
}

interface Row {
  readonly session_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly display_name: string;
  readonly is_platform_admin: boolean;
  readonly is_global_approver: boolean;
  readonly must_change_password: boolean;
  readonly aged: boolean;
}

/**
 * Who a session token belongs to; null when it is unknown, ended, idle for too long, or its user is disabled (IDN-2).
 * The time of the last request is written at most every 30 s, to keep reads reads.
 */
export async function authenticate(db: Database, token: string, limits: SessionLimits): Promise<Visitor | null> {
  if (!TOKEN.test(token)) return null;
  const [row] = await db.sql<Row[]>`
    select s.id as session_id, u.id as user_id, u.name, u.display_name, u.is_platform_admin, u.is_global_approver,
           u.must_change_password, s.seen_at < aiw_now() - interval '30 seconds' as aged
      from sessions s join users u on u.id = s.user_id
     where s.token_hash = ${hashToken(token)} and s.expires_at > aiw_now()
       and s.seen_at > aiw_now() - make_interval(secs => ${limits.sessionIdleS}) and u.disabled_at is null`;
  if (row === undefined) return null;
  if (row.aged) await db.sql`update sessions set seen_at = aiw_now() where id = ${row.session_id}`;
  return {
    kind: "human",
    userId: row.user_id,
    sessionId: row.session_id,
    name: row.name,
    displayName: row.display_name,
    isPlatformAdmin: row.is_platform_admin,
    isGlobalApprover: row.is_global_approver,
    mustChangePassword: row.must_change_password,
  };
}

/** What a standing session may be told, as the person's flags are now. */
export interface LiveSession {
  readonly isGlobalApprover: boolean;
}

/** Which of these sessions still stand for a person who may be here: not ended, not idle, user not disabled (N6). */
export async function liveSessions(
  tx: Tx,
  sessionIds: readonly string[],
  limits: SessionLimits,
): Promise<ReadonlyMap<string, LiveSession>> {
  const rows = await tx<{ id: string; is_global_approver: boolean }[]>`
    select s.id, u.is_global_approver from sessions s join users u on u.id = s.user_id
     where s.id = any (${[...sessionIds]}::uuid[]) and s.expires_at > aiw_now() and u.disabled_at is null
       and s.seen_at > aiw_now() - make_interval(secs => ${limits.sessionIdleS})`;
  return new Map(rows.map((row) => [row.id, { isGlobalApprover: row.is_global_approver }]));
}
