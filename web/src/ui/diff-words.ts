import { diffWordsWithSpace } from "diff";
import { type TextPart, visibleText } from "./visible-text.ts";

/** A printed stretch of a changed line; `changed` when this word differs from its counterpart. */
export interface DiffPart extends TextPart {
  readonly changed: boolean;
}

/** Longer lines are shown without word marks: comparing them would hold the page. */
const MAX_LINE = 2_000;
/** Below this share of common text the two lines are simply different, and marks would only be noise. */
const MIN_COMMON = 0.3;

const parts = (text: string, changed: boolean): readonly DiffPart[] =>
  visibleText(text).map((part) => ({ ...part, changed }));

const commonLength = (
  changes: readonly { readonly added: boolean; readonly removed: boolean; readonly value: string }[],
): number =>
  changes
    .filter((change) => !change.added && !change.removed)
    .reduce((sum, change) => sum + change.value.trim().length, 0);

const isTooLong = (before: string, after: string): boolean => before.length > MAX_LINE || after.length > MAX_LINE;

/** How much two lines have in common, from 0 to 1, blanks at their ends left aside. */
export function commonShare(before: string, after: string): number {
  if (isTooLong(before, after)) return 0;
  return commonLength(diffWordsWithSpace(before, after)) / Math.max(1, before.trim().length, after.trim().length);
}

/** Marks the words in which two lines differ; null when they have too little in common, or are too long. */
export function markWords(
  before: string,
  after: string,
): { readonly before: readonly DiffPart[]; readonly after: readonly DiffPart[] } | null {
  if (isTooLong(before, after)) return null;
  const changes = diffWordsWithSpace(before, after);
  if (commonLength(changes) < MIN_COMMON * Math.max(before.trim().length, after.trim().length)) return null;
  return {
    before: changes.filter((change) => !change.added).flatMap((change) => parts(change.value, change.removed)),
    after: changes.filter((change) => !change.removed).flatMap((change) => parts(change.value, change.added)),
  };
}
