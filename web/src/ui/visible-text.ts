import { emojiRanges } from "./emoji.ts";

/**
 * What an approver saw is what runs (APR-2): characters that a screen would hide, reorder or disguise are turned into
 * readable marks. Nothing is removed, nothing is replaced silently.
 */
export type Disguise = "invisible" | "bidi" | "control" | "space" | "stacked" | "lookalike";

/**
 * A stretch of text to print. `disguise` is set when `text` is a mark that stands for odd characters, `lineEnd` when it
 * stands for the carriage return of a CR LF: that is shown, but hides nothing and is no disguise.
 */
export interface TextPart {
  readonly text: string;
  readonly disguise?: Disguise;
  /** How many characters in a row the mark stands for, where it is more than one. */
  readonly count?: number;
  readonly lineEnd?: true;
}

/**
 * `all`: everything odd, for what is decided on and for names. `hidden`: what people write, where unusual blanks and
 * letters of several alphabets are ordinary; only what cannot be seen or reorders is marked.
 */
export type Marks = "all" | "hidden";

/**
 * By Unicode properties and not by a list, so that no character is forgotten: everything that draws nothing, or a blank that
 * is no ordinary space; then marks from the fifth on one letter. A run of one character is one match.
 */
const ODD =
  /(?![\n\t ])([\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}\p{Cs}\u2800])\1*|(?<=\p{M}{4})(\p{M})\2*/gu;
const KINDS: readonly (readonly [Disguise, RegExp])[] = [
  ["bidi", /^\p{Bidi_Control}/u],
  ["control", /^[\p{Cc}\p{Cs}]/u],
  ["space", /^[\p{Zs}\u2800]/u],
  ["invisible", /^[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}]/u],
];
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
const DOUBLE_OF_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
/** Longer runs of one character are one mark with their number, so that they cannot push anything off the screen (N26). */
const SHORT_RUN = 3;

const disguiseOf = (text: string): Disguise => KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? "stacked";

/** `U+202E` for a character. */
export function codePointName(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Offsets of letters from another script inside a word that also has Latin letters, such as a Cyrillic "а" in "pаth". */
function lookalikes(text: string): readonly Found[] {
  const found: Found[] = [];
  for (const word of text.matchAll(WORD)) {
    if (!LATIN.test(word[0]) || !DOUBLE_OF_LATIN.test(word[0])) continue;
    let at = word.index;
    for (const char of word[0]) {
      if (DOUBLE_OF_LATIN.test(char)) found.push({ start: at, text: char, disguise: "lookalike" });
      at += char.length;
    }
  }
  return found;
}

interface Found {
  readonly start: number;
  /** As it stands in the text: a run of one character, or one letter. */
  readonly text: string;
  readonly disguise: Disguise;
}

/** Runs of odd characters outside of emoji that exist: there a joiner, a selector or a tag draws something. */
function oddRuns(text: string): readonly Found[] {
  const found: Found[] = [];
  const emoji = emojiRanges(text);
  let next = 0;
  for (const match of text.matchAll(ODD)) {
    const end = match.index + match[0].length;
    while ((emoji[next]?.[1] ?? Number.POSITIVE_INFINITY) <= match.index) next += 1;
    const [from, to] = emoji[next] ?? [end, end];
    // Only the first of a run belongs to the emoji: a second selector or joiner behind it does not.
    const start = from <= match.index ? Math.min(end, to) : match.index;
    if (start < end) found.push({ start, text: text.slice(start, end), disguise: disguiseOf(match[0]) });
  }
  return found;
}

/** The carriage return that ends a line with a line feed; shown without alarm. */
export const LINE_END: TextPart = { text: "␍", lineEnd: true };

/**
 * Splits text into plain parts and marks for hidden, reordering or look-alike characters. Tab and line feed stay. The last
 * carriage return before a line feed is a `LINE_END`; any other one would overwrite text on a terminal and is marked.
 */
export function visibleText(text: string, marks: Marks = "all"): readonly TextPart[] {
  const odd = oddRuns(text).filter(({ disguise }) => marks === "all" || disguise !== "space");
  const doubles = marks === "all" && DOUBLE_OF_LATIN.test(text) ? lookalikes(text) : [];
  const parts: TextPart[] = [];
  let at = 0;
  const plainTo = (end: number): void => {
    if (end > at) parts.push({ text: text.slice(at, end) });
  };
  for (const found of [...odd, ...doubles].sort((a, b) => a.start - b.start)) {
    const end = found.start + found.text.length;
    plainTo(found.start);
    at = end;
    const endsLine = found.text.endsWith("\r") && text[end] === "\n";
    parts.push(...markOf(endsLine ? { ...found, text: found.text.slice(0, -1) } : found));
    if (endsLine) parts.push(LINE_END);
  }
  plainTo(text.length);
  return parts;
}

function markOf({ text, disguise }: Found): readonly TextPart[] {
  const [char = ""] = text;
  if (text === "") return [];
  const mark = `⟨${codePointName(char)}⟩`;
  if (disguise === "lookalike") return [{ text: `${char}${mark}`, disguise }];
  const count = Array.from(text).length;
  return count <= SHORT_RUN
    ? Array.from({ length: count }, () => ({ text: mark, disguise }))
    : [{ text: `${mark}×${String(count)}`, disguise, count }];
}

/** The same as one string, for titles and other places without markup. */
export function visibleString(text: string, marks: Marks = "all"): string {
  return visibleText(text, marks)
    .map((part) => part.text)
    .join("");
}

/** How many characters of these parts are marked. */
export const countMarked = (parts: readonly TextPart[]): number =>
  parts.reduce((sum, part) => sum + (part.disguise === undefined ? 0 : (part.count ?? 1)), 0);

/** How many characters of a text are marked. */
export const countDisguised = (text: string): number => countMarked(visibleText(text));
