/** Bounds of one uploads source (UPL-1 to UPL-3). Bytes unless the name says otherwise. */
export interface UploadsLimits {
  /** Milliseconds of one query. */
  readonly queryMs: number;
  /** What DuckDB may take for a query; a single call of a function can ignore it (M9). */
  readonly queryMemoryBytes: number;
  /** Resident memory above which the process of a query is killed. */
  readonly queryMaxBytes: number;
  readonly maxRows: number;
  readonly maxColumns: number;
  /** Characters of one value. */
  readonly maxValueChars: number;
  readonly maxQueryChars: number;
  /** Milliseconds of one import. */
  readonly importMs: number;
  readonly importMemoryBytes: number;
  readonly importMaxBytes: number;
  readonly maxImportRows: number;
  /** A file made from an upload, so that a small one cannot unfold without end. */
  readonly maxTableBytes: number;
  /** Files kept on disk for the next query. */
  readonly cacheBytes: number;
}

const MB = 1024 * 1024;

export const DEFAULT_LIMITS: UploadsLimits = {
  queryMs: 20_000,
  queryMemoryBytes: 256 * MB,
  queryMaxBytes: 640 * MB,
  maxRows: 500,
  maxColumns: 200,
  maxValueChars: 2_000,
  maxQueryChars: 20_000,
  importMs: 120_000,
  importMemoryBytes: 256 * MB,
  importMaxBytes: 1_024 * MB,
  maxImportRows: 5_000_000,
  maxTableBytes: 512 * MB,
  cacheBytes: 256 * MB,
};
