import type { Imported } from "@aiw/connectors/uploads";
import type { UploadFault } from "@aiw/contract/uploads";
import * as jobs from "@aiw/core/jobs";
import * as uploads from "@aiw/core/uploads";
import { deadline } from "@aiw/platform/deadline";
import { fp } from "@aiw/platform/fault";
import type { IngestDeps } from "./compose.ts";

/** More than the process that imports may take by itself. */
const IMPORT_LIMIT_MS = 200_000;

/** Attempts to import one file; one that ended this process each time is given up, and that is told. */
const MAX_TRIES = 3;

/**
 * Makes a table of a file that was sent (UPL-1): original -> DuckDB file -> row -> the original is dropped. Stopped anywhere,
 * another attempt begins anew with an object of its own; what no row names in the end is swept (F88).
 */
export const importUpload = async (deps: IngestDeps, job: jobs.ClaimedJob): Promise<void> => {
  const { ctx, bucket } = deps;
  const upload = await fp("ingest.load", () => uploads.forImport(ctx, job));
  if (upload === null) {
    await fp("ingest.gone", () => jobs.fail(ctx, job, "not_found"));
    return;
  }
  const original = uploads.originalKey(upload.workspaceId, upload.id);
  const outcome: Awaited<ReturnType<typeof convert>> =
    job.attempt > MAX_TRIES ? { code: "internal" } : await convert(deps, upload, original);
  if ("code" in outcome) {
    // Recorded first: an original without a row is swept, a row that says "importing" without an original would wait forever.
    if (await fp("ingest.record_fault", () => uploads.recordFault(ctx, job, outcome)))
      await fp("ingest.drop_refused", () => bucket.delete(original));
    return;
  }
  const key = uploads.tableKey(upload.workspaceId, upload.id, job.attempt);
  await fp("ingest.put", () => bucket.put(key, outcome.file));
  const { rows, columns, dialect } = outcome.facts;
  const table = { key, bytes: outcome.file.length, rows, columns, dialect };
  const kept = await fp("ingest.record", () => uploads.recordTable(ctx, job, table, deps.quotaBytes));
  // Nobody will read it: deleted meanwhile, no room, or another attempt was faster.
  if (!kept) await fp("ingest.drop_table", () => bucket.delete(key));
  await fp("ingest.drop_original", () => bucket.delete(original));
};

/** The size is looked at before anything is fetched, and is that which was announced and signed (SEC-7). */
const convert = async (
  { bucket, importer }: IngestDeps,
  upload: uploads.UploadToImport,
  original: string,
): Promise<Extract<Imported, { kind: "imported" }> | UploadFault> => {
  const head = await fp("ingest.head", () => bucket.head(original));
  if (head === null) return { code: "upload_missing" };
  if (head.sizeBytes !== upload.sizeBytes) return { code: "upload_size_differs" };
  const bytes = await fp("ingest.fetch", () => bucket.get(original));
  if (bytes === null) return { code: "upload_missing" };
  const { name, format } = upload;
  const made = await fp("ingest.convert", () => importer.run({ bytes, format, name }, deadline(IMPORT_LIMIT_MS)));
  return made.kind === "imported" ? made : made.fault;
};
