import { uploadColumn, uploadDialect, uploadFault, type UploadFormat } from "@aiw/contract/uploads";
import { z } from "zod";

export interface ImportOrder {
  readonly kind: "import";
  readonly format: UploadFormat;
  /** Of the original, and of the database to be made, both in the folder of the process. */
  readonly input: string;
  readonly output: string;
  /** The delimiter a file's name suggests; the content decides. */
  readonly tab: boolean;
  readonly memoryBytes: number;
  readonly maxRows: number;
  readonly maxTableBytes: number;
}

export const importAnswer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("imported"),
    rows: z.number(),
    columns: z.array(uploadColumn),
    dialect: uploadDialect.nullable(),
  }),
  z.object({ kind: z.literal("bad_file"), fault: uploadFault }),
]);
export type ImportAnswer = z.infer<typeof importAnswer>;

export interface QueryOrder {
  readonly kind: "query";
  readonly sql: string;
  /** Names of all tables of the workspace; those the query names are asked for as files. */
  readonly tables: readonly string[];
  readonly memoryBytes: number;
  readonly queryMs: number;
  readonly maxRows: number;
  readonly maxColumns: number;
  readonly maxValueChars: number;
  readonly maxBytes: number;
}

/** The question of a query on its way, and what is answered: table name and path of its file. */
export const filesWanted = z.object({ tables: z.array(z.string()) });
export const filesGiven = z.object({ files: z.array(z.object({ table: z.string(), path: z.string() })) });

export const queryAnswer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("rows"),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    /** One JSON array a row. */
    lines: z.array(z.string()),
    cut: z.enum(["rows", "bytes", "columns"]).nullable(),
  }),
  z.object({ kind: z.literal("refused"), text: z.string() }),
]);
export type QueryAnswer = z.infer<typeof queryAnswer>;
