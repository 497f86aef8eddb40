import { type JSX, onMount } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { ActButton } from "./act-button.tsx";

/**
 * What is written before a request is decided: sent by the button, or by Enter with Ctrl or Cmd in any field; left by Escape. The
 * first field has the focus, and no browser offers to remember what is typed (APR-10).
 */
export const DecisionForm = (props: {
  readonly busy: boolean;
  /** It cannot be sent as it stands. */
  readonly off: boolean;
  readonly label: string;
  readonly tone: "btn-primary" | "btn-danger";
  readonly onSend: () => void;
  readonly onBack: () => void;
  readonly children: JSX.Element;
}): JSX.Element => {
  const send = (): void => {
    if (!props.off) props.onSend();
  };
  let form: HTMLFormElement | undefined;
  onMount(() => form?.querySelector<HTMLElement>("input, textarea")?.focus());
  return (
    <form
      ref={(element) => (form = element)}
      class="flex flex-col gap-2"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
        if (event.key === "Escape") props.onBack();
      }}
    >
      {props.children}
      <div class="flex gap-2">
        <ActButton class={props.tone} off={props.off} onAct={send}>
          {props.busy ? t("bar.sending") : props.label}
        </ActButton>
        <ActButton class="" off={props.busy} onAct={props.onBack}>
          {t("bar.back")}
        </ActButton>
      </div>
    </form>
  );
};
