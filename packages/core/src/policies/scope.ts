import type { Human, Member } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import { requireAdmin, requirePlatformAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { raisePolicyVersion } from "../tools/register.ts";

/** Where rules are changed: in one workspace by its admins, or for the platform by its admins. */
export interface RuleScope {
  /** Null: the platform. */
  readonly workspaceId: string | null;
  readonly userId: string;
  /** Runs in a transaction that takes turns with other changes of policy here. */
  readonly change: <T>(fn: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Open requests are judged by the newer policy (APR-3). */
  readonly raiseVersion: (tx: Tx) => Promise<void>;
}

/** @throws Problem forbidden */
export async function workspaceScope(ctx: Ctx<Member>): Promise<RuleScope> {
  await requireAdmin(ctx);
  const { workspaceId, userId } = ctx.actor;
  return {
    workspaceId,
    userId,
    change: (fn) =>
      inWorkspace(ctx, async (tx) => {
        await tx`select from workspaces where id = ${workspaceId} for update`;
        return fn(tx);
      }),
    raiseVersion: async (tx) => {
      await tx`update workspaces set policy_version = policy_version + 1 where id = ${workspaceId}`;
    },
  };
}

/** @throws Problem forbidden */
export async function platformScope(ctx: Ctx<Human>): Promise<RuleScope> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  return {
    workspaceId: null,
    userId,
    change: (fn) =>
      transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
        await tx`select from platform_settings for update`;
        return fn(tx);
      }),
    raiseVersion: raisePolicyVersion,
  };
}
