import { discover, type Advertisement } from "./advertisement.ts";
import { GitFailure } from "./failure.ts";
import { fetchCommit } from "./fetch-pack.ts";
import type { GitLimits } from "./limits.ts";
import { decodeSnapshot, encodeSnapshot, type Snapshot } from "./snapshot.ts";
import { buildSnapshot } from "./snapshot-build.ts";
import type { Remote } from "./transport.ts";

/** The part of the platform's object storage this room needs. */
export interface SnapshotBucket {
  put(key: string, bytes: Uint8Array, contentType?: string): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
}

/** Depths tried for a commit that is no longer the head and that the server does not hand out by id. */
const DEPTHS = [64, 1024];

/**
 * Snapshots by source and commit: memory, then object storage, then the Git server (GIT-2). Two callers that want the
 * same one wait for one build.
 */
export class SnapshotStore {
  private readonly bucket: SnapshotBucket;
  private readonly limits: GitLimits;
  private readonly kept = new Map<string, Snapshot>();
  private readonly building = new Map<string, Promise<Snapshot>>();
  private bytes = 0;

  constructor(bucket: SnapshotBucket, limits: GitLimits) {
    this.bucket = bucket;
    this.limits = limits;
  }

  /** @throws GitFailure when the commit cannot be had. `server` spares asking for the refs again. */
  async get(sourceId: string, commit: string, remote: Remote, server?: Advertisement): Promise<Snapshot> {
    const key = `git/${sourceId}/${commit}.snapshot`;
    const kept = this.kept.get(key);
    if (kept !== undefined) return this.touch(key, kept);
    const running = this.building.get(key);
    if (running !== undefined) {
      // The other caller may have been cancelled; then this one does the work itself.
      const theirs = await running.catch(() => null);
      if (theirs !== null) return theirs;
      remote.signal.throwIfAborted();
    }
    const work = this.load(key, commit, remote, server);
    this.building.set(key, work);
    try {
      return this.touch(key, await work);
    } finally {
      if (this.building.get(key) === work) this.building.delete(key);
    }
  }

  private async load(key: string, commit: string, remote: Remote, server?: Advertisement): Promise<Snapshot> {
    const stored = await this.bucket.get(key);
    const decoded = stored === null ? null : decodeSnapshot(stored, this.limits.maxTextBytes * 2);
    if (decoded !== null && decoded.head.commit === commit) return decoded;
    const announced = server ?? (await discover(remote, "git-upload-pack"));
    const snapshot = buildSnapshot(await fetchWith(remote, announced, commit), commit, this.limits);
    await this.bucket.put(key, encodeSnapshot(snapshot), "application/octet-stream");
    return snapshot;
  }

  private touch(key: string, snapshot: Snapshot): Snapshot {
    if (!this.kept.delete(key)) this.bytes += weight(snapshot);
    this.kept.set(key, snapshot);
    for (const [oldest, other] of this.kept) {
      if (this.bytes <= this.limits.cacheBytes || oldest === key) break;
      this.kept.delete(oldest);
      this.bytes -= weight(other);
    }
    return snapshot;
  }
}

const weight = (snapshot: Snapshot): number => snapshot.text.byteLength + snapshot.files.size * 400;

const fetchWith = async (remote: Remote, server: Advertisement, commit: string): ReturnType<typeof fetchCommit> => {
  try {
    return await fetchCommit(remote, server, commit, 1);
  } catch (error) {
    if (!(error instanceof GitFailure) || error.code !== "source_protocol") throw error;
    if ([...server.refs.values()].includes(commit)) throw error;
  }
  for (const depth of DEPTHS) {
    for (const tip of branchTips(server)) {
      const pack = await fetchCommit(remote, server, tip, depth);
      if (pack.has(commit)) return pack;
    }
  }
  throw new GitFailure("source_protocol", "The server does not have the pinned commit any more.");
};

/** The default branch: the only one whose history may reasonably hold the commit. */
const branchTips = (server: Advertisement): string[] => {
  const tip = server.head === null ? undefined : server.refs.get(server.head);
  return tip === undefined ? [] : [tip];
};
