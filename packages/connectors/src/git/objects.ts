import { createHash } from "node:crypto";
import { GitFailure } from "./failure.ts";

export type ObjectType = "commit" | "tree" | "blob" | "tag";

export interface GitObject {
  readonly type: ObjectType;
  readonly data: Buffer;
}

/** One entry of a tree as it stands there; `mode` in Git's own spelling ("40000", "100644"). */
export interface TreeEntry {
  readonly name: string;
  readonly mode: string;
  readonly oid: string;
}

export const TREE_MODE = "40000";

export const oidOf = (type: ObjectType, data: Uint8Array): string =>
  createHash("sha1").update(`${type} ${data.byteLength}\0`).update(data).digest("hex");

/** Entries with names that are not UTF-8 come back with a name of null: they can be counted, not kept. */
export const parseTree = (data: Buffer): { mode: string; name: string | null; oid: string }[] => {
  const entries: { mode: string; name: string | null; oid: string }[] = [];
  let at = 0;
  while (at < data.byteLength) {
    const space = data.indexOf(0x20, at);
    const zero = data.indexOf(0, at);
    if (space < 0 || zero < space || zero + 21 > data.byteLength) {
      throw new GitFailure("source_protocol", "The repository has a damaged tree.");
    }
    entries.push({
      mode: data.toString("latin1", at, space),
      name: decodeUtf8(data.subarray(space + 1, zero)),
      oid: data.toString("hex", zero + 1, zero + 21),
    });
    at = zero + 21;
  }
  return entries;
};

/** Git orders a tree by bytes, a directory as if its name ended in "/". */
export const encodeTree = (entries: readonly TreeEntry[]): Buffer => {
  const keyed = entries.map((entry) => ({
    entry,
    key: Buffer.from(entry.mode === TREE_MODE ? `${entry.name}/` : entry.name),
  }));
  keyed.sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat(
    keyed.flatMap(({ entry }) => [Buffer.from(`${entry.mode} ${entry.name}\0`), Buffer.from(entry.oid, "hex")]),
  );
};

export interface CommitFacts {
  readonly tree: string;
  readonly parents: readonly string[];
  /** Committer's time, whole seconds since 1970. */
  readonly time: number;
  readonly subject: string;
}

export const parseCommit = (data: Buffer): CommitFacts => {
  const text = data.toString("utf8");
  const end = text.indexOf("\n\n");
  const head = end < 0 ? text : text.slice(0, end);
  const tree = /^tree ([0-9a-f]{40})$/m.exec(head)?.[1];
  const time = /^committer .*> (\d{1,12}) [+-]\d{4}$/m.exec(head)?.[1];
  if (tree === undefined) throw new GitFailure("source_protocol", "The repository has a damaged commit.");
  return {
    tree,
    parents: [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].flatMap((match) => match[1] ?? []),
    time: Number(time ?? "0"),
    subject: end < 0 ? "" : (text.slice(end + 2).split("\n", 1)[0] ?? "").slice(0, 200),
  };
};

const IDENTITY = "AI Workspace <noreply@ai-workspace.invalid>";

/** A commit whose every byte follows from its arguments, so that it can be rebuilt and compared (GIT-8). */
export const encodeCommit = (facts: { tree: string; parent: string; time: number; message: string }): Buffer =>
  Buffer.from(
    `tree ${facts.tree}\nparent ${facts.parent}\nauthor ${IDENTITY} ${facts.time} +0000\n` +
      `committer ${IDENTITY} ${facts.time} +0000\n\n${facts.message}`,
  );

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of valid UTF-8, else null. */
export const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
};
