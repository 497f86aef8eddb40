import { parsePatch } from "diff";
import { commonShare, type DiffPart, markWords } from "./diff-words.ts";
import { countDisguised, countMarked, LINE_END, visibleText } from "./visible-text.ts";

export interface DiffLine {
  readonly kind: "context" | "add" | "del";
  readonly oldLine: number | null;
  readonly newLine: number | null;
  readonly parts: readonly DiffPart[];
  /** The file ends with this line and has no line feed after it. */
  readonly noNewline: boolean;
}

export interface DiffHunk {
  readonly header: string;
  readonly lines: readonly DiffLine[];
}

/**
 * A readable diff, or, when the patch cannot be read for certain, the patch as it is: an approver never sees less than
 * what was frozen (APR-2).
 */
export type DiffModel =
  | {
      readonly kind: "hunks";
      readonly hunks: readonly DiffHunk[];
      readonly lines: number;
      readonly additions: number;
      readonly deletions: number;
      readonly disguised: number;
    }
  | { readonly kind: "empty" }
  | { readonly kind: "raw"; readonly text: string; readonly disguised: number };

interface Row {
  readonly kind: "context" | "add" | "del";
  readonly text: string;
  noNewline: boolean;
}

const KINDS: Readonly<Record<string, Row["kind"]>> = { " ": "context", "+": "add", "-": "del" };

function rowsOf(lines: readonly string[]): readonly Row[] | null {
  const rows: Row[] = [];
  for (const line of lines) {
    const kind = KINDS[line.charAt(0)];
    const last = rows.at(-1);
    if (kind !== undefined) rows.push({ kind, text: line.slice(1), noNewline: false });
    else if (line.startsWith("\\") && last !== undefined) last.noNewline = true;
    else return null;
  }
  return rows;
}

/** Blocks with more lines on a side are paired by position: comparing all with all would hold the page. */
const MAX_SEARCH = 40;

/**
 * Which added line stands for which removed one. Equal counts pair by position; otherwise the shorter side looks, in
 * order, for the line with most words in common, so that an inserted line does not shift all marks.
 */
function pairs(removed: readonly Row[], added: readonly Row[]): readonly (readonly [Row, Row])[] {
  const shorter = removed.length <= added.length ? removed : added;
  const longer = shorter === removed ? added : removed;
  const search = shorter.length !== longer.length && longer.length <= MAX_SEARCH;
  let next = 0;
  return shorter.flatMap((row, i) => {
    const last = search ? longer.length - (shorter.length - i) : next;
    const found = longer
      .slice(next, last + 1)
      .reduce<Row | undefined>(
        (best, candidate) =>
          best === undefined || commonShare(row.text, candidate.text) > commonShare(row.text, best.text)
            ? candidate
            : best,
        undefined,
      );
    if (found === undefined) return [];
    next = longer.indexOf(found) + 1;
    return [shorter === removed ? ([row, found] as const) : ([found, row] as const)];
  });
}

/** Whether a line ends with CR LF: its line feed is not in the row, and a last line without one has a lone carriage return. */
const hasReturn = (row: Row): boolean => row.text.endsWith("\r") && !row.noNewline;
const bodyOf = (row: Row): string => (hasReturn(row) ? row.text.slice(0, -1) : row.text);
const endOf = (row: Row, counterpart?: Row): readonly DiffPart[] =>
  hasReturn(row) ? [{ ...LINE_END, changed: counterpart !== undefined && !hasReturn(counterpart) }] : [];

/** Word marks for each pair of a block of removed and added lines. */
function markedParts(rows: readonly Row[]): ReadonlyMap<Row, readonly DiffPart[]> {
  const marked = new Map<Row, readonly DiffPart[]>();
  let at = 0;
  while (at < rows.length) {
    const removed: Row[] = [];
    const added: Row[] = [];
    for (; rows[at]?.kind === "del"; at++) removed.push(...rows.slice(at, at + 1));
    for (; rows[at]?.kind === "add"; at++) added.push(...rows.slice(at, at + 1));
    if (removed.length === 0 && added.length === 0) at++;
    for (const [before, after] of pairs(removed, added)) {
      const words = markWords(bodyOf(before), bodyOf(after));
      if (words === null) continue;
      marked.set(before, [...words.before, ...endOf(before, after)]);
      marked.set(after, [...words.after, ...endOf(after, before)]);
    }
  }
  return marked;
}

const plainParts = (row: Row): readonly DiffPart[] => [
  ...visibleText(bodyOf(row)).map((part) => ({ ...part, changed: false })),
  ...endOf(row),
];

function numbered(rows: readonly Row[], oldStart: number, newStart: number): readonly DiffLine[] {
  const marked = markedParts(rows);
  let oldLine = oldStart;
  let newLine = newStart;
  return rows.map((row) => ({
    kind: row.kind,
    oldLine: row.kind === "add" ? null : oldLine++,
    newLine: row.kind === "del" ? null : newLine++,
    parts: marked.get(row) ?? plainParts(row),
    noNewline: row.noNewline,
  }));
}

/** True when every line from the first hunk on is part of a hunk: nothing of the patch would be left out. */
function covers(patch: string, hunkLines: number, hunks: number): boolean {
  const lines = patch.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const first = lines.findIndex((line) => line.startsWith("@@"));
  return first !== -1 && lines.length - first === hunkLines + hunks;
}

/** Lines that name files and nothing else, as stand before the hunks; an empty file that comes or goes has only these. */
const FILE_HEADER = /^(---|\+\+\+|===|diff --git |index |new file mode 100644$|deleted file mode 100644$|$)/;
const onlyHeaders = (patch: string): boolean => patch.split("\n").every((line) => FILE_HEADER.test(line));

/**
 * Reads the unified diff of one file.
 *
 * @param patch unified diff text with or without file headers; null when there is no text diff
 */
export function diffModel(patch: string | null): DiffModel {
  if (patch === null || onlyHeaders(patch)) return { kind: "empty" };
  const raw: DiffModel = { kind: "raw", text: patch, disguised: countDisguised(patch) };
  try {
    const files = parsePatch(patch);
    const file = files[0];
    if (file === undefined || files.length !== 1 || file.hunks.length === 0) return raw;
    const hunkLines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    if (!covers(patch, hunkLines, file.hunks.length)) return raw;
    const hunks: DiffHunk[] = [];
    for (const hunk of file.hunks) {
      const rows = rowsOf(hunk.lines);
      if (rows === null) return raw;
      hunks.push({
        header: `@@ -${String(hunk.oldStart)},${String(hunk.oldLines)} +${String(hunk.newStart)},${String(hunk.newLines)} @@`,
        lines: numbered(rows, hunk.oldStart, hunk.newStart),
      });
    }
    const all = hunks.flatMap((hunk) => hunk.lines);
    return {
      kind: "hunks",
      hunks,
      lines: all.length,
      additions: all.filter((line) => line.kind === "add").length,
      deletions: all.filter((line) => line.kind === "del").length,
      disguised: all.reduce((sum, line) => sum + countMarked(line.parts), 0),
    };
  } catch {
    return raw;
  }
}
