import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { setWorkspaces } from "./scope.ts";

/** A refusal whose audit row is written already. */
export class NotedDenial extends Problem {
  constructor() {
    super("forbidden");
  }
}

export interface DeniedCall {
  readonly endpoint: string;
  /** The record it was about, by kind ("run") and id, where there is one. */
  readonly object?: { readonly kind: string; readonly id: string };
  /** The workspace of the path, where it names one. */
  readonly workspaceId?: string;
}

/**
 * Audits a refusal of rights that the refusing verb did not audit itself (AUD-1). Only `forbidden` is looked at: the database
 * writes the row for `approver_missing` and `four_eyes` in the transaction of the decision. Everything else is no refusal
 * of rights, and nothing happens.
 */
export async function noteDenial(ctx: Ctx<Human>, error: unknown, call: DeniedCall): Promise<void> {
  if (!(error instanceof Problem) || error.code !== "forbidden" || error instanceof NotedDenial) return;
  const { userId } = ctx.actor;
  await transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const workspaceId = await workspaceOf(tx, userId, call);
    await setWorkspaces(tx, workspaceId === null ? [] : [workspaceId]);
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: "authorization.denied",
      ...(call.object === undefined ? {} : { objectKind: call.object.kind, objectId: call.object.id }),
      ...(call.object?.kind === "run" && workspaceId !== null ? { runId: call.object.id } : {}),
      source: "api",
      data: { endpoint: call.endpoint, code: error.code },
    });
  });
}

/** The workspace of the call, among those the person is a member of; null: none is known. */
async function workspaceOf(tx: Tx, userId: string, call: DeniedCall): Promise<string | null> {
  const rows = await tx<{ workspace_id: string }[]>`select workspace_id from memberships where user_id = ${userId}`;
  const own = rows.map((row) => row.workspace_id);
  if (call.workspaceId !== undefined) return own.includes(call.workspaceId) ? call.workspaceId : null;
  const { kind, id } = call.object ?? {};
  if (id === undefined || (kind !== "run" && kind !== "approval")) return null;
  await setWorkspaces(tx, own);
  const [row] = await tx<{ workspace_id: string }[]>`
    select workspace_id from ${tx(kind === "run" ? "runs" : "approvals")} where id = ${id}`;
  return row?.workspace_id ?? null;
}
