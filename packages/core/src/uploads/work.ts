import type { System } from "@aiw/contract/actors";
import type { UploadColumn, UploadDialect, UploadFault, UploadFormat } from "@aiw/contract/uploads";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import type { ClaimedJob } from "../jobs/claim.ts";
import { drop, finish, scopeOf } from "../jobs/finish.ts";
import { lockSource, usedBytes } from "./view.ts";

/** What the ingest function imports. */
export interface UploadToImport {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly format: UploadFormat;
  /** What was announced and signed. */
  readonly sizeBytes: number;
}

/** The upload of an import job; null when it was deleted meanwhile, or is done. */
export const forImport = async (ctx: Ctx<System>, job: ClaimedJob): Promise<UploadToImport | null> => {
  const [row] = await transaction(
    ctx.db,
    scopeOf(job),
    (tx) => tx<{ id: string; workspace_id: string; name: string; format: UploadFormat; size_bytes: string }[]>`
    update uploads set status = 'importing'
     where id = ${job.subjectId} and removed_at is null and status in ('waiting', 'importing')
     returning id, workspace_id, name, format, size_bytes`,
  );
  if (row === undefined) return null;
  const { id, name, format } = row;
  return { id, workspaceId: row.workspace_id, name, format, sizeBytes: Number(row.size_bytes) };
};

export interface ImportedTable {
  readonly key: string;
  readonly bytes: number;
  readonly rows: number;
  readonly columns: readonly UploadColumn[];
  readonly dialect: UploadDialect | null;
}

/**
 * Makes the upload a table and ends the job, in one transaction; counted against the quota with what the table takes. False: a
 * later attempt holds the job, the upload was deleted, or there is no room: then its object is nobody's.
 */
export const recordTable = async (
  ctx: Ctx<System>,
  job: ClaimedJob,
  table: ImportedTable,
  quotaBytes: number,
): Promise<boolean> =>
  transaction(ctx.db, scopeOf(job), async (tx) => {
    const { workspaceId } = job;
    if (workspaceId === null || (await lockSource(tx, workspaceId)) === null) return false;
    if (!(await finish(tx, job, { errorCode: null }))) return false;
    const [own] = await tx<{ size_bytes: string }[]>`
      select size_bytes from uploads where id = ${job.subjectId} and removed_at is null and status = 'importing' for update`;
    if (own === undefined) return false;
    const others = (await usedBytes(tx, workspaceId)) - Number(own.size_bytes);
    if (others + table.bytes > quotaBytes) {
      await tx`update uploads set status = 'failed', fault = '{"code": "upload_quota"}', ended_at = aiw_now() where id = ${job.subjectId}`;
      return false;
    }
    await tx`
      update uploads set status = 'ready', object_key = ${table.key}, stored_bytes = ${table.bytes}, row_count = ${table.rows},
             columns = ${tx.json(JSON.parse(JSON.stringify(table.columns)))}, dialect = ${table.dialect === null ? null : tx.json({ ...table.dialect })},
             ended_at = aiw_now()
       where id = ${job.subjectId}`;
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(job.createdBy),
      event: "upload.imported",
      objectKind: "upload",
      objectId: job.subjectId,
      source: "job",
      data: { rows: table.rows, columns: table.columns.length, bytes: table.bytes },
    });
    return true;
  });

/** Records why no table was made, and ends the job. False: a later attempt holds it. */
export const recordFault = async (ctx: Ctx<System>, job: ClaimedJob, fault: UploadFault): Promise<boolean> =>
  transaction(ctx.db, scopeOf(job), async (tx) => {
    if (!(await finish(tx, job, { errorCode: fault.code }))) return false;
    await tx`
      update uploads set status = 'failed', fault = ${tx.json({ ...fault })}, ended_at = aiw_now()
       where id = ${job.subjectId} and status in ('waiting', 'importing')`;
    await audit.write(tx, {
      workspaceId: job.workspaceId,
      actor: audit.human(job.createdBy),
      event: "upload.failed",
      objectKind: "upload",
      objectId: job.subjectId,
      source: "job",
      data: { code: fault.code },
    });
    return true;
  });

/** The objects are gone: so is the row, and the job that asked for it. */
export const forget = async (ctx: Ctx<System>, job: ClaimedJob): Promise<void> => {
  await transaction(ctx.db, scopeOf(job), async (tx) => {
    if (!(await drop(tx, job))) return;
    await tx`delete from uploads where id = ${job.subjectId} and removed_at is not null`;
  });
};
