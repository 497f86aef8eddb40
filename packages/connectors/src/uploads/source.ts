import { z } from "zod";
import type { SourceAccess } from "../connector/index.ts";

const table = z.object({
  name: z.string(),
  /** Of its DuckDB file in object storage. */
  key: z.string(),
  rows: z.number(),
  columns: z.number(),
  bytes: z.number(),
  file: z.string(),
});
export type UploadTable = z.infer<typeof table>;

const config = z.object({ tables: z.array(table).default([]) });

/** The tables of this workspace; they come with the source, nothing is looked up here (SRC-1). */
export const tablesOf = (source: SourceAccess): readonly UploadTable[] => config.parse(source.config).tables;
