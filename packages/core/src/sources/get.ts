import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Source } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import { inWorkspace } from "../identity/scope.ts";
import { views } from "./view.ts";

/** Connected sources, for every member (SRC-2). */
export function list(ctx: Ctx<Member>): Promise<Source[]> {
  return inWorkspace(ctx, (tx) => views(tx, ctx.actor.workspaceId, null));
}

/** @throws Problem not_found */
export function get(ctx: Ctx<Member>, sourceId: string): Promise<Source> {
  return inWorkspace(ctx, (tx) => one(tx, ctx.actor.workspaceId, sourceId));
}

export async function one(tx: Tx, workspaceId: string, sourceId: string): Promise<Source> {
  const [source] = await views(tx, workspaceId, sourceId);
  if (source === undefined) throw new Problem("not_found");
  return source;
}
