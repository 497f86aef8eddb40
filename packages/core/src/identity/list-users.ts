import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { AdminUser } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import { badCursor } from "../audit/cursor.ts";
import { requirePlatformAdmin } from "./actors.ts";
import { scopeOf } from "./operator.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly display_name: string;
  readonly is_platform_admin: boolean;
  readonly is_global_approver: boolean;
  readonly teams: { readonly id: string; readonly name: string }[];
  readonly disabled_at: Date | null;
  readonly locked_until: Date | null;
  readonly must_change_password: boolean;
  readonly last_sign_in_at: Date | null;
  readonly created_at: Date;
}

export interface UserQuery {
  /** The id of the last one seen. */
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  /** Part of the name or the display name, whatever its case. */
  readonly search?: string | undefined;
}

/**
 * All people by name, for platform admins (ADM-1). `limit` 1..100, default 50.
 * @throws Problem forbidden | bad_request (cursor)
 */
export async function listUsers(
  ctx: Ctx<Human>,
  query: UserQuery,
): Promise<{ items: AdminUser[]; next: string | null }> {
  await requirePlatformAdmin(ctx);
  const limit = query.limit ?? 50;
  const search = query.search?.replaceAll("\u0000", "").trim() ?? "";
  const pattern = search === "" ? null : `%${search.toWellFormed().replace(/[\\%_]/g, "\\$&")}%`;
  return transaction(ctx.db, scopeOf(ctx), async (tx) => {
    const after = query.cursor === undefined ? null : await nameAt(tx, query.cursor);
    const rows = await tx<Row[]>`
      select ${columns(tx)} from users u
       where (${pattern}::text is null or u.name ilike ${pattern} or u.display_name ilike ${pattern})
         and (${after}::text is null or lower(u.name) > ${after})
       order by lower(u.name) limit ${limit + 1}`;
    const shown = rows.slice(0, limit);
    return { items: shown.map(toView), next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
  });
}

/** One person, for the answer of a change. @throws Problem not_found */
export async function userView(tx: Tx, userId: string): Promise<AdminUser> {
  const [row] = await tx<Row[]>`select ${columns(tx)} from users u where u.id = ${userId}`;
  if (row === undefined) throw new Problem("not_found");
  return toView(row);
}

/** Names are unique whatever their case, so a page goes on behind one. */
async function nameAt(tx: Tx, cursor: string): Promise<string> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cursor)) throw badCursor();
  const [row] = await tx<{ name: string }[]>`select lower(name) as name from users where id = ${cursor}`;
  if (row === undefined) throw badCursor();
  return row.name;
}

const columns = (tx: Tx) => tx`
  u.id, u.name, u.display_name, u.is_platform_admin, u.is_global_approver, u.disabled_at, u.must_change_password,
  u.last_sign_in_at, u.created_at, case when u.locked_until > aiw_now() then u.locked_until end as locked_until,
  (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) order by lower(t.name)), '[]')
     from team_members m join teams t on t.id = m.team_id where m.user_id = u.id) as teams`;

const toView = (row: Row): AdminUser => ({
  id: row.id,
  name: row.name,
  displayName: row.display_name,
  isPlatformAdmin: row.is_platform_admin,
  isGlobalApprover: row.is_global_approver,
  teams: row.teams.map(({ id, name }) => ({ id, name })),
  disabledAt: row.disabled_at?.toISOString() ?? null,
  lockedUntil: row.locked_until?.toISOString() ?? null,
  mustChangePassword: row.must_change_password,
  lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
});
