import { createSignal, onCleanup, onMount } from "solid-js";
import { keysOn } from "../data/prefs.ts";

/**
 * Keyboard shortcuts of the app and of the page. `keys` is one key ("j", "?", "Escape"), two in a row ("g i"),
 * or with the command key ("mod+Enter", which also works while typing). Single keys rest while typing and in dialogs,
 * and can be switched off (WCAG 2.1.4).
 */
export interface KeyBinding {
  readonly keys: string;
  readonly label: () => string;
  readonly run: (event: KeyboardEvent) => void;
  readonly when?: () => boolean;
}
export type KeyScope = "global" | "page";

interface Entry {
  readonly scope: KeyScope;
  readonly bindings: () => readonly KeyBinding[];
}
const [entries, setEntries] = createSignal<readonly Entry[]>([]);
/** What is bound right now, for the overview. */
export const boundKeys = (scope: KeyScope): readonly KeyBinding[] =>
  entries()
    .filter((e) => e.scope === scope)
    .flatMap((e) => e.bindings());

/** Bind keys while the component is mounted. Later bindings win. */
export const useKeys = (scope: KeyScope, bindings: () => readonly KeyBinding[]): void => {
  const entry: Entry = { scope, bindings };
  onMount(() => setEntries((all) => [...all, entry]));
  onCleanup(() => setEntries((all) => all.filter((e) => e !== entry)));
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type));

const inDialog = (): boolean => document.querySelector('[role="dialog"],[role="menu"]') !== null;

/** The spelling of a key event in bindings. */
export const keyName = (event: {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}): string => {
  const mod = event.ctrlKey || event.metaKey ? "mod+" : "";
  const alt = event.altKey ? "alt+" : "";
  const shift = event.shiftKey && event.key.length > 1 ? "shift+" : "";
  return `${mod}${alt}${shift}${event.key}`;
};

const SEQUENCE_MS = 1200;

/** Listens for all bindings; once per app. Answers how to stop. */
export const listenKeys = (): (() => void) => {
  let first = "";
  let firstAt = 0;
  const find = (keys: string): KeyBinding | undefined =>
    entries()
      .flatMap((e) => e.bindings())
      .findLast((b) => b.keys === keys && (b.when === undefined || b.when()));
  const isPrefix = (key: string): boolean =>
    entries().some((e) => e.bindings().some((b) => b.keys.startsWith(`${key} `)));
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    const name = keyName(event);
    const single = !name.startsWith("mod+");
    if (single && (!keysOn() || isTyping(event.target) || inDialog())) return;
    const sequence = first !== "" && Date.now() - firstAt < SEQUENCE_MS ? find(`${first} ${name}`) : undefined;
    first = "";
    const binding = sequence ?? find(name);
    if (binding !== undefined) {
      event.preventDefault();
      return binding.run(event);
    }
    if (!isPrefix(name)) return;
    first = name;
    firstAt = Date.now();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
};
