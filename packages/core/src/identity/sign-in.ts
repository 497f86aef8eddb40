import { Problem } from "@aiw/contract/problem";
import type { Me } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { meOf } from "./me.ts";
import { matches, pretendToMatch, sameSecret } from "./passwords.ts";
import { closeSession, openSession, type SessionLimits } from "./sessions.ts";
import type { Strangers } from "./strangers.ts";

export interface SignInConfig extends SessionLimits {
  /** Opens accounts without a password of their own while it is configured (IDN-2); development only. */
  readonly demoPassword?: string | undefined;
  readonly strangers: Strangers;
}

interface Account {
  readonly id: string;
  readonly name: string;
  readonly password_hash: string | null;
  readonly disabled: boolean;
}

const none = { workspaces: [] } as const;

/**
 * Signs a person in and starts a new session; the one the browser came with ends (N13). The same answer, in the same
 * time, for a wrong password, an unknown name and a disabled user (N17).
 * @throws Problem wrong_credentials | account_locked (5 failures lock for 15 minutes, N16)
 */
export async function signIn(
  ctx: Ctx<unknown>,
  input: { readonly name: string; readonly password: string; readonly previousToken?: string | undefined },
  config: SignInConfig,
): Promise<{ token: string; me: Me }> {
  const name = input.name.trim();
  const account = await findAccount(ctx, name);
  if (account === undefined) {
    const locked = config.strangers.attempt(name);
    if (!locked) await pretendToMatch(input.password);
    return refuse(ctx, null, locked);
  }
  if (!(await reserveAttempt(ctx, account.id))) return refuse(ctx, account.id, true);
  const right = await isRight(account, input.password, config.demoPassword);
  if (!right || account.disabled) return refuse(ctx, account.id, false);

  return transaction(ctx.db, none, async (tx) => {
    await clearAttempts(tx, account.id);
    await tx`update users set last_sign_in_at = aiw_now() where id = ${account.id}`;
    if (input.previousToken !== undefined) await closeSession(tx, input.previousToken);
    const token = await openSession(tx, account.id, config);
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.human(account.id),
      event: "login.succeeded",
      source: "api",
    });
    return { token, me: await meOf(tx, account.id) };
  });
}

async function findAccount(ctx: Ctx<unknown>, name: string): Promise<Account | undefined> {
  if (name.includes("\u0000")) return undefined;
  const [row] = await ctx.db.sql<Account[]>`
    select id, name, password_hash, disabled_at is not null as disabled from users where lower(name) = lower(${name})`;
  return row;
}

/** Whether the password opens the account; takes as long for one without a password. */
export async function isRight(
  account: { readonly password_hash: string | null },
  password: string,
  demoPassword: string | undefined,
): Promise<boolean> {
  if (account.password_hash !== null) return matches(account.password_hash, password);
  await pretendToMatch(password);
  return demoPassword !== undefined && sameSecret(password, demoPassword);
}

/**
 * Counts the attempt before the password is looked at, in one statement: however many arrive at once, at most five
 * passwords are checked until one is right (N16). False: the account is locked.
 */
export async function reserveAttempt(ctx: Ctx<unknown>, userId: string): Promise<boolean> {
  const rows = await ctx.db.sql`
    update users set
      failed_logins = case when locked_until is null then failed_logins else 0 end + 1,
      locked_until = case when (case when locked_until is null then failed_logins else 0 end) + 1 >= 5
                          then aiw_now() + interval '15 minutes' end
     where id = ${userId} and (locked_until is null or locked_until <= aiw_now())
     returning id`;
  return rows.length === 1;
}

export async function clearAttempts(tx: Tx, userId: string): Promise<void> {
  await tx`update users set failed_logins = 0, locked_until = null where id = ${userId}`;
}

async function refuse(ctx: Ctx<unknown>, userId: string | null, locked: boolean): Promise<never> {
  await transaction(ctx.db, none, (tx) =>
    audit.write(tx, {
      workspaceId: null,
      // What was typed as a name is not written down: it may be a password in the wrong field.
      actor: { kind: "human", id: userId },
      event: "login.failed",
      source: "api",
      data: { reason: locked ? "locked" : userId === null ? "unknown" : "wrong" },
    }),
  );
  throw new Problem(locked ? "account_locked" : "wrong_credentials");
}
