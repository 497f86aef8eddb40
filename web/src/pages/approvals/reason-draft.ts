import type { ApprovalDetail } from "@aiw/contract/views";
import { readPref, writePref } from "../../data/prefs.ts";

type Item = Pick<ApprovalDetail, "id" | "sensitive" | "masked">;

/** Nothing is kept of a request that asks for something sensitive or holds it (APR-10). */
const keyOf = (item: Item): string | null => (item.sensitive || item.masked ? null : `reason.${item.id}`);

/** The reason of a rejection that was typed and not sent, as this browser kept it; empty where there is none. */
export const readReason = (item: Item): string => {
  const key = keyOf(item);
  return key === null ? "" : (readPref(key) ?? "");
};

/** Keep what is typed until the request is decided; an empty text forgets it. */
export const keepReason = (item: Item, text: string): void => {
  const key = keyOf(item);
  if (key !== null) writePref(key, text === "" ? null : text);
};
