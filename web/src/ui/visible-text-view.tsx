import { For, type JSX, Show } from "solid-js";
import { viewers as t } from "../i18n/viewers.ts";
import { type Disguise, type Marks, type TextPart, visibleText } from "./visible-text.ts";

const words = {
  bidi: () => t("diff.disguise.bidi"),
  invisible: () => t("diff.disguise.invisible"),
  control: () => t("diff.disguise.control"),
  space: () => t("diff.disguise.space"),
  stacked: () => t("diff.disguise.stacked"),
  lookalike: () => t("diff.disguise.lookalike"),
} satisfies Record<Disguise, () => string>;

const Quiet = (props: { readonly part: TextPart }): JSX.Element => (
  <Show when={props.part.lineEnd} fallback={props.part.text}>
    <span class="text-ink-3 select-none" title={t("diff.lineEnd")}>
      {props.part.text}
    </span>
  </Show>
);

/** One stretch of text; a mark for an odd character is framed and named (APR-2), one for a line end is not framed. */
export function TextPartView(props: { readonly part: TextPart }): JSX.Element {
  return (
    <Show when={props.part.disguise} fallback={<Quiet part={props.part} />}>
      {(disguise) => (
        <span class="mx-px rounded-badge border border-neg bg-neg-bg px-0.5 text-neg" title={words[disguise()]()}>
          {props.part.text}
        </span>
      )}
    </Show>
  );
}

/** Text in which hidden, reordering and (unless only `hidden` ones) look-alike characters are visible (APR-2). Never HTML. */
export function VisibleText(props: { readonly text: string; readonly marks?: Marks }): JSX.Element {
  return <For each={visibleText(props.text, props.marks)}>{(part) => <TextPartView part={part} />}</For>;
}
