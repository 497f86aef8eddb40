import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Upload } from "@aiw/contract/uploads";
import type { Ctx } from "@aiw/platform/ctx";
import { inWorkspace } from "../identity/scope.ts";
import { one } from "./view.ts";

/**
 * The file has been sent: its import may begin. Saying it twice changes nothing. The caller rings the job.
 * @returns the upload, and the job to ring; null when there is nothing left to begin
 * @throws Problem not_found | forbidden (somebody else's upload) | upload_not_waiting
 */
export const complete = async (
  ctx: Ctx<Member>,
  uploadId: string,
): Promise<{ upload: Upload; jobId: string | null }> => {
  const { workspaceId, userId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    const before = await one(tx, ctx.actor, uploadId);
    if (before.createdBy.id !== userId) throw new Problem("forbidden");
    if (before.status === "ready" || before.status === "importing") return { upload: before, jobId: null };
    const changed = await tx`
      update uploads set status = 'importing'
       where id = ${uploadId} and workspace_id = ${workspaceId} and status = 'waiting' and removed_at is null returning id`;
    if (changed.length === 0) throw new Problem("upload_not_waiting");
    const [job] = await tx<{ id: string }[]>`
      update jobs set due_at = null, rung_at = aiw_now()
       where workspace_id = ${workspaceId} and kind = 'upload_import' and subject_id = ${uploadId} and status = 'queued' returning id`;
    return { upload: await one(tx, ctx.actor, uploadId), jobId: job?.id ?? null };
  });
};
