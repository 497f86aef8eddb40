import * as uploads from "@aiw/core/uploads";
import type { Handlers } from "../http/call.ts";

type Names = "connectUploads" | "listUploads" | "createUpload" | "completeUpload" | "removeUpload";

export const uploadHandlers: Pick<Handlers, Names> = {
  connectUploads: ({ ctx, body }) => uploads.connect(ctx, body),
  listUploads: ({ ctx, deps }) => uploads.list(ctx, deps.uploads),
  createUpload: ({ ctx, body, deps }) => uploads.create(ctx, body, deps.uploads),

  completeUpload: async ({ ctx, params, deps }) => {
    const { upload, jobId } = await uploads.complete(ctx, params.uploadId);
    if (jobId !== null) await deps.ringIngest(jobId);
    return upload;
  },

  removeUpload: async ({ ctx, params, deps }) => {
    await deps.ringIngest(await uploads.remove(ctx, params.uploadId));
    return undefined;
  },
};
