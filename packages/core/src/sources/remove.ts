import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { removeAllOf } from "../uploads/remove.ts";
import { fp } from "@aiw/platform/fault";

/**
 * Disconnects a source: its credentials are erased, what was done with it stays readable. Requests that wait for a
 * decision or for their execution become `invalid` (superseded), so nothing reaches it any more (RUN-1). Audited.
 * @returns runs that go on because their request ended, and deletions of uploads, to be rung
 * @throws Problem forbidden | not_found
 */
export async function remove(ctx: Ctx<Member>, sourceId: string): Promise<Removed> {
  await requireAdmin(ctx);
  return fp("source.remove", () => disconnect(ctx, sourceId));
}

interface Removed {
  readonly teamId: string;
  readonly ring: string[];
  /** Deletions of what was uploaded to it. */
  readonly jobs: string[];
}

async function disconnect(ctx: Ctx<Member>, sourceId: string): Promise<Removed> {
  const { userId, workspaceId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    const [source] = await tx<{ name: string }[]>`
      update sources set removed_at = aiw_now(), secret = null, secret_last4 = null
       where id = ${sourceId} and workspace_id = ${workspaceId} and removed_at is null returning name`;
    if (source === undefined) throw new Problem("not_found");
    const ring = await supersede(tx, ctx.actor, sourceId);
    const jobs = await removeAllOf(tx, ctx.actor, sourceId);
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: "source.removed",
      objectKind: "source",
      objectId: sourceId,
      source: "api",
      data: { name: source.name },
    });
    return { teamId: ctx.actor.teamId, ring, jobs };
  });
}

/** Lock order: run, then request, as everywhere. */
async function supersede(tx: Tx, actor: Member, sourceId: string): Promise<string[]> {
  const open = await tx<{ id: string; run_id: string }[]>`
    select id, run_id from approvals where source_id = ${sourceId} and status in ('pending', 'approved') order by run_id, id`;
  const ring = new Set<string>();
  for (const { id, run_id: runId } of open) {
    const [run] = await tx<{ status: string }[]>`select status from runs where id = ${runId} for update`;
    const changed = await tx`
      update approvals set status = 'invalid', invalid_reason = 'superseded', ended_at = aiw_now()
       where id = ${id} and status in ('pending', 'approved') returning id`;
    if (changed.length === 0) continue;
    await tx`select approval_tell_v1(${id}, ${actor.displayName}, null)`;
    await audit.write(tx, {
      workspaceId: actor.workspaceId,
      actor: audit.human(actor.userId),
      event: "approval.invalid",
      objectKind: "approval",
      objectId: id,
      runId,
      source: "api",
      data: { reason: "superseded", sourceId },
    });
    if (run?.status === "waiting_approval") ring.add(runId);
  }
  return [...ring];
}
