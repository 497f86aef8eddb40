import type { ApprovalDetail } from "@aiw/contract/views";
import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { ActButton, createArmed } from "./act-button.tsx";
import type { BarControls, Decision } from "./decision-bar.tsx";
import { isOnlyRejectable } from "./decision-model.ts";
import { driftText } from "./drift-words.ts";
import { RejectForm } from "./reject-form.tsx";
import { RequestAgain } from "./request-again.tsx";

export interface ApprovalBlockedProps {
  readonly item: ApprovalDetail;
  readonly past: boolean;
  readonly itemHref: (id: string) => string;
  /** A newer state waits to be shown, or the connection is gone: nothing is decided right now. */
  readonly locked: boolean;
  readonly busy: boolean;
  readonly failure: unknown;
  readonly onDecide: (decision: Decision) => void;
  readonly controls: (controls: BarControls | null) => void;
}

/** The no to a request that cannot be approved any more: its run need not wait until it expires (APR-19). */
const RejectStale = (props: ApprovalBlockedProps): JSX.Element => {
  const [open, setOpen] = createSignal(false);
  const armed = createArmed();
  let button: HTMLButtonElement | undefined;
  const start = (): void => {
    if (!props.locked && !props.busy) setOpen(true);
  };
  onMount(() => props.controls({ approve: null, reject: start }));
  onCleanup(() => props.controls(null));
  return (
    <div class="mt-3 border-t border-line pt-3">
      <Show
        when={open()}
        fallback={
          <div class="flex flex-col items-start gap-1">
            <ActButton
              class="btn-danger"
              off={!armed() || props.locked || props.busy}
              onAct={start}
              ref={(element) => (button = element)}
            >
              {t("bar.reject")}
            </ActButton>
            <p class="text-meta text-ink-2">{t("blocked.rejectHint")}</p>
          </div>
        }
      >
        <RejectForm
          item={props.item}
          busy={props.busy}
          locked={props.locked}
          onReject={(reason, endRun) => props.onDecide({ kind: "reject", reason, endRun })}
          onBack={() => {
            setOpen(false);
            button?.focus();
          }}
        />
      </Show>
      <ErrorLine error={props.failure} />
    </div>
  );
};

/** Why the reader cannot approve an open request, said in the place of the buttons, with what is still possible. */
export const ApprovalBlocked = (props: ApprovalBlockedProps): JSX.Element => {
  const reason = (): NonNullable<ApprovalDetail["notDecidable"]> =>
    props.past ? "expired" : (props.item.notDecidable ?? "decided");
  const body = (): string => {
    const now = reason();
    if (now === "decided") return "";
    if (now !== "approver_missing") return t(`blocked.${now}Body`);
    return props.item.level === "global_approver"
      ? t("blocked.approver_missingGlobal")
      : t("blocked.approver_missingWorkspace");
  };
  return (
    <section class="panel p-3" aria-label={t("bar.label")}>
      <p class="font-medium">{t(`blocked.${reason()}`)}</p>
      <p class="text-ink-2">{body()}</p>
      <Show when={reason() === "stale" || props.item.stale}>
        <Show when={driftText(props.item)}>
          {(why) => (
            <p class="[overflow-wrap:anywhere]">
              <VisibleText text={why()} />
            </p>
          )}
        </Show>
        <RequestAgain item={props.item} itemHref={props.itemHref} />
      </Show>
      <Show when={isOnlyRejectable(props.item) && !props.past}>
        <RejectStale {...props} />
      </Show>
    </section>
  );
};
