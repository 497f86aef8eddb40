import git, { type CommitObject } from "isomorphic-git";
import { GitFailure } from "./failure.ts";
import type { MemoryRepository } from "./memory-repository.ts";

/** The library keeps what it unpacked in its cache without bound; after so many bytes it gets a new one. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** Reads objects of a fetched repository. All methods throw GitFailure `source_protocol` for what is not there. */
export class ObjectReader {
  cache: object = {};
  readonly repository: MemoryRepository;
  private readBytes = 0;

  constructor(repository: MemoryRepository) {
    this.repository = repository;
  }

  async has(commit: string): Promise<boolean> {
    try {
      await this.read(commit);
      return true;
    } catch (error) {
      if (error instanceof git.Errors.NotFoundError) return false;
      throw error;
    }
  }

  async commit(oid: string): Promise<CommitObject> {
    const { commit } = await this.orLeftOut("commit", git.readCommit({ ...this.repository, oid, cache: this.cache }));
    return commit;
  }

  /** The bytes of a tree as they stand in the repository: names that the library refuses are still counted. */
  async tree(oid: string): Promise<Buffer> {
    const { type, bytes } = await this.orLeftOut("tree", this.read(oid));
    if (type !== "tree") throw new GitFailure("source_protocol", "The repository has a damaged tree.");
    return bytes;
  }

  async blob(oid: string): Promise<Buffer> {
    const { type, bytes } = await this.orLeftOut("file", this.read(oid));
    if (type !== "blob") throw new GitFailure("source_protocol", "The repository has a damaged tree.");
    this.readBytes += bytes.byteLength;
    if (this.readBytes > CACHE_BYTES) {
      this.cache = {};
      this.readBytes = 0;
    }
    return bytes;
  }

  /** Whether the library reads this tree at all; it refuses one with names such as `.git` or with a backslash. */
  async isReadableTree(oid: string): Promise<boolean> {
    try {
      await git.readTree({ ...this.repository, oid, cache: this.cache });
      return true;
    } catch (error) {
      if (error instanceof git.Errors.UnsafeFilepathError) return false;
      throw error;
    }
  }

  isDescendent(head: string, base: string): Promise<boolean> {
    const { cache } = this;
    return this.orLeftOut("commit", git.isDescendent({ ...this.repository, oid: head, ancestor: base, cache }));
  }

  /** Whether there is history that was not fetched. */
  async isShallow(): Promise<boolean> {
    const { fs, gitdir } = this.repository;
    return fs.promises.stat(`${gitdir}/shallow`).then(
      () => true,
      () => false,
    );
  }

  private async read(oid: string): Promise<{ readonly type: string; readonly bytes: Buffer }> {
    const found = await git.readObject({ ...this.repository, oid, format: "content", cache: this.cache });
    if (found.format !== "content" || !(found.object instanceof Uint8Array)) {
      throw new GitFailure("source_protocol", "The repository has a damaged object.");
    }
    return { type: found.type, bytes: Buffer.from(found.object) };
  }

  private async orLeftOut<T>(what: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      if (cause instanceof GitFailure) throw cause;
      throw new GitFailure("source_protocol", `The server left out a ${what} of the repository.`, { cause });
    }
  }
}
