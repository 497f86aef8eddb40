import type { ApprovalDetail } from "@aiw/contract/views";
import { createSignal, type JSX, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { FormField } from "../../ui/form-field.tsx";
import { SecretField } from "../../ui/secret-field.tsx";
import { DecisionForm } from "./decision-form.tsx";

/**
 * The answer to an input request (APR-9). What is typed is sent exactly, and kept nowhere in the browser: a sensitive answer
 * is masked, and no field offers to remember it (APR-10).
 */
export const RespondForm = (props: {
  readonly item: ApprovalDetail;
  readonly busy: boolean;
  readonly locked: string | null;
  readonly onSend: (response: string) => void;
  readonly onBack: () => void;
}): JSX.Element => {
  const [answer, setAnswer] = createSignal("");
  const off = (): boolean => props.busy || props.locked !== null || answer().trim() === "";
  return (
    <DecisionForm
      busy={props.busy}
      off={off()}
      label={t("respond.send")}
      tone="btn-primary"
      onSend={() => props.onSend(answer())}
      onBack={() => props.onBack()}
    >
      <FormField
        label={props.item.responseLabel ?? ""}
        help={props.item.sensitive ? t("respond.sensitiveHint") : t("respond.hint")}
        required
      >
        {(attrs) => (
          <Show
            when={props.item.sensitive}
            fallback={
              <textarea
                {...attrs}
                class="input"
                rows={2}
                maxlength={20_000}
                autocomplete="off"
                spellcheck={false}
                value={answer()}
                onInput={(event) => setAnswer(event.currentTarget.value)}
              />
            }
          >
            <SecretField field={attrs} name="response" value={answer()} onInput={setAnswer} autocomplete="off" />
          </Show>
        )}
      </FormField>
    </DecisionForm>
  );
};
