/** Characters that hide in plain text and belong in emoji. */
const joinsEmoji = /\u200d|\ufe0e|\ufe0f|[\u{e0020}-\u{e007f}]/u;

/** Anything that could be one emoji: base, modifier or selector or tags, then further bases by joiner. */
const candidate =
  /\p{Emoji}(?:\p{Emoji_Modifier}|\ufe0f\u20e3|\ufe0f|\ufe0e|[\u{e0020}-\u{e007e}]+\u{e007f})?(?:\u200d\p{Emoji}(?:\p{Emoji_Modifier}|\ufe0f)?)*/gu;

const styled = /^(?![0-9#*])\p{Emoji}[\ufe0e\ufe0f]$/u;
// Properties of strings need the v flag, which the compiler takes in literals only for newer targets.
const recommended = new RegExp("^\\p{RGI_Emoji}$", "v");
const needsSelector = /(?:[0-9#*](?=\u20e3)|(?![0-9#*]|\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier}))/gu;

/**
 * The ranges [start, end) of a text, in UTF-16 units and in order, in which joiners, selectors and tags draw an emoji that
 * exists. A joiner or tag anywhere else hides something.
 */
export const emojiRanges = (text: string): readonly (readonly [number, number])[] => {
  if (!joinsEmoji.test(text)) return [];
  return [...text.matchAll(candidate)]
    .filter(([emoji]) => joinsEmoji.test(emoji) && (styled.test(emoji) || isEmoji(emoji)))
    .map((match) => [match.index, match.index + match[0].length]);
};

/** People's keyboards leave selectors out or add needless ones; the list knows only the exact form. */
const isEmoji = (text: string): boolean =>
  recommended.test(text) || recommended.test(text.replaceAll("\ufe0f", "").replace(needsSelector, "$&\ufe0f"));
