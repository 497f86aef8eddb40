import type { ApprovalSummary, RunDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { runs as t } from "../../i18n/runs.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { requestLine } from "../../ui/request-subject.ts";
import { toast } from "../../ui/toast.tsx";

const OUTCOMES = ["happened", "retry", "end"] as const;
type Outcome = (typeof OUTCOMES)[number];
const HINT = {
  happened: () => t("reconcile.happenedHint"),
  retry: () => t("reconcile.retryHint"),
  end: () => t("reconcile.endHint"),
} satisfies Record<Outcome, () => string>;

const Form = (props: { readonly run: RunDetail; readonly approval: ApprovalSummary }): JSX.Element => {
  const name = createUniqueId();
  const [outcome, setOutcome] = createSignal<Outcome>();
  const [comment, setComment] = createSignal("");
  const [tried, setTried] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  let commentField: HTMLTextAreaElement | undefined;
  const send = async (): Promise<void> => {
    const chosen = outcome();
    setTried(true);
    if (chosen === undefined) return;
    if (comment().trim() === "") return commentField?.focus();
    setBusy(true);
    setFailure(null);
    try {
      await call("reconcileRun", {
        params: { runId: props.run.id },
        body: { approvalId: props.approval.id, outcome: chosen, comment: comment().trim() },
      });
      toast(t("reconcile.sent"));
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
      void queryClient.invalidateQueries({ queryKey: ["run"] });
      void queryClient.invalidateQueries({ queryKey: keys.allApprovals });
    }
  };
  return (
    <form
      class="mt-3 flex flex-col gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p>{t("reconcile.intro", { tool: props.approval.tool })}</p>
      <A
        class="link self-start [overflow-wrap:anywhere]"
        href={`/w/${props.run.workspaceId}/approvals/${props.approval.id}`}
      >
        {t("reconcile.request", { number: String(props.approval.number), title: requestLine(props.approval, true) })}
      </A>
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-1 font-medium">{t("reconcile.choice")}</legend>
        <For each={OUTCOMES}>
          {(choice) => (
            <label class="flex items-start gap-2 rounded-control border border-line p-3 has-checked:border-accent">
              <input
                type="radio"
                class="mt-0.5 size-4 accent-accent"
                name={name}
                value={choice}
                checked={outcome() === choice}
                onChange={() => setOutcome(choice)}
              />
              <span>
                <span class="font-medium">{t(`reconcile.${choice}`)}</span>
                <span class="block text-ink-2">{HINT[choice]()}</span>
              </span>
            </label>
          )}
        </For>
        <Show when={tried() && outcome() === undefined}>
          <p role="alert" class="text-neg">
            {t("reconcile.choiceRequired")}
          </p>
        </Show>
      </fieldset>
      <FormField
        label={t("reconcile.comment")}
        help={t("reconcile.commentHint")}
        error={tried() && comment().trim() === "" ? t("reconcile.commentRequired") : undefined}
        required
      >
        {(attrs) => (
          <textarea
            {...attrs}
            ref={(element) => (commentField = element)}
            class="input min-h-20"
            rows={3}
            maxlength={2000}
            value={comment()}
            onInput={(event) => setComment(event.currentTarget.value)}
          />
        )}
      </FormField>
      <ErrorLine error={failure()} />
      <button type="submit" class="btn btn-primary self-start" disabled={busy()}>
        {t("reconcile.submit")}
      </button>
    </form>
  );
};

/** A write whose outcome is unknown is settled by a person, with a comment; never by trying again blindly (RUN-7). */
export const RunReconcile = (props: { readonly run: RunDetail }): JSX.Element => (
  <section class="rounded-panel border-2 border-neg bg-surface p-4" aria-labelledby="reconcile-title">
    <h2 id="reconcile-title" class="text-lg">
      {t("reconcile.title")}
    </h2>
    <Show when={props.run.may.reconcile} fallback={<p class="mt-1">{t("reconcile.onlyAdmin")}</p>}>
      <For each={props.run.approvals.filter((approval) => approval.status === "unknown")}>
        {(approval) => <Form run={props.run} approval={approval} />}
      </For>
    </Show>
  </section>
);
