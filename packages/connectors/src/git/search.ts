import type { z } from "zod";
import type { ToolResult } from "../connector/index.ts";
import { compileGlob } from "./glob.ts";
import { answer, refusal, shorten, takeLines } from "./result.ts";
import { searchByRegex, type Hit } from "./search-worker.ts";
import type { Snapshot, SnapshotFile } from "./snapshot.ts";
import type { searchArgs } from "./tools.ts";

type SearchArgs = z.infer<typeof searchArgs>;

const DEFAULT_RESULTS = 100;
const MAX_LINE_CHARACTERS = 300;

/** `git_search` (GIT-1, N69): hits in path order, at most `searchMs` of work for a regular expression. */
export const search = async (
  snapshot: Snapshot,
  args: SearchArgs,
  bounds: { readonly maxBytes: number; readonly searchMs: number; readonly signal: AbortSignal },
): Promise<ToolResult> => {
  const glob = compileGlob(args.path_glob ?? "**");
  if (!glob.ok) return refusal(glob.text);
  const fitting = [...snapshot.files.values()].filter((file) => glob.matches(file.path));
  const files = fitting.filter((file) => file.kind === "text");
  const left = fitting.length - files.length;
  if (fitting.length === 0) return answer(`No file fits ${args.path_glob ?? "**"}.`);
  const limit = args.max_results ?? DEFAULT_RESULTS;
  const found =
    args.regex === true
      ? await byRegex(snapshot, files, args, limit, bounds)
      : byText(snapshot, files, args, limit + 1);
  if (typeof found === "string") return refusal(found);
  return render(snapshot, files, found, { args, limit, left, maxBytes: bounds.maxBytes });
};

const byRegex = async (
  snapshot: Snapshot,
  files: readonly SnapshotFile[],
  args: SearchArgs,
  limit: number,
  bounds: { readonly searchMs: number; readonly signal: AbortSignal },
): Promise<readonly Hit[] | string> => {
  const flags = args.case_sensitive === true ? "" : "i";
  try {
    // Parsing alone does not run the pattern.
    new RegExp(args.pattern, flags);
  } catch (error) {
    return error instanceof Error ? error.message : "The regular expression is not valid.";
  }
  const outcome = await searchByRegex({
    text: snapshot.text,
    ranges: files.map((file) => [file.start, file.start + file.size]),
    pattern: args.pattern,
    flags,
    limit: limit + 1,
    timeoutMs: bounds.searchMs,
    signal: bounds.signal,
  });
  if (outcome.ok) return outcome.hits;
  return outcome.reason === "timeout"
    ? `The regular expression was stopped after ${bounds.searchMs / 1000} s. Use a simpler one, a path_glob, or a plain text search.`
    : "The regular expression could not be run. Use a simpler one or a plain text search.";
};

const byText = (snapshot: Snapshot, files: readonly SnapshotFile[], args: SearchArgs, limit: number): Hit[] => {
  const exact = args.case_sensitive === true;
  const needle = exact ? args.pattern : args.pattern.toLowerCase();
  const bytes = Buffer.from(args.pattern);
  const hits: Hit[] = [];
  for (const [index, file] of files.entries()) {
    // Most files have no hit at all: the bytes tell without decoding, where the spelling is exact.
    if (exact && !(snapshot.bytes(file)?.includes(bytes) ?? false)) continue;
    const content = snapshot.read(file) ?? "";
    if (!exact && !content.toLowerCase().includes(needle)) continue;
    for (const [number, line] of content.split("\n").entries()) {
      if (!(exact ? line : line.toLowerCase()).includes(needle)) continue;
      hits.push([index, number]);
      if (hits.length >= limit) return hits;
    }
  }
  return hits;
};

const render = (
  snapshot: Snapshot,
  files: readonly SnapshotFile[],
  found: readonly Hit[],
  about: { readonly args: SearchArgs; readonly limit: number; readonly left: number; readonly maxBytes: number },
): ToolResult => {
  const shown = found.slice(0, about.limit);
  const more = found.length > shown.length;
  const skipped = about.left > 0 ? ` ${about.left} binary, large or linked files were not searched.` : "";
  if (shown.length === 0) return answer(`No hits in ${files.length} files.${skipped}`);
  const perFile = Map.groupBy(shown, ([file]) => file);
  const head = `${more ? "More than " : ""}${shown.length} hits in ${perFile.size} of ${files.length} files at commit ${snapshot.head.commit.slice(0, 12)}.${skipped}`;
  const lines = [...perFile].flatMap(([index, hits]) => {
    const file = files[index];
    return file === undefined
      ? []
      : fileLines(
          snapshot,
          file,
          hits.map(([, line]) => line),
          about.args.context_lines ?? 0,
        );
  });
  const { text, taken } = takeLines([head, ...lines], about.maxBytes);
  if (taken < lines.length + 1)
    return answer(`${text}\n[Cut: the result is too long. Use path_glob or a narrower pattern.]`, true);
  if (more) return answer(`${text}\n[Cut at ${about.limit} hits. Raise max_results or use path_glob.]`, true);
  return answer(text);
};

/** Lines of one file as grep shows them: `path:line: text` for hits, `path-line- text` around them. */
const fileLines = (snapshot: Snapshot, file: SnapshotFile, hits: readonly number[], context: number): string[] => {
  const content = (snapshot.read(file) ?? "").split("\n");
  const wanted = new Set(hits);
  const out: string[] = [];
  let next = 0;
  for (const hit of hits) {
    const from = Math.max(hit - context, next);
    if (context > 0 && out.length > 0 && from > next) out.push("--");
    for (let at = from; at <= Math.min(hit + context, content.length - 1); at += 1) {
      const mark = wanted.has(at) ? ":" : "-";
      out.push(
        `${file.path}${mark}${at + 1}${mark} ${shorten((content[at] ?? "").replace(/\r$/, ""), MAX_LINE_CHARACTERS)}`,
      );
      next = at + 1;
    }
  }
  return out;
};
