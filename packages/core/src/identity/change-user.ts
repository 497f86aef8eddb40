import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject } from "@aiw/contract/tools";
import type { AdminUser, AdminUserWithPassword } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { sqlState, transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "./actors.ts";
import { userView } from "./list-users.ts";
import { readName } from "./names.ts";
import { actorOf, type Operator, requireOperator, scopeOf } from "./operator.ts";
import { hashPassword, oneTimePassword } from "./passwords.ts";
import { clearAttempts } from "./sign-in.ts";
import { setTeams, teamsOf } from "./user-teams.ts";
import { createUser, type NewUser } from "./users.ts";

/** Makes a user and answers it as the pages show it; see `createUser`. */
export async function addUser(ctx: Ctx<Human>, user: NewUser): Promise<AdminUserWithPassword> {
  const made = await createUser(ctx, user);
  const view = await transaction(ctx.db, scopeOf(ctx), (tx) => userView(tx, made.userId));
  return { user: view, oneTimePassword: made.oneTimePassword };
}

/**
 * Disables a user: sessions end at once, open streams within seconds (IDN-0). Disabling again changes nothing. Audited.
 * @throws Problem forbidden | not_found | last_platform_admin
 */
export async function disableUser(ctx: Ctx<Operator>, userId: string): Promise<AdminUser> {
  await requireOperator(ctx);
  return keepingAnAdmin(() =>
    transaction(ctx.db, scopeOf(ctx), async (tx) => {
      const before = await lock(tx, userId);
      await tx`delete from sessions where user_id = ${userId}`;
      if (!before.disabled) {
        await tx`update users set disabled_at = aiw_now() where id = ${userId}`;
        await note(tx, ctx, "user.disabled", userId);
      }
      return userView(tx, userId);
    }),
  );
}

/** Lets a disabled user sign in again; enabling again changes nothing. Audited. @throws Problem forbidden | not_found */
export async function enableUser(ctx: Ctx<Operator>, userId: string): Promise<AdminUser> {
  await requireOperator(ctx);
  return transaction(ctx.db, scopeOf(ctx), async (tx) => {
    const before = await lock(tx, userId);
    if (before.disabled) {
      await tx`update users set disabled_at = null where id = ${userId}`;
      await note(tx, ctx, "user.enabled", userId);
    }
    return userView(tx, userId);
  });
}

/**
 * Gives a user a new one-time password, unlocks the account and ends all its sessions (IDN-2). The password is in the
 * answer and nowhere else. A disabled user stays disabled. Audited.
 * @throws Problem forbidden | not_found
 */
export async function resetPassword(ctx: Ctx<Operator>, userId: string): Promise<AdminUserWithPassword> {
  await requireOperator(ctx);
  const password = oneTimePassword();
  const hashed = await hashPassword(password);
  return transaction(ctx.db, scopeOf(ctx), async (tx) => {
    await lock(tx, userId);
    await tx`update users set password_hash = ${hashed}, must_change_password = true where id = ${userId}`;
    await clearAttempts(tx, userId);
    await tx`delete from sessions where user_id = ${userId}`;
    await note(tx, ctx, "user.password_reset", userId);
    return { user: await userView(tx, userId), oneTimePassword: password };
  });
}

export interface UserChange {
  readonly displayName: string;
  readonly isPlatformAdmin: boolean;
  readonly isGlobalApprover: boolean;
  readonly teamIds: readonly string[];
}

/**
 * Sets display name, flags and teams of a user; they hold from the next request on. Audited with old and new values; a change
 * to the present values is none.
 * @throws Problem forbidden | bad_request (displayName) | not_found (user, team) | last_platform_admin
 */
export async function updateUser(ctx: Ctx<Human>, userId: string, change: UserChange): Promise<AdminUser> {
  await requirePlatformAdmin(ctx);
  const displayName = readName(change.displayName, "displayName");
  const { isPlatformAdmin, isGlobalApprover } = change;
  return keepingAnAdmin(() =>
    transaction(ctx.db, scopeOf(ctx), async (tx) => {
      const row = await lock(tx, userId);
      const before = {
        displayName: row.display_name,
        platformAdmin: row.is_platform_admin,
        globalApprover: row.is_global_approver,
        teamIds: await teamsOf(tx, userId),
      };
      const teamIds = await setTeams(tx, userId, change.teamIds);
      const after = { displayName, platformAdmin: isPlatformAdmin, globalApprover: isGlobalApprover, teamIds };
      const data = differences(before, after);
      if (Object.keys(data).length > 0) {
        await tx`
          update users set display_name = ${displayName}, is_platform_admin = ${isPlatformAdmin},
                 is_global_approver = ${isGlobalApprover} where id = ${userId}`;
        await note(tx, ctx, "user.changed", userId, data);
      }
      return userView(tx, userId);
    }),
  );
}

interface Locked {
  readonly disabled: boolean;
  readonly display_name: string;
  readonly is_platform_admin: boolean;
  readonly is_global_approver: boolean;
}

/** Two changes of one user wait for each other. @throws Problem not_found */
async function lock(tx: Tx, userId: string): Promise<Locked> {
  const [row] = await tx<Locked[]>`
    select disabled_at is not null as disabled, display_name, is_platform_admin, is_global_approver
      from users where id = ${userId} for update`;
  if (row === undefined) throw new Problem("not_found");
  return row;
}

/** What `users_keep_admin` raises in the database. */
const LAST_ADMIN = "AIW03";

async function keepingAnAdmin<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (sqlState(error) === LAST_ADMIN) throw new Problem("last_platform_admin", { cause: error });
    throw error;
  }
}

const note = (tx: Tx, ctx: Ctx<Operator>, event: string, userId: string, data: JsonObject = {}): Promise<void> =>
  audit.write(tx, {
    workspaceId: null,
    actor: actorOf(ctx),
    event,
    objectKind: "user",
    objectId: userId,
    ...(ctx.actor.kind === "human" ? { source: "api" } : {}),
    data,
  });

const differences = (before: JsonObject, after: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(after)
      .filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value))
      .map(([key, value]) => [key, { from: before[key] ?? null, to: value }]),
  );
