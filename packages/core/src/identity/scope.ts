import type { Human, Member } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";

/** A transaction that sees the rows of the member's workspace alone (SEC-2). */
export function inWorkspace<T>(ctx: Ctx<Member>, fn: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(ctx.db, { workspaces: [ctx.actor.workspaceId], userId: ctx.actor.userId }, fn);
}

/** A transaction that sees the rows of every workspace the person is a member of at this moment (SEC-2). */
export function inOwnWorkspaces<T>(ctx: Ctx<Human>, fn: (tx: Tx, workspaceIds: string[]) => Promise<T>): Promise<T> {
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const rows = await tx<{ workspace_id: string }[]>`select workspace_id from memberships where user_id = ${userId}`;
    const { key } = ctx.actor;
    const ids = rows.map((row) => row.workspace_id).filter((id) => key === undefined || key.workspaceId === id);
    await setWorkspaces(tx, ids);
    return fn(tx, ids);
  });
}

/** Binds the rest of the transaction to these workspaces. */
export async function setWorkspaces(tx: Tx, workspaceIds: readonly string[]): Promise<void> {
  await tx`select set_config('aiw.workspaces', ${workspaceIds.join(",")}, true)`;
}
