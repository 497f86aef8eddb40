import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The part of object storage that is needed here. */
export interface UploadsBucket {
  get(key: string): Promise<Uint8Array | null>;
  list(prefix: string): Promise<readonly { readonly key: string }[]>;
}

const PREFIX = "aiw-uploads-";

/** A folder of this process; what a killed one left behind is removed. */
export const workFolder = (): string => {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^aiw-uploads-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
};

interface Kept {
  readonly path: string;
  readonly bytes: number;
  users: number;
}

/** Files of object storage on this disk, where DuckDB can open them; those used last are kept (a key is never written twice). */
export class LocalFiles {
  private readonly folder: string;
  private readonly bucket: UploadsBucket;
  private readonly maxBytes: number;
  private readonly kept = new Map<string, Kept>();

  constructor(folder: string, bucket: UploadsBucket, maxBytes: number) {
    this.folder = folder;
    this.bucket = bucket;
    this.maxBytes = maxBytes;
    mkdirSync(folder, { recursive: true });
  }

  /** Null: there is no such object any more. `release` when nobody opens it any more. */
  async open(key: string): Promise<{ readonly path: string; readonly release: () => void } | null> {
    const known = this.kept.get(key) ?? (await this.fetch(key));
    if (known === null) return null;
    known.users += 1;
    this.kept.delete(key);
    this.kept.set(key, known);
    await this.shrink();
    return { path: known.path, release: () => void (known.users -= 1) };
  }

  private async fetch(key: string): Promise<Kept | null> {
    const bytes = await this.bucket.get(key);
    if (bytes === null) return null;
    const path = join(this.folder, `${createHash("sha256").update(key).digest("hex")}.duckdb`);
    await writeFile(path, bytes);
    // Two calls may have fetched the same.
    return this.kept.get(key) ?? { path, bytes: bytes.length, users: 0 };
  }

  private async shrink(): Promise<void> {
    let sum = [...this.kept.values()].reduce((bytes, file) => bytes + file.bytes, 0);
    for (const [key, file] of this.kept) {
      if (sum <= this.maxBytes) return;
      if (file.users > 0) continue;
      this.kept.delete(key);
      sum -= file.bytes;
      await rm(file.path, { force: true });
    }
  }
}
