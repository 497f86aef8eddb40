/**
 * Characters nobody sees but a model reads: controls, bidirectional marks, zero width, tags, variation selectors, private
 * use, unassigned and fillers. Line feed and tab stay.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;

export const hasHidden = (text: string): boolean => text.search(HIDDEN) >= 0;

/** Takes hidden characters out of text that is only read, such as a description. */
export const withoutHidden = (text: string): string => text.replace(HIDDEN, "");

/** Writes hidden characters as their code points, so that a person sees them. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`);

/** At most so many characters, never half of one, and says how much is missing. */
export const clipped = (text: string, characters: number): string => {
  if (text.length <= characters) return text;
  return `${text.slice(0, characters).toWellFormed()} [${text.length - characters} more characters]`;
};

/**
 * Words of a server inside a sentence of the platform: a JSON string on one line, so that they cannot pass for the platform's
 * own (N41).
 */
export const quoted = (words: string, characters = 2_000): string =>
  JSON.stringify(visible(clipped(words, characters))).replaceAll("<<<", "<\u2039<");
