import { isEmoji, SEQUENCE } from "./emoji.ts";

/**
 * What an approver saw is what runs (APR-2): characters that a screen would hide, reorder or disguise are turned into
 * readable marks. Nothing is removed, nothing is replaced silently.
 */
export type Disguise = "invisible" | "bidi" | "control" | "space" | "lookalike";

/**
 * A stretch of text to print. `disguise` is set when `text` is a mark that stands for one odd character, `lineEnd` when it
 * stands for the carriage return of a CR LF: that is shown, but hides nothing and is no disguise.
 */
export interface TextPart {
  readonly text: string;
  readonly disguise?: Disguise;
  readonly lineEnd?: true;
}

/**
 * `all`: everything odd, for what is decided on and for names. `hidden`: what people write, where unusual blanks and
 * letters of several alphabets are ordinary; only what cannot be seen or reorders is marked.
 */
export type Marks = "all" | "hidden";

const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const INVISIBLE =
  // oxlint-disable-next-line no-misleading-character-class -- combining characters are among what is looked for
  /[\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200D\u2028\u2029\u2060-\u2065\u206A-\u206F\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/u;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/u;
const SPACE = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u2800\u3000]/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

const ODD = new RegExp(
  [BIDI, INVISIBLE, CONTROL, SPACE, LONE_SURROGATE].map((pattern) => pattern.source).join("|"),
  "u",
);
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
const DOUBLE_OF_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

function disguiseOf(char: string): Disguise | undefined {
  if (BIDI.test(char)) return "bidi";
  if (INVISIBLE.test(char)) return "invisible";
  if (CONTROL.test(char) || LONE_SURROGATE.test(char)) return "control";
  if (SPACE.test(char)) return "space";
  return undefined;
}

/** `U+202E` for a character. */
export function codePointName(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Offsets of letters from another script inside a word that also has Latin letters, such as a Cyrillic "а" in "pаth". */
function lookalikes(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (const word of text.matchAll(WORD)) {
    if (!LATIN.test(word[0]) || !DOUBLE_OF_LATIN.test(word[0])) continue;
    let at = word.index;
    for (const char of word[0]) {
      if (DOUBLE_OF_LATIN.test(char)) found.add(at);
      at += char.length;
    }
  }
  return found;
}

/** Offsets inside emoji that exist: there a joiner or a tag draws something. */
function inEmoji(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (const match of text.matchAll(SEQUENCE)) {
    if (match[0].length < 3 || !isEmoji(match[0])) continue;
    for (let at = match.index; at < match.index + match[0].length; at++) found.add(at);
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
  const mixed = marks === "all" && DOUBLE_OF_LATIN.test(text);
  if (!ODD.test(text) && !mixed) return text === "" ? [] : [{ text }];
  const doubles = mixed ? lookalikes(text) : new Set<number>();
  const drawn = inEmoji(text);
  const parts: TextPart[] = [];
  let plain = "";
  let at = 0;
  const push = (part: TextPart): void => {
    if (plain !== "") parts.push({ text: plain });
    plain = "";
    parts.push(part);
  };
  for (const char of text) {
    const disguise = drawn.has(at) ? undefined : disguiseOf(char);
    if (char === "\r" && text[at + 1] === "\n") push(LINE_END);
    else if (disguise !== undefined && (marks === "all" || disguise !== "space"))
      push({ text: `⟨${codePointName(char)}⟩`, disguise });
    else if (doubles.has(at)) push({ text: `${char}⟨${codePointName(char)}⟩`, disguise: "lookalike" });
    else plain += char;
    at += char.length;
  }
  if (plain !== "") parts.push({ text: plain });
  return parts;
}

/** The same as one string, for titles and other places without markup. */
export function visibleString(text: string, marks: Marks = "all"): string {
  return visibleText(text, marks)
    .map((part) => part.text)
    .join("");
}

/** How many characters of a text are marked. */
export function countDisguised(text: string): number {
  return visibleText(text).filter((part) => part.disguise !== undefined).length;
}
