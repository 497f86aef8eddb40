import type { ApprovalDetail } from "@aiw/contract/views";
import { createSignal, type JSX } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { FormField } from "../../ui/form-field.tsx";
import { DecisionForm } from "./decision-form.tsx";
import { keepReason, readReason } from "./reason-draft.ts";

export interface RejectFormProps {
  readonly item: Pick<ApprovalDetail, "id" | "sensitive" | "masked">;
  readonly busy: boolean;
  /** Nothing can be decided right now; the page says why. */
  readonly locked: boolean;
  readonly onReject: (reason: string, endRun: boolean) => void;
  readonly onBack: () => void;
}

/**
 * A no needs its reason, and may end the run (APR-6). What is typed is kept in this browser until the request is rejected, unless
 * something sensitive is asked for or stands in the request (APR-10).
 */
export const RejectForm = (props: RejectFormProps): JSX.Element => {
  const [reason, setReason] = createSignal(readReason(props.item));
  const change = (text: string): void => {
    setReason(text);
    keepReason(props.item, text);
  };
  const [endRun, setEndRun] = createSignal(false);
  const off = (): boolean => props.busy || props.locked || reason().trim() === "";
  return (
    <DecisionForm
      busy={props.busy}
      off={off()}
      label={t("bar.reject")}
      tone="btn-danger"
      onSend={() => props.onReject(reason().trim(), endRun())}
      onBack={() => props.onBack()}
    >
      <FormField label={t("bar.reason")} help={t("bar.reasonHint")} required>
        {(attrs) => (
          <textarea
            {...attrs}
            class="input min-h-20"
            rows={3}
            maxlength={2000}
            value={reason()}
            onInput={(event) => change(event.currentTarget.value)}
          />
        )}
      </FormField>
      <label class="flex min-h-7 items-center gap-2">
        <input
          type="checkbox"
          class="size-4 accent-accent"
          checked={endRun()}
          onChange={(event) => setEndRun(event.currentTarget.checked)}
        />
        {t("bar.endRun")}
      </label>
    </DecisionForm>
  );
};
