import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import { uploadFormatOf, type Upload, type UploadTarget } from "@aiw/contract/uploads";
import type { Ctx } from "@aiw/platform/ctx";
import { inWorkspace } from "../identity/scope.ts";
import { originalKey } from "./keys.ts";
import { readFileName, tableName } from "./names.ts";
import { lockSource, one, usedBytes } from "./view.ts";

export interface UploadLimits {
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
}

export interface UploadEdges extends UploadLimits {
  /** An address that takes exactly these bytes at this key until it expires; signed, so that nobody can send anything else. */
  readonly sign: (key: string, bytes: number, expiresInS: number) => Promise<Omit<UploadTarget, "expiresAt">>;
}

/** Seconds in which the file has to be sent, and in which the import may still begin by itself afterwards. */
const SEND_WITHIN_S = 900;
const GRACE_S = 60;
/** Uploads of one workspace: every run of it reads their list. */
const MAX_UPLOADS = 200;

/**
 * Announces a file (UPL-1): its name, size and format are checked, its room is taken from the quota, its import is written down.
 * The answer says where to send it. Should nobody say that it was sent, the import looks for it when the address has expired.
 * @throws Problem uploads_not_connected | bad_request (name) | upload_type | upload_too_large | upload_quota
 */
export const create = async (
  ctx: Ctx<Member>,
  input: { readonly name: string; readonly sizeBytes: number },
  edges: UploadEdges,
): Promise<{ upload: Upload; target: UploadTarget }> => {
  const { workspaceId, userId } = ctx.actor;
  const name = readFileName(input.name);
  const format = uploadFormatOf(name);
  if (format === null) throw new Problem("upload_type", { fields: { name: "upload_type" } });
  if (input.sizeBytes > edges.maxFileBytes)
    throw new Problem("upload_too_large", { params: { maxBytes: edges.maxFileBytes } });
  const made = await inWorkspace(ctx, async (tx) => {
    const sourceId = await lockSource(tx, workspaceId);
    if (sourceId === null) throw new Problem("uploads_not_connected");
    const left = edges.quotaBytes - (await usedBytes(tx, workspaceId));
    const standing = await tx<{ table_name: string }[]>`
      select table_name from uploads where workspace_id = ${workspaceId} and removed_at is null and status <> 'failed'`;
    if (input.sizeBytes > left || standing.length >= MAX_UPLOADS)
      throw new Problem("upload_quota", { params: { leftBytes: Math.max(0, left) } });
    const table = tableName(name, new Set(standing.map((row) => row.table_name)));
    const [row] = await tx<{ id: string; expires_at: Date }[]>`
      insert into uploads (workspace_id, source_id, name, table_name, format, size_bytes, created_by, expires_at)
      values (${workspaceId}, ${sourceId}, ${name}, ${table}, ${format}, ${input.sizeBytes}, ${userId},
              aiw_now() + make_interval(secs => ${SEND_WITHIN_S})) returning id, expires_at`;
    if (row === undefined) throw new Error("the database gave no id");
    await tx`
      insert into jobs (workspace_id, kind, subject_id, created_by, due_at)
      values (${workspaceId}, 'upload_import', ${row.id}, ${userId}, aiw_now() + make_interval(secs => ${SEND_WITHIN_S + GRACE_S}))`;
    return { upload: await one(tx, ctx.actor, row.id), expiresAt: row.expires_at };
  });
  const target = await edges.sign(originalKey(workspaceId, made.upload.id), input.sizeBytes, SEND_WITHIN_S);
  return { upload: made.upload, target: { ...target, expiresAt: made.expiresAt.toISOString() } };
};
