import type { StopMark } from "@aiw/contract/policies";
import { useQuery } from "@tanstack/solid-query";
import OctagonPause from "lucide-solid/icons/octagon-pause";
import { createSignal, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { dateTime } from "../../i18n/index.ts";
import { rules as t } from "../../i18n/rules.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { createAction } from "../settings/save.ts";

interface Stops {
  readonly own: StopMark;
  /** The platform's, as a workspace sees it. */
  readonly above: StopMark;
}

const read = async (workspaceId: string | null): Promise<Stops> => {
  if (workspaceId === null) return { own: (await call("getPlatformWriteStop")).platform, above: null };
  const { workspace, platform } = await call("getWriteStop", { params: { workspaceId } });
  return { own: workspace, above: platform };
};

const write = async (workspaceId: string | null, stopped: boolean): Promise<void> => {
  await (workspaceId === null
    ? call("setPlatformWriteStop", { body: { stopped } })
    : call("setWriteStop", { params: { workspaceId }, body: { stopped } }));
  await queryClient.invalidateQueries({ queryKey: keyOf(workspaceId) });
  void queryClient.invalidateQueries({ queryKey: keys.allApprovals });
};

const keyOf = (workspaceId: string | null): readonly unknown[] =>
  workspaceId === null ? keys.adminWriteStop : keys.writeStop(workspaceId);

const sinceText = (mark: NonNullable<StopMark>): string =>
  mark.by === null
    ? t("stop.sinceOnly", { time: dateTime(mark.at) })
    : t("stop.since", { time: dateTime(mark.at), name: mark.by.displayName });

/** That writes are stopped, by whom, and what follows (POL-13). */
const Stopped = (props: { readonly mark: NonNullable<StopMark>; readonly text: string }): JSX.Element => (
  <div class="flex items-start gap-2 rounded-control border border-warn bg-warn-bg p-3 text-warn">
    <OctagonPause size={16} class="mt-1 shrink-0" aria-hidden="true" />
    <div>
      <p class="font-medium">{props.text}</p>
      <p>{sinceText(props.mark)}</p>
      <p>{t("stop.waits")}</p>
    </div>
  </div>
);

/** The stop switch of a workspace, or of the platform (null), for those who may throw it; its state for all (POL-13). */
export const WriteStop = (props: { readonly workspaceId: string | null; readonly mayChange: boolean }): JSX.Element => {
  const query = useQuery(() => ({
    queryKey: keyOf(props.workspaceId),
    queryFn: () => read(props.workspaceId),
  }));
  const [asking, setAsking] = createSignal(false);
  const action = createAction();
  const stops = (): Stops => (query.isPending ? undefined : query.data) ?? { own: null, above: null };
  const set = async (stopped: boolean): Promise<void> => {
    if (await action.run(() => write(props.workspaceId, stopped))) setAsking(false);
  };
  return (
    <section class="panel flex flex-col gap-3 p-4" aria-labelledby="stop-title">
      <h2 id="stop-title" class="text-lg">
        {t("stop.title")}
      </h2>
      <p class="max-w-[70ch] text-ink-2">{t("stop.hint")}</p>
      <div role="status" class="flex flex-col gap-2 empty:hidden">
        <Show when={stops().above}>{(mark) => <Stopped mark={mark()} text={t("stop.platform")} />}</Show>
        <Show when={stops().own}>
          {(mark) => (
            <Stopped mark={mark()} text={props.workspaceId === null ? t("stop.stopped") : t("stop.workspace")} />
          )}
        </Show>
      </div>
      <ErrorLine error={query.isError ? query.error : action.failure()} />
      <Show when={props.mayChange && !query.isPending && !query.isError}>
        <Show
          when={stops().own}
          fallback={
            <button type="button" class="btn btn-danger self-start" onClick={() => setAsking(true)}>
              {props.workspaceId === null ? t("stop.throwAll") : t("stop.throw")}
            </button>
          }
        >
          <button type="button" class="btn self-start" disabled={action.busy()} onClick={() => void set(false)}>
            {t("stop.lift")}
          </button>
        </Show>
      </Show>
      <Dialog
        open={asking()}
        onOpenChange={setAsking}
        title={t("stop.confirm")}
        description={`${t("stop.hint")} ${t("stop.confirmBody")}`}
      >
        <ErrorLine error={action.failure()} />
        <div class="mt-2 flex flex-wrap gap-2">
          <button type="button" class="btn btn-danger" disabled={action.busy()} onClick={() => void set(true)}>
            {props.workspaceId === null ? t("stop.throwAll") : t("stop.throw")}
          </button>
          <button type="button" class="btn" onClick={() => setAsking(false)}>
            {t("cancel")}
          </button>
        </div>
      </Dialog>
    </section>
  );
};
