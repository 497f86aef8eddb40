import { For, type JSX, Show } from "solid-js";
import { viewers as t } from "../i18n/viewers.ts";
import { type Disguise, type TextPart, visibleText } from "./visible-text.ts";

const words = {
  bidi: () => t("diff.disguise.bidi"),
  invisible: () => t("diff.disguise.invisible"),
  control: () => t("diff.disguise.control"),
  space: () => t("diff.disguise.space"),
  lookalike: () => t("diff.disguise.lookalike"),
} satisfies Record<Disguise, () => string>;

/** One stretch of text; a mark for an odd character is framed and named (APR-2). */
export function TextPartView(props: { readonly part: TextPart }): JSX.Element {
  return (
    <Show when={props.part.disguise} fallback={props.part.text}>
      {(disguise) => (
        <span class="mx-px rounded-badge border border-neg bg-neg-bg px-0.5 text-neg" title={words[disguise()]()}>
          {props.part.text}
        </span>
      )}
    </Show>
  );
}

/** Text in which hidden, reordering and look-alike characters are visible (APR-2). Never HTML. */
export function VisibleText(props: { readonly text: string }): JSX.Element {
  return <For each={visibleText(props.text)}>{(part) => <TextPartView part={part} />}</For>;
}
