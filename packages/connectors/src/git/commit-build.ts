import git, { type TreeEntry } from "isomorphic-git";
import { GitFailure, Refusal } from "./failure.ts";
import { emptyRepository, type MemoryRepository } from "./memory-repository.ts";
import { directoryOf, nameOf, parentsOf } from "./paths.ts";
import type { Snapshot, SnapshotDirectory } from "./snapshot.ts";
import { TREE_MODE, entryOf, writeTree } from "./tree-write.ts";

/** A changed file as Git stores it; `content` null deletes. */
export interface TreeChange {
  readonly path: string;
  readonly mode: string;
  readonly content: Uint8Array | null;
}

export interface BuiltCommit {
  readonly tree: string;
  readonly commit: string;
  /** Holds all objects that the base does not have. */
  readonly repository: MemoryRepository;
}

const IDENTITY = { name: "AI Workspace", email: "noreply@ai-workspace.invalid", timezoneOffset: 0 };

/**
 * Makes the commit with these changes on top of the snapshot's commit: without a working tree, without asking a server,
 * and always the same bytes (GIT-8).
 * @throws Refusal when a directory has entries that cannot be kept byte for byte.
 */
export const buildCommit = async (
  snapshot: Snapshot,
  changes: readonly TreeChange[],
  meta: { readonly message: string; readonly time: number },
): Promise<BuiltCommit> => {
  const refused = [...snapshot.directories.values()].find(({ raw }) => raw === "");
  if (refused !== undefined) throw notKept(refused.path);
  const repository = await emptyRepository();
  const trees = new Map<string, Map<string, TreeEntry>>();
  for (const { path, mode, content } of changes) {
    const entries = await entriesOf(repository, snapshot, trees, directoryOf(path));
    const name = nameOf(path);
    if (content === null) entries.delete(name);
    else entries.set(name, entryOf(name, mode, await git.writeBlob({ ...repository, blob: content })));
    for (const parent of [...parentsOf(path), ""]) await entriesOf(repository, snapshot, trees, parent);
  }
  const tree = await writeTrees(repository, trees);
  const person = { ...IDENTITY, timestamp: meta.time };
  const facts = { tree, parent: [snapshot.head.commit], author: person, committer: person, message: meta.message };
  const commit = await git.writeCommit({ ...repository, commit: facts });
  return { tree, commit, repository };
};

/** Deepest first: a directory's id is part of the one above it. Answers with the root's id. */
const writeTrees = async (
  repository: MemoryRepository,
  trees: Map<string, Map<string, TreeEntry>>,
): Promise<string> => {
  const order = [...trees.keys()].sort((a, b) => depthOf(b) - depthOf(a));
  let root = "";
  for (const path of order) {
    const entries = [...(trees.get(path)?.values() ?? [])];
    const above = trees.get(directoryOf(path));
    const name = nameOf(path);
    if (entries.length === 0 && path !== "") {
      above?.delete(name);
      continue;
    }
    const oid = await writeTree(repository, entries);
    if (oid === null) throw notKept(path);
    if (path === "") root = oid;
    else above?.set(name, entryOf(name, TREE_MODE, oid));
  }
  return root;
};

const depthOf = (path: string): number => (path === "" ? 0 : path.split("/").length);

const entriesOf = async (
  repository: MemoryRepository,
  snapshot: Snapshot,
  trees: Map<string, Map<string, TreeEntry>>,
  path: string,
): Promise<Map<string, TreeEntry>> => {
  const known = trees.get(path);
  if (known !== undefined) return known;
  const entries = shownEntries(snapshot, path);
  const oid = snapshot.directories.get(path)?.oid;
  if (oid !== undefined && (await writeTree(repository, entries)) !== oid) throw notKept(path);
  const byName = new Map(entries.map((entry) => [entry.path, entry]));
  trees.set(path, byName);
  return byName;
};

/** Directories written at the same time; each waits for a compressing thread. */
const AT_ONCE = 32;

/**
 * Adds the directories of the base, so that the library can tell what the server has from what it lacks.
 * No contents are needed for that.
 */
export const addBaseTrees = async (repository: MemoryRepository, snapshot: Snapshot): Promise<void> => {
  const directories = [...snapshot.directories.values()];
  for (let at = 0; at < directories.length; at += AT_ONCE) {
    await Promise.all(directories.slice(at, at + AT_ONCE).map((one) => addTree(repository, snapshot, one)));
  }
};

const addTree = async (repository: MemoryRepository, snapshot: Snapshot, directory: SnapshotDirectory) => {
  const { path, oid, raw } = directory;
  const bytes = { type: "tree", format: "content", object: Buffer.from(raw ?? "", "base64") } as const;
  const written =
    raw === undefined
      ? await writeTree(repository, shownEntries(snapshot, path))
      : await git.writeObject({ ...repository, ...bytes });
  if (written !== oid) throw new GitFailure("source_protocol", `The directory ${path} cannot be rebuilt.`);
};

const shownEntries = (snapshot: Snapshot, path: string): TreeEntry[] => {
  const listing = snapshot.list(path);
  if (listing === null) return [];
  return [
    ...listing.files.map((file) => entryOf(nameOf(file.path), file.mode, file.oid)),
    ...listing.directories.map((directory) => entryOf(nameOf(directory.path), TREE_MODE, directory.oid)),
  ];
};

const notKept = (path: string): Refusal => {
  const where = path === "" ? "The root" : path;
  return new Refusal(
    `${where} has entries with unsafe names or modes that a change could not keep; nothing can be changed there.`,
  );
};
