/** Characters that hide in plain text and belong in emoji. */
const JOINS = /\u200D|\uFE0E|\uFE0F|[\u{E0020}-\u{E007F}]/u;

/** Anything that could be one emoji: a base with modifier, selector or tags, then further bases by joiner. */
const SEQUENCE =
  /\p{Emoji}(?:\p{Emoji_Modifier}|\uFE0F\u20E3|\uFE0F|\uFE0E|[\u{E0020}-\u{E007E}]+\u{E007F})?(?:\u200D\p{Emoji}(?:\p{Emoji_Modifier}|\uFE0F)?)*/gu;

/** A pictograph with the selector that says whether it is drawn in colour. */
const STYLED = /^(?![0-9#*])\p{Emoji}[\uFE0E\uFE0F]$/u;
const WANTS_SELECTOR = /(?:[0-9#*](?=\u20E3)|(?![0-9#*]|\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier}))/gu;

const listed = ((): RegExp | undefined => {
  try {
    return new RegExp("^\\p{RGI_Emoji}$", "v");
  } catch {
    // A browser without the list marks the joiners: too much is shown there, never too little.
    return undefined;
  }
})();

/** Keyboards leave selectors out or add needless ones; the list knows only the exact form. */
const isListed = (text: string): boolean =>
  listed !== undefined &&
  (listed.test(text) || listed.test(text.replaceAll("\uFE0F", "").replace(WANTS_SELECTOR, "$&\uFE0F")));

/** The ranges [start, end) of a text, in order, in which joiners, selectors and tags draw an emoji that exists. */
export const emojiRanges = (text: string): readonly (readonly [number, number])[] =>
  JOINS.test(text)
    ? [...text.matchAll(SEQUENCE)]
        .filter(([emoji]) => JOINS.test(emoji) && (STYLED.test(emoji) || isListed(emoji)))
        .map((match) => [match.index, match.index + match[0].length] as const)
    : [];
