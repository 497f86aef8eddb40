import { For } from "solid-js";
import { type Locale, locale, setLocale } from "../i18n/index.ts";

const NAMES: readonly (readonly [Locale, string])[] = [
  ["de", "Deutsch"],
  ["en", "English"],
];

/** Switch between German and English; each language under its own name. */
export const LocaleSwitch = (props: { readonly label: string }) => (
  <div role="group" aria-label={props.label} class="inline-flex gap-1">
    <For each={NAMES}>
      {([code, name]) => (
        <button
          type="button"
          lang={code}
          aria-pressed={locale() === code}
          class="btn btn-sm border-transparent bg-transparent aria-pressed:border-line-strong aria-pressed:bg-surface"
          onClick={() => setLocale(code)}
        >
          {name}
        </button>
      )}
    </For>
  </div>
);
