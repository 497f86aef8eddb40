import { isUtf8 } from "node:buffer";
import { GitFailure } from "./failure.ts";
import type { Pack } from "./fetch-pack.ts";
import type { GitLimits } from "./limits.ts";
import { parseCommit, parseTree } from "./objects.ts";
import type { PackedObject } from "./pack-reader.ts";
import { isReadableName } from "./paths.ts";
import { Snapshot, shared, type FileKind, type SnapshotDirectory, type SnapshotFile } from "./snapshot.ts";

const LFS_POINTER = "version https://git-lfs.github.com/spec/v1\n";
/** As Git itself does: a zero byte near the beginning means binary. */
const BINARY_PROBE_BYTES = 8000;
const MAX_DEPTH = 100;
const MAX_PATH_BYTES = 4096;

/**
 * Makes the snapshot of a commit out of a fetched pack. Links are not followed, submodules and LFS contents not fetched,
 * nothing is filtered or run (GIT-1, N65, N68).
 * @throws GitFailure `source_too_large` or `source_protocol`.
 */
export const buildSnapshot = (pack: Pack, commit: string, limits: GitLimits): Snapshot => {
  const facts = parseCommit(content(pack, commit, "commit"));
  const found: Found = { files: [], directories: [], parts: [], bytes: 0 };
  walk({ pack, limits, found }, facts.tree, "", 0);
  const head = { commit, tree: facts.tree, time: facts.time, subject: facts.subject };
  return new Snapshot(head, found.files, found.directories, shared(Buffer.concat(found.parts)));
};

interface Found {
  readonly files: SnapshotFile[];
  readonly directories: SnapshotDirectory[];
  readonly parts: Buffer[];
  bytes: number;
}

interface Walk {
  readonly pack: Pack;
  readonly limits: GitLimits;
  readonly found: Found;
}

const walk = (context: Walk, oid: string, path: string, depth: number): void => {
  const entries = parseTree(content(context.pack, oid, "tree"));
  const twice = repeated(entries.map((entry) => entry.name));
  let hidden = 0;
  const below: { oid: string; path: string }[] = [];
  for (const { name, mode, oid: child } of entries) {
    const full = path === "" ? (name ?? "") : `${path}/${name ?? ""}`;
    const usable = name !== null && isReadableName(name) && !twice.has(name) && depth < MAX_DEPTH;
    if (!usable || Buffer.byteLength(full) > MAX_PATH_BYTES) hidden += 1;
    else if (mode === "40000" || mode === "040000") below.push({ oid: child, path: full });
    else addFile(context, full, mode, child);
    checkCount(context);
  }
  context.found.directories.push({ path, oid, hidden });
  for (const directory of below) walk(context, directory.oid, directory.path, depth + 1);
};

const checkCount = ({ found, limits }: Walk): void => {
  if (found.files.length + found.directories.length > limits.maxFiles) {
    throw new GitFailure("source_too_large", `The repository has more than ${limits.maxFiles} files.`);
  }
};

const addFile = ({ pack, limits, found }: Walk, path: string, mode: string, oid: string): void => {
  if (mode === "160000") {
    found.files.push({ path, mode, oid, size: 0, kind: "submodule", start: -1 });
    return;
  }
  const object = pack.get(oid);
  const kind = kindOf(object, mode, limits);
  const kept = kind === "text" || kind === "symlink" || kind === "lfs" || kind === "not_utf8";
  if (!kept || object === undefined || object.data === null) {
    found.files.push({ path, mode, oid, size: object?.size ?? 0, kind, start: -1 });
    return;
  }
  found.files.push({ path, mode, oid, size: object.size, kind, start: found.bytes });
  found.parts.push(object.data);
  found.bytes += object.size;
  if (found.bytes > limits.maxTextBytes) {
    throw new GitFailure("source_too_large", `The repository has more than ${limits.maxTextBytes} bytes of text.`);
  }
};

const kindOf = (object: PackedObject | undefined, mode: string, limits: GitLimits): FileKind => {
  const data = object?.data ?? null;
  // An object that is announced in a tree and missing in the pack is one that rests on something too large to hold.
  if (data === null || data.byteLength > limits.maxFileBytes) return "too_large";
  if (mode === "120000") return isUtf8(data) && data.byteLength <= 4096 ? "symlink" : "binary";
  if (data.subarray(0, BINARY_PROBE_BYTES).includes(0)) return "binary";
  if (!isUtf8(data)) return "not_utf8";
  return data.byteLength < 1024 && data.toString("utf8").startsWith(LFS_POINTER) ? "lfs" : "text";
};

const content = (pack: Pack, oid: string, type: "commit" | "tree"): Buffer => {
  const object = pack.get(oid);
  if (object?.type !== type || object.data === null) {
    throw new GitFailure("source_protocol", `The server left out a ${type} of the repository.`);
  }
  return object.data;
};

const repeated = (names: readonly (string | null)[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) {
    if (name === null) continue;
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  return twice;
};
