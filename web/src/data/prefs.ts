import { createSignal } from "solid-js";

/** Choices of this browser. Storage may be switched off: then a choice lives as long as the page. */
export const readPref = (key: string): string | null => {
  try {
    return localStorage.getItem(`aiw.${key}`);
  } catch {
    return null;
  }
};

/** Keep a choice; null forgets it. */
export const writePref = (key: string, value: string | null): void => {
  try {
    if (value === null) localStorage.removeItem(`aiw.${key}`);
    else localStorage.setItem(`aiw.${key}`, value);
  } catch {
    // Nothing depends on it.
  }
};

/** Where the unsent text of a chat is kept. */
export const draftKey = (chatId: string): string => `draft.${chatId}`;

export type ThemeChoice = "system" | "light" | "dark";
const isTheme = (value: string | null): value is "light" | "dark" => value === "light" || value === "dark";

const readTheme = (): ThemeChoice => {
  const kept = readPref("theme");
  return isTheme(kept) ? kept : "system";
};
const [theme, setThemeSignal] = createSignal<ThemeChoice>(readTheme());
export { theme };

const paint = (choice: ThemeChoice): void => {
  const dark = choice === "dark" || (choice === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
};

/** Choose light, dark or the system's theme; kept in this browser. */
export const setTheme = (choice: ThemeChoice): void => {
  writePref("theme", choice === "system" ? null : choice);
  setThemeSignal(choice);
  paint(choice);
};

/** Follow the system while no theme is chosen. */
export const followSystemTheme = (): void => {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paint(theme()));
};

const [keysOn, setKeysOnSignal] = createSignal(readPref("keys") !== "off");
export { keysOn };
/** Switch single-key shortcuts on or off (WCAG 2.1.4). */
export const setKeysOn = (on: boolean): void => {
  writePref("keys", on ? null : "off");
  setKeysOnSignal(on);
};
