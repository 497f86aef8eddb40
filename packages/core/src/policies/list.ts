import type { Human, Member } from "@aiw/contract/actors";
import type { PolicyRuleView } from "@aiw/contract/policies";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { views } from "./view.ts";

/** Every rule that holds in the workspace, for its members (POL-2, POL-3). */
export function list(ctx: Ctx<Member>): Promise<PolicyRuleView[]> {
  return inWorkspace(ctx, (tx) => views(tx, ctx.actor.workspaceId, ctx.actor.role === "admin"));
}

/** The platform's rules. @throws Problem forbidden */
export async function listPlatform(ctx: Ctx<Human>): Promise<PolicyRuleView[]> {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, { workspaces: [], userId: ctx.actor.userId }, (tx) => views(tx, null, true));
}
