import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatchHunk } from "diff";
import type { Preview, PreviewFile, PreviewNote } from "../connector/index.ts";
import { isCiConfiguration } from "./paths.ts";
import type { Proposal } from "./proposal.ts";
import type { Snapshot, SnapshotFile } from "./snapshot.ts";

const CONTEXT_LINES = 3;
/** Beyond this the shortest diff takes too long to find; the changed middle is then shown as a whole. */
const MAX_EDITS = 3000;
const LARGE_LINES = 5000;
const MAX_TITLE = 200;

/** What a person decides on, rendered from the frozen form and the contents at its base (APR-1, N29). */
export const previewOf = (snapshot: Snapshot, proposal: Proposal, sourceName: string): Preview => {
  const files = proposal.files.map((file) => previewFile(snapshot, file));
  const branch = proposal.branch.slice("refs/heads/".length);
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const subject = proposal.message.split("\n", 1)[0] ?? "";
  return {
    title: clip(`Push ${count} to ${branch} of ${sourceName}: ${subject}`),
    kind: "diff",
    files,
    fields: [
      { label: "repository", value: proposal.url },
      { label: "branch", value: branch },
      { label: "target", value: proposal.target.slice("refs/heads/".length) },
      { label: "base", value: proposal.base },
      { label: "commit", value: proposal.commit },
      { label: "message", value: proposal.message },
    ],
    predicted: { branch, commit: proposal.commit, base: proposal.base },
  };
};

const clip = (text: string): string => {
  if (text.length <= MAX_TITLE) return text;
  return `${text.slice(0, MAX_TITLE - 3).toWellFormed()}...`;
};

const previewFile = (snapshot: Snapshot, file: Proposal["files"][number]): PreviewFile => {
  const old = snapshot.files.get(file.path);
  const before = old === undefined ? "" : snapshot.read(old);
  const after = file.content ?? "";
  const change = old === undefined ? "added" : file.content === null ? "deleted" : "modified";
  if (before === null) {
    return { path: file.path, change, additions: 0, deletions: 0, diff: null, notes: notesOf(file, old, null, 0) };
  }
  const hunks = hunksOf(before, after);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    path: file.path,
    change,
    additions: lines.filter((line) => line.startsWith("+")).length,
    deletions: lines.filter((line) => line.startsWith("-")).length,
    diff: formatPatch(
      {
        oldFileName: change === "added" ? "/dev/null" : `a/${file.path}`,
        newFileName: change === "deleted" ? "/dev/null" : `b/${file.path}`,
        oldHeader: undefined,
        newHeader: undefined,
        hunks,
      },
      FILE_HEADERS_ONLY,
    ),
    notes: notesOf(file, old, before, lines.length),
  };
};

const hunksOf = (before: string, after: string): StructuredPatchHunk[] => {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const exact = structuredPatch("a", "b", before, after, undefined, undefined, options);
  return exact?.hunks ?? [wholeMiddle(before, after)];
};

/** One hunk from the first to the last line that differs. */
const wholeMiddle = (before: string, after: string): StructuredPatchHunk => {
  const a = linesOf(before);
  const b = linesOf(after);
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const from = Math.max(head - CONTEXT_LINES, 0);
  const keep = Math.min(tail, CONTEXT_LINES);
  const sign = (mark: string, lines: readonly string[]): string[] =>
    lines.flatMap((line) =>
      line.endsWith("\n") ? [`${mark}${line.slice(0, -1)}`] : [`${mark}${line}`, "\\ No newline at end of file"],
    );
  const lines = [
    ...sign(" ", a.slice(from, head)),
    ...sign("-", a.slice(head, a.length - tail)),
    ...sign("+", b.slice(head, b.length - tail)),
    ...sign(" ", a.slice(a.length - tail, a.length - tail + keep)),
  ];
  const oldLines = a.length - tail + keep - from;
  const newLines = b.length - tail + keep - from;
  return {
    oldStart: oldLines === 0 ? 0 : from + 1,
    oldLines,
    newStart: newLines === 0 ? 0 : from + 1,
    newLines,
    lines,
  };
};

const linesOf = (text: string): string[] => text.split(/(?<=\n)/).filter((line) => line !== "");

const notesOf = (
  file: Proposal["files"][number],
  old: SnapshotFile | undefined,
  before: string | null,
  diffLines: number,
): PreviewNote[] => {
  const after = file.content;
  const notes: PreviewNote[] = [];
  if (before === null) notes.push(old?.kind === "too_large" ? "large" : "binary");
  if (old?.kind === "symlink") notes.push("symlink");
  if (before !== null && after !== null && endingsChange(endings(before), endings(after))) notes.push("line_endings");
  if (after !== null && after !== "" && !after.endsWith("\n")) notes.push("no_final_newline");
  if (isCiConfiguration(file.path)) notes.push("ci_configuration");
  if (diffLines > LARGE_LINES) notes.push("large");
  return notes;
};

type Endings = "none" | "lf" | "crlf" | "mixed";

const endingsChange = (before: Endings, after: Endings): boolean =>
  before !== "none" && after !== "none" && before !== after;

const endings = (text: string): Endings => {
  const crlf = text.includes("\r\n");
  const lf = /(^|[^\r])\n/.test(text);
  if (crlf && lf) return "mixed";
  return crlf ? "crlf" : lf ? "lf" : "none";
};
