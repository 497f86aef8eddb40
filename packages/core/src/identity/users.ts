import type { Human, System } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { actorOf, requireOperator, scopeOf } from "./operator.ts";
import { readName } from "./names.ts";
import { hashPassword, oneTimePassword } from "./passwords.ts";
import { setTeams } from "./user-teams.ts";

export interface NewUser {
  readonly name: string;
  readonly displayName: string;
  readonly isPlatformAdmin?: boolean;
  readonly isGlobalApprover?: boolean;
  readonly teamIds?: readonly string[];
}

/** Letters, digits and `._@-`, 1 to 80: what can be typed and told apart. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,79}$/;

/**
 * Makes a user with a one-time password, which is in the answer and nowhere else; the first sign-in demands an own one.
 * @throws Problem forbidden | bad_request (name, displayName) | not_found (a team) | name_taken
 */
export async function createUser(
  ctx: Ctx<Human | System>,
  user: NewUser,
): Promise<{ userId: string; oneTimePassword: string }> {
  await requireOperator(ctx);
  if (!NAME.test(user.name)) throw new Problem("bad_request", { fields: { name: "invalid" } });
  const displayName = readName(user.displayName, "displayName");
  const password = oneTimePassword();
  const hashed = await hashPassword(password);
  try {
    return await transaction(ctx.db, scopeOf(ctx), async (tx) => {
      const userId = await insert(tx, { ...user, displayName }, { hash: hashed, mustChange: true });
      const teamIds = await setTeams(tx, userId, user.teamIds ?? []);
      await audit.write(tx, {
        workspaceId: null,
        actor: actorOf(ctx),
        event: "user.created",
        objectKind: "user",
        objectId: userId,
        data: { ...flags(user), teamIds },
      });
      return { userId, oneTimePassword: password };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
    throw error;
  }
}

/**
 * The user of this name; made without a password if missing, so that only a configured demo password opens it.
 * Doing it again changes nothing.
 */
export async function ensureUser(ctx: Ctx<System>, user: NewUser): Promise<string> {
  return transaction(ctx.db, scopeOf(ctx), async (tx) => {
    const [known] = await tx<{ id: string }[]>`select id from users where lower(name) = lower(${user.name})`;
    if (known !== undefined) return known.id;
    const userId = await insert(tx, user, { hash: null, mustChange: false });
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.system,
      event: "user.created",
      objectKind: "user",
      objectId: userId,
      data: flags(user),
    });
    return userId;
  });
}

async function insert(tx: Tx, user: NewUser, password: { hash: string | null; mustChange: boolean }): Promise<string> {
  const [row] = await tx<{ id: string }[]>`
    insert into users (name, display_name, password_hash, must_change_password, is_platform_admin, is_global_approver)
    values (${user.name}, ${user.displayName}, ${password.hash}, ${password.mustChange}, ${user.isPlatformAdmin ?? false},
            ${user.isGlobalApprover ?? false})
    returning id`;
  if (row === undefined) throw new Error("the new user has no id");
  return row.id;
}

const flags = (user: NewUser): { platformAdmin: boolean; globalApprover: boolean } => ({
  platformAdmin: user.isPlatformAdmin ?? false,
  globalApprover: user.isGlobalApprover ?? false,
});

/**
 * Who can sign in with the shared demo password: users without one of their own, by name (IDN-2). For the sign-in page of
 * a demonstration alone; the caller shows it only while such a password is configured.
 */
export async function demoUsers(ctx: Ctx<unknown>): Promise<{ name: string; displayName: string }[]> {
  const rows = await ctx.db.sql<{ name: string; display_name: string }[]>`
    select name, display_name from users where password_hash is null and disabled_at is null order by id limit 20`;
  return rows.map((row) => ({ name: row.name, displayName: row.display_name }));
}
