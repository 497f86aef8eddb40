import { t } from "../i18n/index.ts";
import { CopyButton } from "./copy-button.tsx";
import { VisibleText } from "./visible-text-view.tsx";

/** Literal text with its language and a copy button; scrolls inside itself. */
export const CodeBlock = (props: {
  readonly text: string;
  readonly lang?: string | undefined;
  readonly label?: string | undefined;
}) => {
  const name = (): string =>
    props.label ?? (props.lang === undefined || props.lang === "" ? t("code.block") : props.lang);
  return (
    <figure class="overflow-hidden rounded-control border border-line bg-sunken">
      <figcaption class="flex items-center justify-between border-b border-line py-0.5 pr-1 pl-3 text-meta text-ink-2">
        <span class="truncate font-mono">{name()}</span>
        <CopyButton text={props.text} small label={t("code.copy")} />
      </figcaption>
      {/* Scrollable areas take focus, so that the keyboard can scroll them. */}
      <pre
        class="max-h-[28rem] overflow-auto px-3 py-2 font-mono text-meta"
        tabindex="0"
        role="group"
        aria-label={name()}
      >
        <code>
          <VisibleText text={props.text} marks="hidden" />
        </code>
      </pre>
    </figure>
  );
};
