import type { ClaimedJob } from "@aiw/core/jobs";
import * as uploads from "@aiw/core/uploads";
import { fp } from "@aiw/platform/fault";
import type { IngestDeps } from "./compose.ts";

/** Deletes the objects of an upload that a person deleted, and then its row (UPL-3). Done again, it finds less to do. */
export const removeUpload = async ({ ctx, bucket }: IngestDeps, job: ClaimedJob): Promise<void> => {
  if (job.workspaceId === null) return;
  const folder = uploads.folderOf(job.workspaceId, job.subjectId);
  const objects = await fp("ingest.list", () => bucket.list(folder));
  for (const { key } of objects) await fp("ingest.delete", () => bucket.delete(key));
  await fp("ingest.forget", () => uploads.forget(ctx, job));
};
