import type { RunSummary } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { createSignal, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { runs as t } from "../../i18n/runs.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";

/** What the reader may do with a run now; the server said so (RUN-22). */
export const RunActions = (props: { readonly run: RunSummary; readonly small?: boolean }): JSX.Element => {
  const [asking, setAsking] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const size = (): string => (props.small === true ? "btn-sm" : "");
  const act = async (name: "cancelRun" | "resumeRun"): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await call(name, { params: { runId: props.run.id } });
      setAsking(false);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
      void queryClient.invalidateQueries({ queryKey: ["run"] });
      void queryClient.invalidateQueries({ queryKey: keys.allRuns(props.run.workspaceId) });
    }
  };
  return (
    <>
      <Show when={props.run.may.continue && props.run.chatId}>
        {(chat) => (
          <A class={`btn ${size()}`} href={`/w/${props.run.workspaceId}/chats/${chat()}`}>
            {t("continueInChat")}
          </A>
        )}
      </Show>
      <Show when={props.run.may.resume}>
        <button
          type="button"
          class={`btn ${size()}`}
          title={t("resumeHint")}
          disabled={busy()}
          onClick={() => void act("resumeRun")}
        >
          {t("resume")}
        </button>
      </Show>
      <Show when={props.run.may.cancel}>
        <button type="button" class={`btn btn-danger ${size()}`} onClick={() => setAsking(true)}>
          {t("cancel")}
        </button>
      </Show>
      <Show when={!asking()}>
        <ErrorLine error={failure()} />
      </Show>
      <Dialog open={asking()} onOpenChange={setAsking} title={t("cancelTitle")} description={t("cancelBody")}>
        <ErrorLine error={failure()} />
        <div class="mt-2 flex flex-wrap gap-2">
          <button type="button" class="btn btn-danger" disabled={busy()} onClick={() => void act("cancelRun")}>
            {t("cancelConfirm")}
          </button>
          <button type="button" class="btn" onClick={() => setAsking(false)}>
            {t("keep")}
          </button>
        </div>
      </Dialog>
    </>
  );
};
