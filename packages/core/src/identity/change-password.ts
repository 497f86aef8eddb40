import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { checkStrength, hashPassword } from "./passwords.ts";
import { closeSession, openSession } from "./sessions.ts";
import { clearAttempts, isRight, reserveAttempt, type SignInConfig } from "./sign-in.ts";

/**
 * Sets an own password (IDN-2). All sessions of the person end; the answer is the token of the new one (N13, N14).
 * Wrong guesses at the current password count like failed sign-ins.
 * @throws Problem wrong_credentials | account_locked | password_too_weak
 */
export async function changePassword(
  ctx: Ctx<Human>,
  input: { readonly current: string; readonly next: string },
  config: SignInConfig,
): Promise<{ token: string }> {
  const { userId, name } = ctx.actor;
  checkStrength(input.next, name);
  const [account] = await ctx.db.sql<
    { password_hash: string | null }[]
  >`select password_hash from users where id = ${userId}`;
  if (account === undefined) throw new Problem("not_signed_in");
  if (!(await reserveAttempt(ctx, userId))) throw new Problem("account_locked");
  if (!(await isRight(account, input.current, config.demoPassword))) {
    throw new Problem("wrong_credentials", { fields: { current: "wrong" } });
  }
  if (input.next === input.current) throw new Problem("password_too_weak", { fields: { next: "same" } });
  const hashed = await hashPassword(input.next);
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    await tx`update users set password_hash = ${hashed}, must_change_password = false where id = ${userId}`;
    await clearAttempts(tx, userId);
    await tx`delete from sessions where user_id = ${userId}`;
    const token = await openSession(tx, userId, config);
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.human(userId),
      event: "user.password_changed",
      objectKind: "user",
      objectId: userId,
      source: "api",
    });
    return { token };
  });
}

/** Ends the session of this token; nothing happens for an unknown one. */
export async function signOut(ctx: Ctx<unknown>, token: string): Promise<void> {
  await transaction(ctx.db, { workspaces: [] }, async (tx) => {
    const ended = await closeSession(tx, token);
    if (ended === null) return;
    await audit.write(tx, { workspaceId: null, actor: audit.human(ended.userId), event: "logout", source: "api" });
  });
}
