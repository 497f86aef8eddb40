import { z } from "zod";
import { id, instant } from "./ids.ts";
import { person, source } from "./views.ts";

/** Kinds of files that become tables (UPL-1); what else may be uploaded one day comes here. */
export const uploadFormat = z.enum(["csv", "parquet"]);
export type UploadFormat = z.infer<typeof uploadFormat>;

/** Endings of file names and what they stand for. */
export const UPLOAD_ENDINGS: Readonly<Record<string, UploadFormat>> = { csv: "csv", tsv: "csv", parquet: "parquet" };

/** The format a file's name stands for; null: no table is made of such a file. */
export const uploadFormatOf = (name: string): UploadFormat | null => {
  const ending = /\.([A-Za-z0-9]+)$/.exec(name.trim())?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(UPLOAD_ENDINGS, ending) ? (UPLOAD_ENDINGS[ending] ?? null) : null;
};

/** A column as it is stored with its table and shown to people. */
export const uploadColumn = z.object({
  name: z.string(),
  /** A type of DuckDB. */
  type: z.string(),
  /** Up to three values as text. */
  examples: z.array(z.string()),
  nulls: z.number().int(),
  /** Why the column stayed text although most of it looks like something else; the first value that does not, and its line. */
  note: z
    .object({
      why: z.enum(["mixed", "ambiguous", "leading_zeros", "too_long"]),
      line: z.number().int(),
      value: z.string(),
    })
    .nullable(),
});
export type UploadColumn = z.infer<typeof uploadColumn>;

/** How a text file was read; null for Parquet. */
export const uploadDialect = z.object({ encoding: z.string(), delimiter: z.string(), header: z.boolean() });
export type UploadDialect = z.infer<typeof uploadDialect>;

/** Why no table was made of a file. `line` and `column` count from 1, as an editor does. */
export const uploadFault = z.object({
  code: z.enum([
    "upload_empty",
    "upload_not_text",
    "upload_other_type",
    "upload_unclosed_quote",
    "upload_stray_quote",
    "upload_columns_differ",
    "upload_too_many_columns",
    "upload_too_many_rows",
    "upload_value_too_long",
    "upload_unfolds_too_large",
    "upload_parquet_damaged",
    // found by the import itself
    "upload_missing",
    "upload_size_differs",
    "upload_quota",
    "internal",
  ]),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
  expected: z.number().int().optional(),
  found: z.number().int().optional(),
});
export type UploadFault = z.infer<typeof uploadFault>;

/** waiting: the file is being sent; importing: it has arrived; ready: it is a table; failed: no table, nothing kept. */
export const uploadStatus = z.enum(["waiting", "importing", "ready", "failed"]);

export const upload = z.object({
  id,
  /** Of the file, as it was on the person's machine. */
  name: z.string(),
  /** What the table is called in queries. */
  table: z.string(),
  format: uploadFormat,
  status: uploadStatus,
  sizeBytes: z.number().int(),
  /** Of the table; null until there is one. */
  storedBytes: z.number().int().nullable(),
  rows: z.number().int().nullable(),
  columns: z.array(uploadColumn).nullable(),
  dialect: uploadDialect.nullable(),
  fault: uploadFault.nullable(),
  createdBy: person,
  createdAt: instant,
  /** Whether who asks may delete it (UPL-3). */
  mayDelete: z.boolean(),
});
export type Upload = z.infer<typeof upload>;

/** Where the browser sends the file: this method, these headers, these bytes and no others. */
const uploadTarget = z.object({
  method: z.literal("PUT"),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  expiresAt: instant,
});
export type UploadTarget = z.infer<typeof uploadTarget>;

const ws = z.object({ workspaceId: id });
const one = ws.extend({ uploadId: id });

export const UPLOAD_ENDPOINTS = {
  connectUploads: {
    method: "POST",
    path: "/api/workspaces/:workspaceId/upload-sources",
    access: "admin",
    status: 201,
    params: ws,
    body: z.strictObject({ name: z.string().trim().min(1).max(80), confirmed: z.boolean() }),
    response: source,
    summary: "Let members upload files as a source (UPL-3, SRC-2)",
  },
  listUploads: {
    method: "GET",
    path: "/api/workspaces/:workspaceId/uploads",
    access: "member",
    status: 200,
    params: ws,
    response: z.object({
      items: z.array(upload),
      /** Null: nobody has connected uploads here. */
      sourceId: id.nullable(),
      usedBytes: z.number().int(),
      quotaBytes: z.number().int(),
      maxFileBytes: z.number().int(),
    }),
    summary: "Uploaded files, newest first, and how much room is left (UPL-3)",
  },
  createUpload: {
    method: "POST",
    path: "/api/workspaces/:workspaceId/uploads",
    access: "member",
    status: 201,
    params: ws,
    body: z.strictObject({ name: z.string().min(1).max(255), sizeBytes: z.int().min(1).max(1_000_000_000_000) }),
    response: z.object({ upload, target: uploadTarget }),
    summary: "Announce a file and get the address to send it to (UPL-1)",
  },
  completeUpload: {
    method: "POST",
    path: "/api/workspaces/:workspaceId/uploads/:uploadId/complete",
    access: "member",
    status: 202,
    params: one,
    response: upload,
    summary: "Say that the file has been sent; it is imported by a job (UPL-1)",
  },
  removeUpload: {
    method: "DELETE",
    path: "/api/workspaces/:workspaceId/uploads/:uploadId",
    access: "member",
    status: 204,
    params: one,
    summary: "Delete an upload and its objects (UPL-3)",
  },
} as const;
