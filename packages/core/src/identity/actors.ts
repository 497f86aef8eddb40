import { Problem } from "@aiw/contract/problem";
import type { MemberRole } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";

/** Nobody is known yet: the sign-in page. */
export interface Anonymous {
  readonly kind: "anonymous";
}

/** The operator at the command line or the start of the product itself. */
export interface Operator {
  readonly kind: "operator";
}

/** A signed-in person (IDN-1). */
export interface Human {
  readonly kind: "human";
  readonly userId: string;
  readonly sessionId: string;
  readonly name: string;
  readonly displayName: string;
  readonly isPlatformAdmin: boolean;
  readonly isGlobalApprover: boolean;
  readonly mustChangePassword: boolean;
}

/** A person inside a workspace; only `workspaces.enter` makes one, from the membership row (SEC-1). */
export interface Member extends Human {
  readonly workspaceId: string;
  readonly teamId: string;
  readonly role: MemberRole;
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
  throw new Problem("forbidden");
}
