import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { inWorkspace } from "../identity/scope.ts";
import { open } from "../jobs/open.ts";
import { one } from "./view.ts";

/**
 * Takes an upload away from everybody at once; a job deletes its objects and then its row (UPL-3). Audited.
 * @returns the job to ring
 * @throws Problem not_found | forbidden (neither who uploaded it nor a workspace admin)
 */
export const remove = async (ctx: Ctx<Member>, uploadId: string): Promise<string> => {
  return inWorkspace(ctx, async (tx) => {
    const upload = await one(tx, ctx.actor, uploadId);
    if (!upload.mayDelete) throw new Problem("forbidden");
    await take(tx, ctx.actor, { id: uploadId, name: upload.name, table: upload.table });
    const job = await open(tx, {
      workspaceId: ctx.actor.workspaceId,
      kind: "upload_removal",
      subjectId: uploadId,
      createdBy: ctx.actor.userId,
    });
    return job.id;
  });
};

/** Everything that was uploaded goes with the source it belongs to. @returns the jobs to ring */
export const removeAllOf = async (tx: Tx, actor: Member, sourceId: string): Promise<string[]> => {
  const standing = await tx<{ id: string; name: string; table: string }[]>`
    select id, name, table_name as "table" from uploads
     where workspace_id = ${actor.workspaceId} and source_id = ${sourceId} and removed_at is null order by id`;
  const jobs: string[] = [];
  for (const upload of standing) {
    await take(tx, actor, upload);
    const subject = { workspaceId: actor.workspaceId, subjectId: upload.id, createdBy: actor.userId };
    jobs.push((await open(tx, { ...subject, kind: "upload_removal" })).id);
  }
  return jobs;
};

const take = async (
  tx: Tx,
  actor: Member,
  upload: { readonly id: string; readonly name: string; readonly table: string },
): Promise<void> => {
  await tx`update uploads set removed_at = aiw_now() where id = ${upload.id} and workspace_id = ${actor.workspaceId}`;
  await audit.write(tx, {
    workspaceId: actor.workspaceId,
    actor: audit.human(actor.userId),
    event: "upload.removed",
    objectKind: "upload",
    objectId: upload.id,
    source: "api",
    data: { name: upload.name, table: upload.table },
  });
};
