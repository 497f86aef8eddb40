import type { Command } from "./parse.ts";
import { readFileText, readHits, readOutcome, saysCut, unfence, type Hit } from "./results.ts";
import { summarise } from "./summary.ts";
import { block, clip, quote, type Words } from "./words.ts";

export interface WantedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A flow asks for calls, gets their results in the same order, and returns what it has to say in the end. */
export interface Ask {
  readonly say: string;
  readonly calls: readonly WantedCall[];
}
export type Flow = Generator<Ask, string, readonly string[]>;

export interface FlowContext {
  readonly words: Words;
  readonly offered: (tool: string) => boolean;
}

const MAX_SHOWN_HITS = 20;
const MAX_SHOWN_LINES = 60;
const MAX_PAGES = 20;

/** Carries one command out. Everything it says comes from the request: the user's words and the tools' real answers. */
export function* carryOut(command: Command, context: FlowContext): Flow {
  switch (command.kind) {
    case "help":
      return context.words.help;
    case "unknown":
      return context.words.notUnderstood;
    case "find":
      return yield* find(command, context);
    case "read":
      return yield* show(command, context);
    case "list":
      return yield* listFolder(command, context);
    case "explain":
      return yield* explain(command, context);
    case "replace":
      return yield* replace(command, context);
    case "tables":
      return yield* askTool({ tool: "list_tables", args: sourceOf(command) }, context);
    case "query":
      return yield* askTool({ tool: "query", args: { sql: command.sql, ...sourceOf(command) } }, context);
  }
}

type Of<K extends Command["kind"]> = Extract<Command, { kind: K }>;
const sourceOf = (command: Command) => (command.source === undefined ? {} : { source: command.source });

/** One call, and what it answers. */
function* askTool(call: WantedCall, { words, offered }: FlowContext): Flow {
  if (!offered(call.tool)) return words.noTool(call.tool);
  const [result = ""] = yield { say: words.asking(call.tool), calls: [call] };
  // A table stands in the chat by itself; what is said is how long it is.
  const [first = "", ...rest] = unfence(result).inner.trim().split("\n");
  const shown = first.startsWith('{"columns"') ? block(rest.slice(-1)) : toolText(result);
  return `${words.toolSays(call.tool)}\n${shown}`;
}

function* find(command: Of<"find">, { words, offered }: FlowContext): Flow {
  if (!offered("git_search")) return words.noTool("git_search");
  const glob = command.glob === undefined ? undefined : quote(command.glob);
  const results = yield {
    say: words.searching(command.terms.map(quote).join(", "), glob),
    calls: command.terms.map((pattern) => searchCall(pattern, command)),
  };
  return command.terms.map((term, index) => describeHits(term, glob, results[index] ?? "", words)).join("\n\n");
}

const searchCall = (pattern: string, command: Command & { readonly glob?: string }): WantedCall => ({
  tool: "git_search",
  args: { pattern, ...(command.glob === undefined ? {} : { path_glob: command.glob }), ...sourceOf(command) },
});

/** Where a replacement is meant, capitals matter, and a search works line by line. */
function exactSearch(command: Of<"replace">): WantedCall {
  const line = command.find.split(/\r?\n/).find((each) => each.trim() !== "") ?? command.find;
  const { tool, args } = searchCall(line, command);
  return { tool, args: { ...args, case_sensitive: true } };
}

function describeHits(term: string, glob: string | undefined, result: string, words: Words): string {
  const hits = readHits(result);
  const head = words.hits(quote(term), hits.length, glob);
  if (hits.length === 0) return `${head} ${words.noneOfThem}\n${toolText(result)}`;
  const more = hits.length > MAX_SHOWN_HITS || saysCut(result) ? `\n${words.listCut}` : "";
  return `${head}\n${hitBlock(hits)}${more}`;
}

const hitBlock = (hits: readonly Hit[]): string =>
  block(hits.slice(0, MAX_SHOWN_HITS).map((hit) => `${hit.path}:${hit.line}: ${hit.text.trim().slice(0, 160)}`));

function* show(command: Of<"read">, { words, offered }: FlowContext): Flow {
  if (!offered("git_read_file")) return words.noTool("git_read_file");
  const results = yield {
    say: words.reading(command.paths.map(quote).join(", ")),
    calls: command.paths.map((path) => readCall(path, command, command.from, command.to)),
  };
  return command.paths.map((path, index) => describeFile(path, results[index] ?? "", words)).join("\n\n");
}

const readCall = (path: string, command: Command, from?: number, to?: number): WantedCall => ({
  tool: "git_read_file",
  args: {
    path,
    ...(from === undefined ? {} : { start_line: from }),
    ...(to === undefined ? {} : { end_line: to }),
    ...sourceOf(command),
  },
});

function describeFile(path: string, result: string, words: Words): string {
  const text = readFileText(result);
  if (!text) return `${words.toolSays("git_read_file")}\n${toolText(result)}`;
  const shown = text.lines.slice(0, MAX_SHOWN_LINES);
  return `${words.fileShown(quote(path), text.first, text.first + shown.length - 1, text.total)}\n${block(shown)}`;
}

function* listFolder(command: Of<"list">, { words, offered }: FlowContext): Flow {
  if (!offered("git_list_dir")) return words.noTool("git_list_dir");
  const name = quote(command.path === "" ? "/" : command.path);
  const [result = ""] = yield {
    say: words.listing(name),
    calls: [
      { tool: "git_list_dir", args: { ...(command.path === "" ? {} : { path: command.path }), ...sourceOf(command) } },
    ],
  };
  return `${words.listed(name)}\n${toolText(result)}`;
}

interface WholeFile {
  readonly lines: readonly string[];
  readonly complete: boolean;
  readonly crlf: boolean;
}

/** Reads a file to its end, page by page. A string is the tool's answer when there is no text to be had. */
function* readWhole(
  path: string,
  command: Command,
  words: Words,
): Generator<Ask, WholeFile | string, readonly string[]> {
  const lines: string[] = [];
  let crlf = false;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const from = page === 0 ? undefined : lines.length + 1;
    const [result = ""] = yield {
      say: page === 0 ? words.reading(quote(path)) : "",
      calls: [readCall(path, command, from)],
    };
    const text = readFileText(result);
    if (!text || (page > 0 && text.first !== from)) return page === 0 ? result : { lines, complete: false, crlf };
    lines.push(...text.lines);
    crlf ||= text.crlf;
    if (!text.cut) return { lines, complete: true, crlf };
  }
  return { lines, complete: false, crlf };
}

function* explain(command: Of<"explain">, { words, offered }: FlowContext): Flow {
  if (!offered("git_read_file")) return words.noTool("git_read_file");
  const file = yield* readWhole(command.path, command, words);
  if (typeof file === "string") return `${words.toolSays("git_read_file")}\n${toolText(file)}`;
  const facts = summarise(command.path, file.lines);
  const rows = [
    [words.headings, facts.headings],
    [words.names, facts.names],
    [words.imports, facts.imports],
    [words.keys, facts.keys],
  ] as const;
  return [
    words.summary(quote(command.path), facts.lines, facts.filled),
    ...(file.complete ? [] : [words.partRead(file.lines.length)]),
    ...rows.flatMap(([label, names]) => (names.length === 0 ? [] : [`- ${label}: ${names.map(quote).join(", ")}`])),
    words.mechanical,
  ].join("\n");
}

function* replace(command: Of<"replace">, context: FlowContext): Flow {
  const { words, offered } = context;
  if (command.find === "") return words.emptyFind;
  if (command.find === command.replace) return words.sameText;
  const missingTool = ["git_read_file", "propose_change"].find((tool) => !offered(tool));
  if (missingTool !== undefined) return words.noTool(missingTool);
  const place = command.path === undefined ? yield* placeOf(command, context) : { path: command.path };
  if (typeof place === "string") return place;
  const { path } = place;
  const file = yield* readWhole(path, command, words);
  if (typeof file === "string") return `${words.toolSays("git_read_file")}\n${toolText(file)}`;
  const at = occurrences(file.lines.join("\n"), command.find);
  if (at.length === 0) {
    const answer = yield* notThere(path, command, context);
    return file.complete ? answer : `${answer}\n${words.partRead(file.lines.length)}`;
  }
  if (at.length > 1) return words.several(quote(command.find), quote(path), at.slice(0, 20).join(", "));
  // What the user typed has plain line ends; the file is matched byte by byte.
  const ends = (text: string) => (file.crlf ? text.replace(/\r?\n/g, "\r\n") : text);
  return yield* propose(
    path,
    at[0] ?? 1,
    { ...command, find: ends(command.find), replace: ends(command.replace) },
    words,
  );
}

function* propose(path: string, line: number, command: Of<"replace">, words: Words): Flow {
  const [result = ""] = yield {
    say: words.proposing(quote(path)),
    calls: [
      {
        tool: "propose_change",
        args: {
          title: clip(words.title(oneLine(command.find), oneLine(command.replace), path), 100),
          description: words.description(quote(command.find), quote(command.replace), quote(path), line),
          files: [{ path, replacements: [{ find: command.find, replace: command.replace }] }],
          ...sourceOf(command),
        },
      },
    ],
  };
  return describeProposal(result, words);
}

function describeProposal(result: string, words: Words): string {
  const outcome = readOutcome(result);
  return [
    words.outcome(outcome.kind, outcome.reason),
    ...(outcome.kind === "executed" && outcome.branch ? [`- ${words.branch}: ${quote(outcome.branch)}`] : []),
    ...(outcome.kind === "executed" && outcome.commit ? [`- ${words.commit}: ${quote(outcome.commit)}`] : []),
  ].join("\n");
}

/** What came of a call that the platform made, not this model: a request that a person asked for again (APR-7). */
export const describeCall = (tool: string, result: string, words: Words): string =>
  tool === "propose_change" ? describeProposal(result, words) : `${words.toolSays(tool)}\n${toolText(result)}`;

/** No file was named: the one file that holds the text, or the reason why it cannot be told. */
function* placeOf(
  command: Of<"replace">,
  { words, offered }: FlowContext,
): Generator<Ask, { path: string } | string, readonly string[]> {
  if (!offered("git_search")) return words.noTool("git_search");
  const [result = ""] = yield { say: words.lookingForFile, calls: [exactSearch(command)] };
  const hits = readHits(result);
  const paths = [...new Set(hits.map((hit) => hit.path))];
  const [path] = paths;
  if (path === undefined) return describeHits(command.find, undefined, result, words);
  if (paths.length > 1) return `${words.whichFile(quote(command.find))}\n${hitBlock(hits)}`;
  return { path };
}

function* notThere(path: string, command: Of<"replace">, { words, offered }: FlowContext): Flow {
  const missing = words.missing(quote(command.find), quote(path));
  if (!offered("git_search")) return missing;
  const [result = ""] = yield { say: missing, calls: [exactSearch(command)] };
  const hits = readHits(result);
  return hits.length === 0 ? `${missing} ${words.nowhere}` : `${missing} ${words.elsewhere}\n${hitBlock(hits)}`;
}

/** The lines on which a text begins, overlapping places included, because the tool counts no less strictly. */
function occurrences(text: string, find: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + 1)) {
    for (; counted < at; counted += 1) if (text.charAt(counted) === "\n") line += 1;
    lines.push(line);
  }
  return lines;
}

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 32 ? `${clip(line, 31)}…` : line;
};

/** A tool's own words, shown as a quotation. */
function toolText(result: string): string {
  const lines = unfence(result).inner.trim().split("\n");
  return block(lines.slice(0, MAX_SHOWN_LINES));
}
