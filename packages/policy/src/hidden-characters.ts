/** Groups of characters a person cannot see; the screens word them. */
export type HiddenKind =
  | "bidi"
  | "zero_width"
  | "space"
  | "line_break"
  | "control"
  | "tag"
  | "variation_selector"
  | "invisible"
  | "combining"
  | "private_use"
  | "unassigned"
  | "surrogate";

/** The names of those that turn up most often, as the Unicode Character Database spells them. */
const names: ReadonlyMap<number, string> = new Map([
  [0x00, "NULL"],
  [0x07, "BELL"],
  [0x08, "BACKSPACE"],
  [0x0d, "CARRIAGE RETURN"],
  [0x1b, "ESCAPE"],
  [0x7f, "DELETE"],
  [0x85, "NEXT LINE"],
  [0xa0, "NO-BREAK SPACE"],
  [0xad, "SOFT HYPHEN"],
  [0x34f, "COMBINING GRAPHEME JOINER"],
  [0x61c, "ARABIC LETTER MARK"],
  [0x115f, "HANGUL CHOSEONG FILLER"],
  [0x1160, "HANGUL JUNGSEONG FILLER"],
  [0x180e, "MONGOLIAN VOWEL SEPARATOR"],
  [0x200b, "ZERO WIDTH SPACE"],
  [0x200c, "ZERO WIDTH NON-JOINER"],
  [0x200d, "ZERO WIDTH JOINER"],
  [0x200e, "LEFT-TO-RIGHT MARK"],
  [0x200f, "RIGHT-TO-LEFT MARK"],
  [0x2007, "FIGURE SPACE"],
  [0x2009, "THIN SPACE"],
  [0x2028, "LINE SEPARATOR"],
  [0x2029, "PARAGRAPH SEPARATOR"],
  [0x202a, "LEFT-TO-RIGHT EMBEDDING"],
  [0x202b, "RIGHT-TO-LEFT EMBEDDING"],
  [0x202c, "POP DIRECTIONAL FORMATTING"],
  [0x202d, "LEFT-TO-RIGHT OVERRIDE"],
  [0x202e, "RIGHT-TO-LEFT OVERRIDE"],
  [0x202f, "NARROW NO-BREAK SPACE"],
  [0x2060, "WORD JOINER"],
  [0x2066, "LEFT-TO-RIGHT ISOLATE"],
  [0x2067, "RIGHT-TO-LEFT ISOLATE"],
  [0x2068, "FIRST STRONG ISOLATE"],
  [0x2069, "POP DIRECTIONAL ISOLATE"],
  [0x2800, "BRAILLE PATTERN BLANK"],
  [0x3000, "IDEOGRAPHIC SPACE"],
  [0x3164, "HANGUL FILLER"],
  [0xfeff, "ZERO WIDTH NO-BREAK SPACE"],
  [0xffa0, "HALFWIDTH HANGUL FILLER"],
  [0xe0001, "LANGUAGE TAG"],
  [0xe007f, "CANCEL TAG"],
]);

/** First match wins. */
const kinds: readonly (readonly [HiddenKind, RegExp])[] = [
  ["bidi", /^\p{Bidi_Control}$/u],
  ["zero_width", /^[\u200b-\u200d\u2060\ufeff\u180e]$/u],
  ["line_break", /^[\p{Zl}\p{Zp}\u0085\r]$/u],
  ["space", /^[\p{Zs}\u2800]$/u],
  ["tag", /^[\u{e0000}-\u{e007f}]$/u],
  ["variation_selector", /^\p{Variation_Selector}$/u],
  ["control", /^\p{Cc}$/u],
  ["private_use", /^\p{Co}$/u],
  ["surrogate", /^\p{Cs}$/u],
  ["invisible", /^[\p{Cf}\p{Default_Ignorable_Code_Point}]$/u],
  ["unassigned", /^\p{Cn}$/u],
];

/** What kind of hidden character this is. Marks piled up on one letter are `combining`: seen, but not read. */
export const hiddenKind = (character: string): HiddenKind =>
  kinds.find(([, pattern]) => pattern.test(character))?.[0] ?? "combining";

/** The character's Unicode name, for the common ones. */
export const hiddenName = (codePoint: number): string | undefined => names.get(codePoint);
