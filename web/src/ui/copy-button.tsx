import Check from "lucide-solid/icons/check";
import Copy from "lucide-solid/icons/copy";
import { createSignal, onCleanup, Show } from "solid-js";
import { t } from "../i18n/index.ts";

/** Copies a text, also on pages without TLS. */
export const copyText = async (text: string): Promise<void> => {
  const done = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (done === true) return;
  // Pages served without TLS have no clipboard API, and a browser may refuse it.
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
};

/** Copies a text and says so for two seconds. */
export const CopyButton = (props: {
  readonly text: string;
  readonly label?: string | undefined;
  readonly small?: boolean;
  readonly withText?: boolean;
}) => {
  const [done, setDone] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const copy = async (): Promise<void> => {
    await copyText(props.text);
    setDone(true);
    clearTimeout(timer);
    timer = setTimeout(() => setDone(false), 2000);
  };
  const name = (): string => (done() ? t("act.copied") : (props.label ?? t("act.copy")));
  return (
    <button
      type="button"
      class={
        props.withText === true
          ? "btn btn-quiet btn-sm"
          : `btn-icon ${props.small === true ? "size-6! min-h-6! min-w-6!" : ""}`
      }
      title={name()}
      aria-label={props.withText === true ? undefined : name()}
      onClick={() => void copy()}
    >
      <Show when={done()} fallback={<Copy size={14} aria-hidden="true" />}>
        <Check size={14} class="text-pos" aria-hidden="true" />
      </Show>
      <Show when={props.withText === true}>{name()}</Show>
    </button>
  );
};
