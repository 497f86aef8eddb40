import { createSignal } from "solid-js";
import { readPref, writePref } from "../data/prefs.ts";

export type Locale = "de" | "en";

const detect = (): Locale => {
  const kept = readPref("locale");
  if (kept === "de" || kept === "en") return kept;
  return typeof navigator !== "undefined" && /^de\b/i.test(navigator.language) ? "de" : "en";
};

const [locale, setLocaleSignal] = createSignal<Locale>(detect());
export { locale };

/** Switch the language of the whole app at once; kept in this browser. */
export const setLocale = (next: Locale): void => {
  writePref("locale", next);
  if (typeof document !== "undefined") document.documentElement.lang = next;
  setLocaleSignal(next);
};
