import { emojiRanges } from "./emoji.ts";
import { type HiddenKind, hiddenKind, hiddenName } from "./hidden-characters.ts";

export type { HiddenKind } from "./hidden-characters.ts";

export interface HiddenRun {
  readonly codePoint: number;
  /** How often the character stands here in a row. */
  readonly count: number;
  readonly kind: HiddenKind;
  /** What to show instead: `\u{202E}`, `\u{A0}×5000`, `␍`. */
  readonly shown: string;
  /** Unicode name, for the common ones. */
  readonly name?: string;
}

export interface Segment {
  /** The original characters: all segments joined are the original text. */
  readonly text: string;
  /** Set where `text` cannot be seen. */
  readonly hidden?: HiddenRun;
}

export interface Revealed {
  readonly segments: readonly Segment[];
  /** How many hidden characters there are. The carriage return of a CR LF is shown but not counted: it hides nothing. */
  readonly hidden: number;
}

// Everything that draws nothing, or draws a blank that is no ordinary space; then marks from the fifth on one letter.
const hiddenRun =
  /(?![\n\t ])([\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}\p{Cs}\u2800])\1*|(?<=\p{M}{4})(\p{M})\2*/gu;

/**
 * Makes visible what a person deciding about a text would not see (APR-2, N26): by Unicode properties, so also for
 * characters nobody thought of. Emoji that exist are left alone. The text itself is never changed.
 */
export const reveal = (text: string): Revealed => {
  const emoji = emojiRanges(text);
  const segments: Segment[] = [];
  let hidden = 0;
  let plainFrom = 0;
  let nextEmoji = 0;
  const flushPlain = (end: number): void => {
    if (end > plainFrom) segments.push({ text: text.slice(plainFrom, end) });
  };

  for (const match of text.matchAll(hiddenRun)) {
    const start = match.index;
    const end = start + match[0].length;
    while ((emoji[nextEmoji]?.[1] ?? Number.POSITIVE_INFINITY) <= start) nextEmoji += 1;
    if ((emoji[nextEmoji]?.[0] ?? Number.POSITIVE_INFINITY) <= start) {
      // Only the first of the run belongs to the emoji: a second selector or joiner behind it does not.
      const inside = Math.min(end, emoji[nextEmoji]?.[1] ?? end);
      if (inside === end) continue;
      flushPlain(inside);
      segments.push(run(text.slice(inside, end)));
      hidden += Array.from(text.slice(inside, end)).length;
      plainFrom = end;
      continue;
    }
    flushPlain(start);
    plainFrom = end;
    // The last carriage return before a line feed ends a line; those before it would overwrite it on a terminal.
    const lineEnd = match[0].endsWith("\r") && text[end] === "\n" ? 1 : 0;
    const counted = match[0].slice(0, match[0].length - lineEnd);
    if (counted !== "") segments.push(run(counted));
    if (lineEnd === 1) segments.push(run("\r"));
    hidden += Array.from(counted).length;
  }
  flushPlain(text.length);
  return { segments, hidden };
};

/** The text with hidden characters spelt out, for places without markup such as mails and terminals. Not reversible. */
export const revealString = (text: string): string =>
  reveal(text)
    .segments.map((segment) => segment.hidden?.shown ?? segment.text)
    .join("");

const run = (text: string): Segment => {
  const characters = Array.from(text);
  const character = characters[0] ?? "";
  const codePoint = character.codePointAt(0) ?? 0;
  const count = characters.length;
  const name = hiddenName(codePoint);
  const one = codePoint === 0x0d ? "␍" : `\\u{${codePoint.toString(16).toUpperCase()}}`;
  const shown = count <= 3 ? one.repeat(count) : `${one}×${count}`;
  return {
    text,
    hidden: { codePoint, count, kind: hiddenKind(character), shown, ...(name === undefined ? {} : { name }) },
  };
};

const word = /[\p{L}\p{M}\p{N}_]+/gu;
const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/**
 * Words that mix letters of alphabets which look alike, such as a Cyrillic `а` in a Latin word (APR-2, N26). Each word
 * once, in order. A word wholly in another alphabet is not reported: it may simply be that language.
 */
export const confusable = (text: string): readonly string[] => {
  // Most text has letters of one of these alphabets only.
  if (scripts.filter((script) => script.test(text)).length < 2) return [];
  const words = new Set(Array.from(text.matchAll(word), ([match]) => match));
  return [...words].filter((candidate) => scripts.filter((script) => script.test(candidate)).length > 1);
};
