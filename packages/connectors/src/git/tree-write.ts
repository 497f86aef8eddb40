import git, { type TreeEntry } from "isomorphic-git";
import type { MemoryRepository } from "./memory-repository.ts";

export const TREE_MODE = "40000";

/** An entry in the library's form. */
export const entryOf = (name: string, mode: string, oid: string): TreeEntry => {
  const type = mode === TREE_MODE ? "tree" : mode === "160000" ? "commit" : "blob";
  return { path: name, mode: mode.padStart(6, "0"), oid, type };
};

/** Writes a tree; null when the library takes an entry of it for unsafe or does not know its mode. */
export const writeTree = async (
  repository: MemoryRepository,
  entries: readonly TreeEntry[],
): Promise<string | null> => {
  try {
    return await git.writeTree({ ...repository, tree: entries.map((entry) => ({ ...entry })) });
  } catch (error) {
    if (error instanceof git.Errors.UnsafeFilepathError || error instanceof git.Errors.InternalError) return null;
    throw error;
  }
};
