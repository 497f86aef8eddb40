import type { Human, Member } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { NotedDenial } from "./denial.ts";

/** A signed-in person and the session they came with, which streams keep checking (N6). */
export interface Visitor extends Human {
  readonly sessionId: string;
}

/** @throws Problem forbidden, audited, unless the member is an admin of the workspace (IDN-4) */
export async function requireAdmin(ctx: Ctx<Member>): Promise<void> {
  if (ctx.actor.role === "admin") return;
  await denied(ctx, ctx.actor.workspaceId, "workspace_admin");
}

/** @throws Problem forbidden, audited, unless the person is a platform admin (IDN-4) */
export async function requirePlatformAdmin(ctx: Ctx<Human>): Promise<void> {
  if (ctx.actor.isPlatformAdmin) return;
  await denied(ctx, null, "platform_admin");
}

async function denied(ctx: Ctx<Human>, workspaceId: string | null, needed: string): Promise<never> {
  const { userId } = ctx.actor;
  await transaction(ctx.db, { workspaces: workspaceId === null ? [] : [workspaceId], userId }, (tx) =>
    audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: "authorization.denied",
      source: "api",
      data: { needed },
    }),
  );
  throw new NotedDenial();
}
