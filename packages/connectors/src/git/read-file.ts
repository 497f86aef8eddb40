import type { z } from "zod";
import type { ToolResult } from "../connector/index.ts";
import { nameOf, readPath } from "./paths.ts";
import { answer, refusal, shorten, takeLines } from "./result.ts";
import { describeFile, type Snapshot, type SnapshotFile } from "./snapshot.ts";
import type { readFileArgs } from "./tools.ts";

const MAX_LINE_CHARACTERS = 2000;
const MAX_SUGGESTIONS = 5;

/** `git_read_file` (GIT-1): text with line numbers, in parts that fit. */
export const readFile = (snapshot: Snapshot, args: z.infer<typeof readFileArgs>, maxBytes: number): ToolResult => {
  const path = readPath(args.path);
  if (!path.ok) return refusal(path.text);
  if (snapshot.list(path.path) !== null) return refusal(`${path.path === "" ? "The root" : path.path} is a directory.`);
  const file = snapshot.files.get(path.path);
  if (file === undefined) return refusal(missing(snapshot, path.path));
  const content = contentOf(snapshot, file);
  if (content === null) return answer(`${file.path} cannot be read as text: ${describeFile(snapshot, file)}`);
  return part(snapshot, file, content, args, maxBytes);
};

const contentOf = (snapshot: Snapshot, file: SnapshotFile): string | null => {
  if (file.kind === "text") return snapshot.read(file);
  if (file.kind !== "not_utf8") return null;
  const bytes = snapshot.bytes(file);
  // Windows-1252 has a character for nearly every byte, and is what most text that is not UTF-8 turns out to be.
  return bytes === null ? null : new TextDecoder("windows-1252").decode(Buffer.from(bytes));
};

const part = (
  snapshot: Snapshot,
  file: SnapshotFile,
  content: string,
  args: z.infer<typeof readFileArgs>,
  maxBytes: number,
): ToolResult => {
  if (content === "") return answer(`${file.path} is empty.`);
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const from = args.start_line ?? 1;
  const to = Math.min(args.end_line ?? lines.length, lines.length);
  if (from > lines.length) return refusal(`${file.path} has ${lines.length} lines; line ${from} does not exist.`);
  if (from > to) return refusal("end_line must not be before start_line.");
  const notes = [
    ...(file.kind === "not_utf8" ? ["not UTF-8, shown as Windows-1252, cannot be changed in part"] : []),
    ...(content.includes("\r\n") ? ["line endings CRLF"] : []),
    ...(content.endsWith("\n") ? [] : ["no newline at the end"]),
  ];
  const at = `${file.path} at commit ${snapshot.head.commit.slice(0, 12)}`;
  const numbered = lines
    .slice(from - 1, to)
    .map(
      (text, index) => `${String(from + index).padStart(5)}\t${shorten(text.replace(/\r$/, ""), MAX_LINE_CHARACTERS)}`,
    );
  const head = `${at}, lines ${from}-${to} of ${lines.length}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`;
  const { text, taken } = takeLines([head, ...numbered], maxBytes);
  const last = from + taken - 2;
  if (last >= to) return answer(text, to < lines.length && args.end_line === undefined);
  if (last < from) return refusal(`Line ${from} of ${file.path} is too long to be shown.`);
  return answer(`${text}\n[Cut after line ${last} of ${lines.length}. Continue with start_line: ${last + 1}.]`, true);
};

const missing = (snapshot: Snapshot, path: string): string => {
  const name = nameOf(path).toLowerCase();
  const similar: string[] = [];
  for (const other of snapshot.files.keys()) {
    if (nameOf(other).toLowerCase() === name && similar.length < MAX_SUGGESTIONS) similar.push(other);
  }
  const hint = similar.length > 0 ? ` Files of this name: ${similar.join(", ")}.` : "";
  return `There is no file ${path} at commit ${snapshot.head.commit.slice(0, 12)}.${hint}`;
};
