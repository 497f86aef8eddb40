import { GitFailure } from "./failure.ts";
import { contains, fetchSnapshot, fetchSnapshotAbove } from "./fetcher.ts";
import type { GitLimits } from "./limits.ts";
import type { Remote } from "./remote.ts";
import { decodeSnapshot, type Snapshot } from "./snapshot.ts";

/** The part of the platform's object storage this room needs. */
export interface SnapshotBucket {
  put(key: string, bytes: Uint8Array, contentType?: string): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
}

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

  /**
   * `branch` is the full name of the branch whose head the commit is, or was.
   * @throws GitFailure when the commit cannot be had.
   */
  async get(sourceId: string, commit: string, branch: string, remote: Remote): Promise<Snapshot> {
    const key = keyOf(sourceId, commit);
    const kept = this.kept.get(key);
    if (kept !== undefined) return this.touch(key, kept);
    const running = this.building.get(key);
    if (running !== undefined) {
      // The other caller may have been cancelled; then this one does the work itself.
      const theirs = await running.catch(() => null);
      if (theirs !== null) return theirs;
      remote.signal.throwIfAborted();
    }
    const work = this.load(key, commit, branch, remote);
    this.building.set(key, work);
    try {
      return this.touch(key, await work);
    } finally {
      if (this.building.get(key) === work) this.building.delete(key);
    }
  }

  /**
   * The snapshot of a commit that must have `base` among its ancestors (GIT-8); null when it has not.
   * @throws GitFailure when the server cannot be asked.
   */
  async getAbove(
    base: string,
    sourceId: string,
    commit: string,
    branch: string,
    remote: Remote,
  ): Promise<Snapshot | null> {
    const key = keyOf(sourceId, commit);
    const known = this.kept.get(key) ?? this.open(await this.bucket.get(key), commit);
    if (known !== null) return (await contains(remote, commit, base)) ? this.touch(key, known) : null;
    const bytes = await fetchSnapshotAbove(remote, commit, branch, base);
    return bytes === null ? null : this.touch(key, await this.keep(key, commit, bytes));
  }

  private async load(key: string, commit: string, branch: string, remote: Remote): Promise<Snapshot> {
    const stored = this.open(await this.bucket.get(key), commit);
    return stored ?? (await this.keep(key, commit, await fetchSnapshot(remote, commit, branch)));
  }

  private async keep(key: string, commit: string, bytes: Uint8Array): Promise<Snapshot> {
    const snapshot = this.open(bytes, commit);
    if (snapshot === null) throw new GitFailure("source_protocol", "What the server sent could not be read.");
    await this.bucket.put(key, bytes, "application/octet-stream");
    return snapshot;
  }

  private open(bytes: Uint8Array | null, commit: string): Snapshot | null {
    const snapshot = bytes === null ? null : decodeSnapshot(bytes, this.limits.maxTextBytes * 2);
    return snapshot?.head.commit === commit ? snapshot : null;
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

const keyOf = (sourceId: string, commit: string): string => `git/${sourceId}/${commit}.snapshot`;

const weight = (snapshot: Snapshot): number => snapshot.text.byteLength + snapshot.files.size * 400;
