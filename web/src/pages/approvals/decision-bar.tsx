import type { ApprovalDetail } from "@aiw/contract/views";
import {
  createEffect,
  createSignal,
  createUniqueId,
  type JSX,
  Match,
  on,
  onCleanup,
  onMount,
  Show,
  Switch,
} from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { requestLine } from "../../ui/request-subject.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { ActButton, createArmed } from "./act-button.tsx";
import { confirmationOf, targetOf } from "./decision-model.ts";
import { RejectForm } from "./reject-form.tsx";
import { RespondForm } from "./respond-form.tsx";

export type Decision =
  | { readonly kind: "approve"; readonly reason: string; readonly response?: string }
  | { readonly kind: "reject"; readonly reason: string; readonly endRun: boolean };

type Step = "idle" | "confirm" | "respond" | "reject";
/** What the keys of the page may do to the bar; null: that is not possible now. */
export interface BarControls {
  readonly approve: (() => void) | null;
  readonly reject: () => void;
}

export interface DecisionBarProps {
  readonly item: ApprovalDetail;
  readonly isRequester: boolean;
  readonly unviewed: number;
  /** Lines of the change that were never on the page; nothing is approved before they were (N27). */
  readonly unshown: number;
  readonly onShowAll: () => void;
  /** Why nothing can be decided right now although the request is open; null when it can. */
  readonly locked: string | null;
  /** Present while a newer state waits to be shown. */
  readonly onShowNew: (() => void) | undefined;
  readonly busy: boolean;
  readonly failure: unknown;
  readonly onDecide: (decision: Decision) => void;
  readonly controls: (controls: BarControls | null) => void;
}

const Confirm = (props: DecisionBarProps & { readonly onBack: () => void }): JSX.Element => {
  const armed = createArmed();
  const [comment, setComment] = createSignal("");
  const [typed, setTyped] = createSignal("");
  const titleId = createUniqueId();
  const needsTyping = (): boolean => confirmationOf(props.item) === "type";
  const target = (): string => targetOf(props.item);
  const off = (): boolean =>
    !armed() || props.busy || props.locked !== null || (needsTyping() && typed().trim() !== target());
  let button: HTMLButtonElement | undefined;
  let field: HTMLInputElement | undefined;
  onMount(() => (field ?? button)?.focus());
  return (
    <div role="group" aria-labelledby={titleId} class="flex flex-col gap-2">
      <p id={titleId} class="font-medium">
        {t("bar.confirmTitle")}
      </p>
      <p class="text-meta text-ink-2 [overflow-wrap:anywhere]">
        <VisibleText
          text={t("bar.confirmBody", { title: requestLine(props.item), hash: props.item.snapshotHash.slice(0, 12) })}
        />
      </p>
      <Show when={props.isRequester}>
        <p class="text-meta text-warn">{t("bar.selfHint")}</p>
      </Show>
      <Show when={needsTyping()}>
        <FormField label={t("bar.typeTarget", { target: target() })} required>
          {(attrs) => (
            <input
              {...attrs}
              ref={(element) => (field = element)}
              class="input"
              autocomplete="off"
              value={typed()}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </FormField>
      </Show>
      <FormField label={t("bar.comment")}>
        {(attrs) => (
          <input
            {...attrs}
            class="input"
            maxlength={2000}
            value={comment()}
            onInput={(event) => setComment(event.currentTarget.value)}
          />
        )}
      </FormField>
      <div class="flex gap-2">
        <ActButton
          class="btn-primary"
          off={off()}
          onAct={() => props.onDecide({ kind: "approve", reason: comment().trim() })}
          ref={(element) => (button = element)}
        >
          {props.busy ? t("bar.sending") : t("bar.confirm")}
        </ActButton>
        <ActButton class="" off={props.busy} onAct={props.onBack}>
          {t("bar.back")}
        </ActButton>
      </div>
    </div>
  );
};

/** Approve or reject, always at the same place; it stays at the lower edge of the window (APR-15). */
export const DecisionBar = (props: DecisionBarProps): JSX.Element => {
  const [step, setStep] = createSignal<Step>("idle");
  const armed = createArmed();
  let approveButton: HTMLButtonElement | undefined;
  let rejectButton: HTMLButtonElement | undefined;
  let showAllButton: HTMLButtonElement | undefined;
  const open = (next: Exclude<Step, "idle">): void => {
    if (props.locked === null && !props.busy) setStep(next);
  };
  const back = (): void => {
    const from = step();
    setStep("idle");
    (from === "reject" ? rejectButton : approveButton)?.focus();
  };
  const asksForText = (): boolean => props.item.responseLabel !== null;
  const approve = (): void => {
    if (props.unshown > 0) return;
    if (asksForText()) open("respond");
    else if (confirmationOf(props.item) === "direct") props.onDecide({ kind: "approve", reason: "" });
    else open("confirm");
  };
  onMount(() => {
    props.controls({
      // The key leads to a focused button that Enter presses; it never decides by itself.
      approve: () => {
        if (props.unshown > 0) showAllButton?.focus();
        else if (asksForText()) open("respond");
        else if (confirmationOf(props.item) === "direct") approveButton?.focus();
        else open("confirm");
      },
      reject: () => open("reject"),
    });
  });
  onCleanup(() => props.controls(null));
  createEffect(
    on(
      () => props.item.snapshotHash,
      () => setStep("idle"),
      { defer: true },
    ),
  );
  return (
    <section
      aria-label={t("bar.label")}
      data-decision-bar
      class="sticky bottom-[calc(3.5rem+env(safe-area-inset-bottom))] z-20 -mx-4 max-h-[80dvh] overflow-y-auto border-t border-line-strong bg-surface px-4 py-3 md:bottom-0 md:mx-0 md:rounded-t-panel md:border-x"
    >
      <Show when={props.locked}>
        {(reason) => (
          <p class="mb-2 flex flex-wrap items-center gap-2 text-warn">
            {reason()}
            <Show when={props.onShowNew}>
              {(show) => (
                <button type="button" class="btn btn-sm" onClick={() => show()()}>
                  {t("changed.reload")}
                </button>
              )}
            </Show>
          </p>
        )}
      </Show>
      <Switch>
        <Match when={step() === "idle"}>
          <div class="flex flex-wrap items-center gap-2">
            <ActButton
              class="btn-primary"
              off={!armed() || props.locked !== null || props.busy || props.unshown > 0}
              onAct={approve}
              ref={(element) => (approveButton = element)}
            >
              {props.busy ? t("bar.sending") : asksForText() ? t("respond.open") : t("bar.approve")}
            </ActButton>
            <ActButton
              class="btn-danger"
              off={!armed() || props.locked !== null || props.busy}
              onAct={() => open("reject")}
              ref={(element) => (rejectButton = element)}
            >
              {t("bar.reject")}
            </ActButton>
            <Show when={props.unshown > 0}>
              <span class="flex flex-wrap items-center gap-2 text-warn">
                {t("bar.unshown", props.unshown)}
                <button
                  type="button"
                  class="btn btn-sm"
                  ref={(element) => (showAllButton = element)}
                  onClick={() => {
                    props.onShowAll();
                    approveButton?.focus();
                  }}
                >
                  {t("bar.showAll")}
                </button>
              </span>
            </Show>
            <Show when={props.unviewed > 0}>
              <span class="text-meta text-ink-2">{t("bar.viewed", props.unviewed)}</span>
            </Show>
          </div>
        </Match>
        <Match when={step() === "confirm"}>
          <Confirm {...props} onBack={back} />
        </Match>
        <Match when={step() === "respond"}>
          <RespondForm
            item={props.item}
            busy={props.busy}
            locked={props.locked}
            onSend={(response) => props.onDecide({ kind: "approve", reason: "", response })}
            onBack={back}
          />
        </Match>
        <Match when={step() === "reject"}>
          <RejectForm
            item={props.item}
            busy={props.busy}
            locked={props.locked !== null}
            onReject={(reason, endRun) => props.onDecide({ kind: "reject", reason, endRun })}
            onBack={back}
          />
        </Match>
      </Switch>
      <ErrorLine error={props.failure} />
    </section>
  );
};
