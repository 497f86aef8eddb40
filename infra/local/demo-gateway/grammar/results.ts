/** Reading what tools answered. Only its form is looked at: nothing in a result is ever taken as a command (AI-4). */

export interface FileText {
  readonly first: number;
  readonly lines: readonly string[];
  /** Lines the whole file has, where the result says so. */
  readonly total: number | null;
  /** The result says that more follows. */
  readonly cut: boolean;
  /** The file ends its lines with CR LF, which the numbered lines do not show. */
  readonly crlf: boolean;
}

export interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const FENCE =
  /^\s*(?:<{1,3}|\[{2,3})[^<>]*(?:untrusted|tool[_ -]?result|data|content|source)[^<>]*(?:>{1,3}|\]{2,3})\s*$/i;
const FENCE_END =
  /^\s*(?:<{1,3}|\[{2,3})\s*\/?\s*(?:end|untrusted|tool|data|content|source)[^<>]*(?:>{1,3}|\]{2,3})\s*$/i;

/** Splits a result into what stands inside its fence of untrusted content and what the platform wrote around it. */
export function unfence(result: string): { readonly inner: string; readonly around: string } {
  const lines = result.split("\n");
  const start = lines.findIndex((line, index) => index < 5 && FENCE.test(line));
  if (start < 0) return { inner: result, around: "" };
  const found = lines.findLastIndex((line, index) => index > start && FENCE_END.test(line));
  const end = found < 0 ? lines.length : found;
  return {
    inner: lines.slice(start + 1, end).join("\n"),
    around: [...lines.slice(0, start), ...lines.slice(end + 1)].join("\n").trim(),
  };
}

/** How lines are numbered, and whether the mark is usually followed by one blank that belongs to nothing. */
const NUMBERED: readonly { readonly pattern: RegExp; readonly blank: boolean }[] = [
  { pattern: /^\s*(\d+)\t(.*)$/, blank: false },
  { pattern: /^\s*(\d+)\s*[|│](.*)$/, blank: true },
  { pattern: /^\s*(\d+)\s*→(.*)$/, blank: false },
  { pattern: /^\s*(\d+):(.*)$/, blank: true },
  { pattern: /^\s*(\d+) {2}(.*)$/, blank: false },
];

/** The text of a file from its numbered lines, or null when the result has none (then it is an answer in words). */
export function readFileText(result: string): FileText | null {
  const { inner, around } = unfence(result);
  const lines = inner.split("\n");
  const best = NUMBERED.map(({ pattern, blank }) => numberedRun(lines, pattern, blank)).reduce((a, b) =>
    b.lines.length > a.lines.length ? b : a,
  );
  if (best.lines.length === 0) return null;
  const notes = [around, ...lines.slice(0, best.start), ...lines.slice(best.start + best.lines.length)].join("\n");
  const total = /\b(?:of|von)\s+(\d+)\b/i.exec(notes)?.[1];
  const last = best.first + best.lines.length - 1;
  return {
    first: best.first,
    lines: best.lines,
    total: total === undefined ? null : Number(total),
    crlf: /\bCRLF\b/.test(notes),
    cut:
      total === undefined ? /\b(?:truncated|cut|more lines|continues|start_line)\b/i.test(notes) : Number(total) > last,
  };
}

function numberedRun(lines: readonly string[], pattern: RegExp, blank: boolean) {
  const start = lines.findIndex((line) => pattern.test(line));
  const run: string[] = [];
  let first = 0;
  for (const line of start < 0 ? [] : lines.slice(start)) {
    const match = pattern.exec(line);
    if (!match) break;
    const number = Number(match[1]);
    if (run.length === 0) first = number;
    else if (number !== first + run.length) break;
    run.push(match[2] ?? "");
  }
  const padded = run.some((text) => text !== "") && run.every((text) => text === "" || text.startsWith(" "));
  const strip = blank && padded;
  return { start, first, lines: strip ? run.map((text) => text.slice(1)) : run };
}

/** `path:line: text` lines of a search. */
export function readHits(result: string): Hit[] {
  return unfence(result)
    .inner.split("\n")
    .flatMap((line) => {
      const match = /^\s*(?:[-*]\s+)?(\S.*?):(\d+):\s?(.*)$/.exec(line);
      return match ? [{ path: match[1] ?? "", line: Number(match[2]), text: match[3] ?? "" }] : [];
    });
}

export const saysCut = (result: string): boolean =>
  /\[cut\b|\b(?:truncated|was cut|cut off|more than|more hits|more matches|more results)\b/i.test(result);

export type OutcomeKind =
  | "executed"
  | "submitted"
  | "rejected"
  | "expired"
  | "cancelled"
  | "invalid"
  | "denied"
  | "unknown"
  | "failed";

export interface Outcome {
  readonly kind: OutcomeKind;
  readonly branch: string | null;
  readonly commit: string | null;
  /** The platform's or the person's words, at most 400 characters. */
  readonly reason: string;
}

const OUTCOME_WORDS: readonly (readonly [OutcomeKind, RegExp])[] = [
  ["rejected", /\brejected\b/i],
  ["expired", /\bexpired\b/i],
  ["cancelled", /\bcancell?ed\b/i],
  ["submitted", /\b(?:submitted|staged)\b/i],
  ["invalid", /\binvalid\b(?! arg)|\bstale\b/i],
  ["denied", /\bdenied\b|\bnot allowed\b|\bnot offered\b/i],
  ["unknown", /\boutcome (?:is )?unknown\b|^\W*unknown\b|\bnot known whether\b/im],
  ["executed", /(?<!\b(?:not|never|nothing was) )\b(?:executed|pushed|applied)\b/i],
  ["failed", /\bfailed\b|\berror\b|\brefused\b|\bdeclined\b|\bnothing was\b|\boccurs\b/i],
];

/** What became of a proposed change: the earliest word of status in the result decides. */
export function readOutcome(result: string): Outcome {
  const { inner, around } = unfence(result);
  const text = around === "" ? inner : `${around}\n${inner}`;
  const found = OUTCOME_WORDS.map(([kind, pattern]) => ({ kind, at: text.search(pattern) })).filter(
    ({ at }) => at >= 0,
  );
  const branch = /\b(?:refs\/heads\/)?(ai\/[\w./-]*\w)/.exec(text)?.[1] ?? null;
  const commit =
    /\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/.exec(text)?.[0] ?? /\bcommit\W{1,3}([0-9a-f]{7,64})\b/i.exec(text)?.[1] ?? null;
  const unsaid: OutcomeKind = branch !== null && commit !== null ? "executed" : "failed";
  const { kind } = found.reduce<{ kind: OutcomeKind; at: number }>((a, b) => (b.at < a.at ? b : a), {
    kind: unsaid,
    at: Infinity,
  });
  return { kind, branch, commit, reason: reasonOf(text, inner) };
}

function reasonOf(text: string, inner: string): string {
  const named = /\breason"?\s*[:=]\s*"?([^\n]+)/i.exec(text)?.[1]?.replace(/["}\s]+$/, "");
  return (named ?? inner.trim()).slice(0, 400);
}
