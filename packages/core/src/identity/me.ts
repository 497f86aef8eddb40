import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Me } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly display_name: string;
  readonly is_platform_admin: boolean;
  readonly is_global_approver: boolean;
  readonly must_change_password: boolean;
}

/** Who is signed in, with the teams a workspace could be made in. */
export function me(ctx: Ctx<Human>): Promise<Me> {
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, (tx) => meOf(tx, userId));
}

export async function meOf(tx: Tx, userId: string): Promise<Me> {
  const [row] = await tx<Row[]>`
    select id, name, display_name, is_platform_admin, is_global_approver, must_change_password from users where id = ${userId}`;
  if (row === undefined) throw new Problem("not_signed_in");
  const teams = await tx<{ id: string; name: string }[]>`
    select t.id, t.name from team_members m join teams t on t.id = m.team_id where m.user_id = ${userId} order by t.name`;
  return {
    id: row.id,
    name: row.name,
    displayName: row.display_name,
    isPlatformAdmin: row.is_platform_admin,
    isGlobalApprover: row.is_global_approver,
    mustChangePassword: row.must_change_password,
    teams: teams.map(({ id, name }) => ({ id, name })),
  };
}
