import { GitFailure } from "./failure.ts";

/** One entry of a tree as it stands there; `mode` in Git's own spelling ("40000", "100644"). */
export interface RawEntry {
  readonly mode: string;
  /** Null for a name that is not UTF-8: it can be counted, not kept. */
  readonly name: string | null;
  readonly oid: string;
}

/**
 * Reads the bytes of a tree. The library's own reader refuses the whole tree for one bad name and turns names that are
 * not UTF-8 into others; here such entries are seen one by one (M11). @throws GitFailure `source_protocol`
 */
export const parseTree = (data: Buffer): RawEntry[] => {
  const entries: RawEntry[] = [];
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

const USUAL_MODES = ["40000", "100644", "100755", "120000", "160000"];

/** Whether the library, given these entries, writes the same tree: usual modes, names that are text, in Git's order. */
export const isUsualTree = (entries: readonly RawEntry[]): boolean => {
  let before: Buffer | null = null;
  for (const { name, mode } of entries) {
    if (name === null || !USUAL_MODES.includes(mode)) return false;
    // Git orders a tree by bytes, a directory as if its name ended in "/".
    const key = Buffer.from(mode === "40000" ? `${name}/` : name);
    if (before !== null && Buffer.compare(before, key) >= 0) return false;
    before = key;
  }
  return true;
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
};
