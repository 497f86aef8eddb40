import type { Human, System } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "./actors.ts";

/** Who administers people: a platform admin from the pages, or the operator from the command line and at start-up. */
export type Operator = Human | System;

const isHuman = (ctx: Ctx<Operator>): ctx is Ctx<Human> => ctx.actor.kind === "human";

/** @throws Problem forbidden, audited, for a person who is no platform admin */
export async function requireOperator(ctx: Ctx<Operator>): Promise<void> {
  if (isHuman(ctx)) await requirePlatformAdmin(ctx);
}

export const actorOf = (ctx: Ctx<Operator>): audit.AuditActor =>
  isHuman(ctx) ? audit.human(ctx.actor.userId) : audit.system;

export const scopeOf = (ctx: Ctx<Operator>): { workspaces: string[]; userId?: string } =>
  isHuman(ctx) ? { workspaces: [], userId: ctx.actor.userId } : { workspaces: [] };
