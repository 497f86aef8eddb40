import { Refusal } from "./failure.ts";
import { TREE_MODE, encodeCommit, encodeTree, oidOf, type GitObject, type TreeEntry } from "./objects.ts";
import { directoryOf, nameOf, parentsOf } from "./paths.ts";
import type { Snapshot } from "./snapshot.ts";

/** A changed file as Git stores it; `content` null deletes. */
export interface TreeChange {
  readonly path: string;
  readonly mode: string;
  readonly content: Uint8Array | null;
}

export interface BuiltCommit {
  readonly tree: string;
  readonly commit: string;
  /** All objects that the base does not have, the commit first. */
  readonly objects: readonly GitObject[];
}

/**
 * Makes the commit with these changes on top of the snapshot's commit: without a working tree, without asking a server,
 * and always the same bytes (GIT-8).
 * @throws Refusal when a directory has entries that cannot be kept byte for byte.
 */
export const buildCommit = (
  snapshot: Snapshot,
  changes: readonly TreeChange[],
  meta: { readonly message: string; readonly time: number },
): BuiltCommit => {
  const trees = new Map<string, Map<string, TreeEntry>>();
  const objects: GitObject[] = [];
  for (const change of changes) {
    const entries = entriesOf(snapshot, trees, directoryOf(change.path));
    const name = nameOf(change.path);
    if (change.content === null) entries.delete(name);
    else {
      const data = Buffer.from(change.content);
      objects.push({ type: "blob", data });
      entries.set(name, { name, mode: change.mode, oid: oidOf("blob", data) });
    }
    for (const parent of parentsOf(change.path)) entriesOf(snapshot, trees, parent);
    entriesOf(snapshot, trees, "");
  }
  // Deepest first: a directory's id is part of the one above it.
  const order = [...trees.keys()].sort((a, b) => depthOf(b) - depthOf(a));
  let tree = "";
  for (const path of order) {
    const entries = trees.get(path) ?? new Map<string, TreeEntry>();
    if (entries.size === 0 && path !== "") {
      trees.get(directoryOf(path))?.delete(nameOf(path));
      continue;
    }
    const data = encodeTree([...entries.values()]);
    const oid = oidOf("tree", data);
    objects.push({ type: "tree", data });
    if (path === "") tree = oid;
    else trees.get(directoryOf(path))?.set(nameOf(path), { name: nameOf(path), mode: TREE_MODE, oid });
  }
  const data = encodeCommit({ tree, parent: snapshot.head.commit, time: meta.time, message: meta.message });
  return { tree, commit: oidOf("commit", data), objects: unique([{ type: "commit", data }, ...objects]) };
};

const depthOf = (path: string): number => (path === "" ? 0 : path.split("/").length);

const entriesOf = (
  snapshot: Snapshot,
  trees: Map<string, Map<string, TreeEntry>>,
  path: string,
): Map<string, TreeEntry> => {
  const known = trees.get(path);
  if (known !== undefined) return known;
  const entries = original(snapshot, path);
  trees.set(path, entries);
  return entries;
};

const original = (snapshot: Snapshot, path: string): Map<string, TreeEntry> => {
  const listing = snapshot.list(path);
  const entries = new Map<string, TreeEntry>();
  if (listing === null) return entries;
  for (const file of listing.files)
    entries.set(nameOf(file.path), { name: nameOf(file.path), mode: file.mode, oid: file.oid });
  for (const directory of listing.directories) {
    entries.set(nameOf(directory.path), { name: nameOf(directory.path), mode: TREE_MODE, oid: directory.oid });
  }
  const rebuilt = oidOf("tree", encodeTree([...entries.values()]));
  if (rebuilt !== snapshot.directories.get(path)?.oid) {
    const where = path === "" ? "The root" : path;
    throw new Refusal(
      `${where} has entries with unsafe names or modes that a change could not keep; nothing can be changed there.`,
    );
  }
  return entries;
};

const unique = (objects: readonly GitObject[]): GitObject[] => {
  const byOid = new Map(objects.map((object) => [oidOf(object.type, object.data), object]));
  return [...byOid.values()];
};
