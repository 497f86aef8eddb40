import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { z } from "zod";
import { directoryOf, nameOf } from "./paths.ts";

/** What an entry is, which decides how the tools answer for it (GIT-1). */
export const fileKind = z.enum(["text", "binary", "too_large", "symlink", "submodule", "lfs", "not_utf8"]);
export type FileKind = z.infer<typeof fileKind>;

export interface SnapshotFile {
  readonly path: string;
  /** Git's spelling: 100644, 100755, 120000, 160000. */
  readonly mode: string;
  readonly oid: string;
  /** Bytes; 0 for submodules and where the server did not say. */
  readonly size: number;
  readonly kind: FileKind;
  /** Where the content begins in `text`; -1 when it is not kept. */
  readonly start: number;
}

export interface SnapshotDirectory {
  readonly path: string;
  readonly oid: string;
  /** Entries with names that are not shown (M11); a directory with some of them cannot be changed. */
  readonly hidden: number;
  /**
   * The tree's bytes, base64, where they do not follow from the entries shown; "" where the Git library refuses to read
   * them, so that nothing can be pushed on top of this commit.
   */
  readonly raw?: string;
}

export interface SnapshotHead {
  readonly commit: string;
  readonly tree: string;
  /** Committer's time, whole seconds since 1970. */
  readonly time: number;
  readonly subject: string;
}

export interface Listing {
  readonly directories: readonly SnapshotDirectory[];
  readonly files: readonly SnapshotFile[];
}

/**
 * All that the tools of a run read: names, modes and ids of one commit and the text of its files, as one piece that is
 * built once and kept in object storage (GIT-2). List, read, search and the making of commits need nothing else.
 */
export class Snapshot {
  readonly head: SnapshotHead;
  readonly files: ReadonlyMap<string, SnapshotFile>;
  readonly directories: ReadonlyMap<string, SnapshotDirectory>;
  /** Contents one after another, in memory that threads can share. */
  readonly text: Buffer;
  private readonly listings = new Map<string, { directories: SnapshotDirectory[]; files: SnapshotFile[] }>();

  constructor(
    head: SnapshotHead,
    files: readonly SnapshotFile[],
    directories: readonly SnapshotDirectory[],
    text: Buffer,
  ) {
    this.head = head;
    this.files = new Map(files.map((file) => [file.path, file]));
    this.directories = new Map(directories.map((directory) => [directory.path, directory]));
    this.text = text;
    for (const directory of directories) this.listings.set(directory.path, { directories: [], files: [] });
    for (const directory of directories) {
      if (directory.path !== "") this.listings.get(directoryOf(directory.path))?.directories.push(directory);
    }
    for (const file of files) this.listings.get(directoryOf(file.path))?.files.push(file);
  }

  /** What stands directly in a directory, by name; null when there is no such directory. */
  list(path: string): Listing | null {
    return this.listings.get(path) ?? null;
  }

  /** Content bytes, for entries whose content is kept. */
  bytes(file: SnapshotFile): Buffer | null {
    return file.start < 0 ? null : this.text.subarray(file.start, file.start + file.size);
  }

  /** Content of a text file, link target of a symlink; null where there is no text. */
  read(file: SnapshotFile): string | null {
    if (file.kind === "not_utf8") return null;
    return this.bytes(file)?.toString("utf8") ?? null;
  }
}

const MAGIC = "AIWSNAP1";

const indexSchema = z.object({
  head: z.object({ commit: z.string(), tree: z.string(), time: z.number(), subject: z.string() }),
  files: z.array(z.tuple([z.string(), z.string(), z.string(), z.number(), fileKind, z.number()])),
  directories: z.array(
    z.union([z.tuple([z.string(), z.string(), z.number()]), z.tuple([z.string(), z.string(), z.number(), z.string()])]),
  ),
});

/** [8 bytes name][4 bytes index length][JSON index][contents], zstd. */
export const encodeSnapshot = (snapshot: Snapshot): Uint8Array => {
  const index = Buffer.from(
    JSON.stringify({
      head: snapshot.head,
      files: [...snapshot.files.values()].map((f) => [f.path, f.mode, f.oid, f.size, f.kind, f.start]),
      directories: [...snapshot.directories.values()].map((d) =>
        d.raw === undefined ? [d.path, d.oid, d.hidden] : [d.path, d.oid, d.hidden, d.raw],
      ),
    }),
  );
  const frame = Buffer.alloc(12);
  frame.write(MAGIC, 0, "latin1");
  frame.writeUInt32BE(index.byteLength, 8);
  return zstdCompressSync(Buffer.concat([frame, index, snapshot.text]));
};

/** @returns null when the bytes are not a snapshot of this form: it is then built anew. */
export const decodeSnapshot = (stored: Uint8Array, maxBytes: number): Snapshot | null => {
  try {
    const bytes = zstdDecompressSync(stored, { maxOutputLength: maxBytes });
    if (bytes.toString("latin1", 0, 8) !== MAGIC) return null;
    const end = 12 + bytes.readUInt32BE(8);
    const index = indexSchema.parse(JSON.parse(bytes.toString("utf8", 12, end)));
    return new Snapshot(
      index.head,
      index.files.map(([path, mode, oid, size, kind, start]) => ({ path, mode, oid, size, kind, start })),
      index.directories.map(([path, oid, hidden, raw]) =>
        raw === undefined ? { path, oid, hidden } : { path, oid, hidden, raw },
      ),
      shared(bytes.subarray(end)),
    );
  } catch {
    return null;
  }
};

/** Copies into memory that a worker can read without another copy. */
export const shared = (bytes: Uint8Array): Buffer => {
  const buffer = Buffer.from(new SharedArrayBuffer(bytes.byteLength));
  buffer.set(bytes);
  return buffer;
};

/** One entry in one line, as lists show it. */
export const describeFile = (snapshot: Snapshot, file: SnapshotFile): string => {
  const name = nameOf(file.path);
  switch (file.kind) {
    case "symlink":
      return `${name} -> ${JSON.stringify(snapshot.read(file) ?? "?")} (symbolic link, not followed)`;
    case "submodule":
      return `${name} (submodule at ${file.oid.slice(0, 12)}, not fetched)`;
    case "lfs":
      return `${name} (Git LFS pointer, content not fetched)`;
    case "binary":
      return `${name} (${file.size} bytes, binary)`;
    case "too_large":
      return `${name} (${file.size} bytes, too large to read)`;
    case "not_utf8":
      return `${name} (${file.size} bytes, not UTF-8)`;
    case "text":
      return `${name} (${file.size} bytes)`;
  }
};
