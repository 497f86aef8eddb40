/** Stands for a quoted piece while the words around it are read. Private-use characters, so no text contains them by itself. */
const OPEN = "\uE000";
const CLOSE = "\uE001";

/** A regular expression's source for one word or one quoted piece. */
export const TOKEN = `(?:${OPEN}\\d+${CLOSE}|[^\\s${OPEN}]+)`;
/** The same, but only quoted, or with the look of a path. */
export const PATH_TOKEN = `(?:${OPEN}\\d+${CLOSE}|[^\\s${OPEN}]*[/.*][^\\s${OPEN}]*)`;

/** Any quoted piece. Matched with `match` and `test` only from a fresh start, so it carries no `g`. */
export const QUOTED = /\uE000\d+\uE001/u;

const PAIRS: readonly (readonly [string, string])[] = [
  ["```", "```"],
  ["`", "`"],
  ["„", '“”"'],
  ["“", "”"],
  ["»", "«"],
  ["«", "»"],
  ["‚", "‘’"],
  ["‘", "’"],
  ['"', '"'],
  ["'", "'"],
];

/** A message with its quoted pieces taken out. */
export interface Masked {
  readonly text: string;
  readonly pieces: readonly string[];
}

/** Takes quoted pieces out, so that no word inside them is read as a command. Unclosed quotes stay as they are. */
export function mask(message: string): Masked {
  const pieces: string[] = [];
  let text = "";
  let at = 0;
  while (at < message.length) {
    const quoted = quotedAt(message, at);
    if (quoted) {
      text += `${OPEN}${pieces.length}${CLOSE}`;
      pieces.push(quoted.content);
      at = quoted.end;
    } else {
      const char = message.charAt(at);
      text += char === OPEN || char === CLOSE ? " " : char;
      at += 1;
    }
  }
  return { text, pieces };
}

/** Puts quoted pieces back; a text that is one piece becomes exactly its content. */
export function unmask(masked: string, pieces: readonly string[]): string {
  return masked.replace(/\uE000(\d+)\uE001/g, (_, index: string) => pieces[Number(index)] ?? "");
}

export const isQuoted = (masked: string): boolean => /^\uE000\d+\uE001$/.test(masked);

function quotedAt(message: string, at: number): { content: string; end: number } | null {
  for (const [open, closers] of PAIRS) {
    if (!message.startsWith(open, at)) continue;
    if (open === "'" && /[\p{L}\p{N}]/u.test(message.charAt(at - 1))) return null;
    const end = closing(message, at + open.length, open, closers);
    if (end === null) continue;
    const content = message.slice(at + open.length, end);
    return open === "```" ? { content: block(content), end: end + 3 } : { content, end: end + 1 };
  }
  return null;
}

function closing(message: string, from: number, open: string, closers: string): number | null {
  if (open === "```") {
    const end = message.indexOf("```", from);
    return end < 0 ? null : end;
  }
  for (let at = from; at < message.length; at += 1) {
    if (message.charAt(at) === "\n" && open !== "`") return null;
    if (!closers.includes(message.charAt(at))) continue;
    // An apostrophe inside a word closes nothing.
    if (open === "'" && /[\p{L}\p{N}]/u.test(message.charAt(at + 1))) continue;
    return at;
  }
  return null;
}

/** A code block's language line and its last line end do not belong to the code. */
const block = (content: string): string => content.replace(/^[\w+-]*\r?\n/, "").replace(/\r?\n$/, "");
