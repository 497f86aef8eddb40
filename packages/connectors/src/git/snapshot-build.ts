import { isUtf8 } from "node:buffer";
import { GitFailure } from "./failure.ts";
import type { GitLimits } from "./limits.ts";
import type { ObjectReader } from "./object-reader.ts";
import { isReadableName } from "./paths.ts";
import { Snapshot, shared, type FileKind, type SnapshotDirectory, type SnapshotFile } from "./snapshot.ts";
import { isUsualTree, parseTree } from "./tree.ts";

const LFS_POINTER = "version https://git-lfs.github.com/spec/v1\n";
/** As Git itself does: a zero byte near the beginning means binary. */
const BINARY_PROBE_BYTES = 8000;
const MAX_DEPTH = 100;
const MAX_PATH_BYTES = 4096;

/**
 * Makes the snapshot of a fetched commit. Links are not followed, submodules and LFS contents not fetched, nothing is
 * filtered or run (GIT-1, N65, N68).
 * @throws GitFailure `source_too_large` or `source_protocol`.
 */
export const buildSnapshot = async (reader: ObjectReader, commit: string, limits: GitLimits): Promise<Snapshot> => {
  const { tree, committer, message } = await reader.commit(commit);
  const found: Found = { files: [], directories: [], parts: [], bytes: 0 };
  await walk({ reader, limits, found }, tree, "", 0);
  const subject = (message.split("\n", 1)[0] ?? "").slice(0, 200);
  const head = { commit, tree, time: committer.timestamp, subject };
  return new Snapshot(head, found.files, found.directories, shared(Buffer.concat(found.parts)));
};

interface Found {
  readonly files: SnapshotFile[];
  readonly directories: SnapshotDirectory[];
  readonly parts: Buffer[];
  bytes: number;
}

interface Walk {
  readonly reader: ObjectReader;
  readonly limits: GitLimits;
  readonly found: Found;
}

const walk = async (context: Walk, oid: string, path: string, depth: number): Promise<void> => {
  const data = await context.reader.tree(oid);
  const entries = parseTree(data);
  const twice = repeated(entries.map((entry) => entry.name));
  let hidden = 0;
  const below: { oid: string; path: string }[] = [];
  for (const { name, mode, oid: child } of entries) {
    const full = path === "" ? (name ?? "") : `${path}/${name ?? ""}`;
    const usable = name !== null && isReadableName(name) && !twice.has(name) && depth < MAX_DEPTH;
    if (!usable || Buffer.byteLength(full) > MAX_PATH_BYTES) hidden += 1;
    else if (mode === "40000" || mode === "040000") below.push({ oid: child, path: full });
    else await addFile(context, full, mode, child);
    checkCount(context);
  }
  const raw = (await context.reader.isReadableTree(oid)) ? data.toString("base64") : "";
  const isUsual = raw !== "" && hidden === 0 && isUsualTree(entries);
  context.found.directories.push(isUsual ? { path, oid, hidden } : { path, oid, hidden, raw });
  for (const directory of below) await walk(context, directory.oid, directory.path, depth + 1);
};

const checkCount = ({ found, limits }: Walk): void => {
  if (found.files.length + found.directories.length > limits.maxFiles) {
    throw new GitFailure("source_too_large", `The repository has more than ${limits.maxFiles} files.`);
  }
};

const addFile = async ({ reader, limits, found }: Walk, path: string, mode: string, oid: string): Promise<void> => {
  if (mode === "160000") {
    found.files.push({ path, mode, oid, size: 0, kind: "submodule", start: -1 });
    return;
  }
  const data = await reader.blob(oid);
  const size = data.byteLength;
  const kind = kindOf(data, mode, limits);
  if (kind === "binary" || kind === "too_large") {
    found.files.push({ path, mode, oid, size, kind, start: -1 });
    return;
  }
  found.files.push({ path, mode, oid, size, kind, start: found.bytes });
  found.parts.push(data);
  found.bytes += size;
  if (found.bytes > limits.maxTextBytes) {
    throw new GitFailure("source_too_large", `The repository has more than ${limits.maxTextBytes} bytes of text.`);
  }
};

const kindOf = (data: Buffer, mode: string, limits: GitLimits): FileKind => {
  if (data.byteLength > limits.maxFileBytes) return "too_large";
  if (mode === "120000") return isUtf8(data) && data.byteLength <= 4096 ? "symlink" : "binary";
  if (data.subarray(0, BINARY_PROBE_BYTES).includes(0)) return "binary";
  if (!isUtf8(data)) return "not_utf8";
  return data.byteLength < 1024 && data.toString("utf8").startsWith(LFS_POINTER) ? "lfs" : "text";
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
