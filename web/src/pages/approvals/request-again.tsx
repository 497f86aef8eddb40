import type { ApprovalDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { approvals as t } from "../../i18n/approvals.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";

/**
 * Puts a request forward again (APR-7, APR-19): of an open one whose target changed, and of one that ended without a person's no.
 * Shows the way to the successor once there is one.
 */
export const RequestAgain = (props: {
  readonly item: ApprovalDetail;
  readonly itemHref: (id: string) => string;
}): JSX.Element => {
  const [busy, setBusy] = createSignal(false);
  const [started, setStarted] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const expired = (): boolean => props.item.status === "expired";
  const ask = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await call("requestAgain", { params: { approvalId: props.item.id } });
      setStarted(true);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
      void queryClient.invalidateQueries({ queryKey: keys.allApprovals });
      void queryClient.invalidateQueries({ queryKey: keys.approval(props.item.id) });
    }
  };
  const shown = (): boolean =>
    props.item.successorId !== null || props.item.preparing || started() || props.item.mayRequestAgain;
  return (
    <Show when={shown()}>
      <div class="mt-3 flex flex-col items-start gap-1">
        <Switch>
          <Match when={props.item.successorId}>
            {(id) => (
              <A class="btn" href={props.itemHref(id())}>
                {t("again.successor")}
              </A>
            )}
          </Match>
          <Match when={props.item.preparing || (started() && !props.item.mayRequestAgain)}>
            <p role="status">{t("again.started")}</p>
          </Match>
          <Match when={props.item.mayRequestAgain}>
            <button type="button" class="btn btn-primary" disabled={busy()} onClick={() => void ask()}>
              {expired() ? t("again.button") : t("again.prepare")}
            </button>
            <p class="text-meta text-ink-2">{t("again.hint")}</p>
          </Match>
        </Switch>
        <ErrorLine error={failure()} />
      </div>
    </Show>
  );
};
