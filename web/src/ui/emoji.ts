/** Anything that could be one emoji: a base with modifier, selector or tags, then further bases by joiner. */
export const SEQUENCE =
  /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F|[\u{E0020}-\u{E007E}]+\u{E007F})?(?:\u200D\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F)?)*/gu;

const listed = ((): RegExp | undefined => {
  try {
    return new RegExp("^\\p{RGI_Emoji}$", "v");
  } catch {
    // A browser without the list marks the joiners: too much is shown there, never too little.
    return undefined;
  }
})();

/** Whether the characters draw one emoji that exists. */
export const isEmoji = (text: string): boolean => listed?.test(text) === true;
