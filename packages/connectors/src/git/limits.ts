/** Bounds of one Git source (GIT-2, N67). Bytes unless the name says otherwise. */
export interface GitLimits {
  /** Packed bytes one fetch may bring. */
  readonly maxPackBytes: number;
  /** Unpacked bytes of all objects of a fetch together, so that a small pack cannot unfold without end. */
  readonly maxInflatedBytes: number;
  /** A single object above this is measured piece by piece before it is unpacked. */
  readonly maxObjectBytes: number;
  /** Objects in one pack. */
  readonly maxObjects: number;
  /** Files and directories of one commit. */
  readonly maxFiles: number;
  /** Text of all files of one commit together. */
  readonly maxTextBytes: number;
  /** A file above this is listed, but neither read nor searched. */
  readonly maxFileBytes: number;
  /** The list of refs a server may announce. */
  readonly maxAdvertisementBytes: number;
  /** New content of one proposed change. */
  readonly maxChangeBytes: number;
  readonly maxChangeFiles: number;
  /** Silence of the server after which a connection is given up. */
  readonly idleMs: number;
  /** Time one fetch may take with unpacking. */
  readonly fetchMs: number;
  /** Memory the process may take that fetches and unpacks. */
  readonly maxChildBytes: number;
  /** How long a head is reused without asking the server (GIT-2). */
  readonly headTtlMs: number;
  /** Time a pattern search may take (N69). */
  readonly searchMs: number;
  /** Snapshots kept in memory. */
  readonly cacheBytes: number;
}

const MB = 1024 * 1024;

export const DEFAULT_LIMITS: GitLimits = {
  maxPackBytes: 128 * MB,
  maxInflatedBytes: 1024 * MB,
  maxObjectBytes: 16 * MB,
  maxObjects: 300_000,
  maxFiles: 50_000,
  maxTextBytes: 96 * MB,
  maxFileBytes: MB,
  maxAdvertisementBytes: 16 * MB,
  maxChangeBytes: 2 * MB,
  maxChangeFiles: 100,
  idleMs: 30_000,
  fetchMs: 120_000,
  maxChildBytes: 1024 * MB,
  headTtlMs: 60_000,
  searchMs: 2_000,
  cacheBytes: 128 * MB,
};
