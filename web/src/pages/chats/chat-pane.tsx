import { createMemo, createSignal, Match, Show, Switch } from "solid-js";
import { createChat } from "../../data/chat-store.ts";
import { isActiveRun, isWaitingRun } from "../../data/states.ts";
import { tChat } from "../../i18n/chat.ts";
import { t } from "../../i18n/index.ts";
import { Guard } from "../../ui/boundary.tsx";
import { chatTitle } from "../../ui/chat-title.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine, ErrorPanel } from "../../ui/error-panel.tsx";
import { useKeys } from "../../ui/keys.ts";
import { usePageTitle } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ChatHeader } from "./chat-header.tsx";
import { Composer } from "./composer.tsx";
import { QuestionDock } from "./question-dock.tsx";
import { StatusStrip } from "./status-strip.tsx";
import { Thread } from "./thread.tsx";
import { WaitingDock } from "./waiting-dock.tsx";

/** One chat: head, thread, what it waits for, composer, what it works with. */
export const ChatPane = (props: { readonly workspaceId: string; readonly chatId: string; readonly fresh: boolean }) => {
  const chat = createChat(props.workspaceId, props.chatId);
  const detail = () => chat.state.view?.chat;
  const active = createMemo(() => detail()?.runs.find((r) => isActiveRun(r.status)));
  const [confirming, setConfirming] = createSignal(false);
  const [stopping, setStopping] = createSignal(false);
  const [stopError, setStopError] = createSignal<unknown>(null);
  usePageTitle(() => {
    const title = chatTitle(detail()?.title ?? "");
    const run = active();
    if (run === undefined) return title;
    return isWaitingRun(run.status) ? `⏳ ${tChat("tabWaiting", { title })}` : tChat("tabRunning", { title });
  });
  const executing = () =>
    detail()?.toolCalls.find((c) => c.runId === active()?.id && c.status === "executing" && c.riskClass !== "read");
  const stop = async (): Promise<void> => {
    const run = active();
    setConfirming(false);
    if (run === undefined || stopping()) return;
    setStopping(true);
    setStopError(null);
    try {
      await chat.cancel(run.id);
    } catch (problem) {
      setStopError(problem);
    } finally {
      setStopping(false);
    }
  };
  const askStop = (): void => {
    if (executing() === undefined) void stop();
    else setConfirming(true);
  };
  useKeys("page", () => [
    { keys: ".", label: () => tChat("stop"), run: askStop, when: () => active()?.may.cancel === true },
  ]);
  const lastSent = (): string | undefined => detail()?.messages.findLast((m) => m.role === "user")?.text;
  return (
    <div class="flex h-full min-w-0 flex-1 flex-col">
      <Switch>
        <Match when={chat.state.view !== null}>
          <ChatHeader chat={chat} workspaceId={props.workspaceId} />
          {/* State changes are announced, tokens are not. */}
          <p class="sr-only" role="status">
            <Show when={detail()?.runStatus}>{(status) => <>{t(`run.${status()}`)}</>}</Show>
          </p>
          <Guard>
            <Thread chat={chat} workspaceId={props.workspaceId} />
          </Guard>
          <div class="border-t border-line bg-canvas px-4 pt-2 pb-3">
            <div class="mx-auto flex w-full max-w-[45rem] flex-col gap-2">
              <Show when={chat.error()}>{(problem) => <ErrorLine error={problem()} />}</Show>
              <Show when={active()}>
                {(run) => (
                  <>
                    <QuestionDock
                      runId={run().id}
                      questions={detail()?.questions ?? []}
                      onDone={() => void chat.refresh()}
                    />
                    <WaitingDock run={run()} approvals={detail()?.approvals ?? []} />
                  </>
                )}
              </Show>
              <ErrorLine error={stopError()} />
              <StatusStrip workspaceId={props.workspaceId} chat={chat} />
              <Show
                when={detail()?.archivedAt === null}
                fallback={<p class="panel px-3 py-2 text-ink-2">{tChat("archivedNote")}</p>}
              >
                <Composer
                  chatId={props.chatId}
                  focus={props.fresh}
                  active={active() !== undefined}
                  mayStop={active()?.may.cancel === true}
                  stopping={stopping()}
                  lastSent={lastSent()}
                  onSend={chat.send}
                  onStop={askStop}
                />
              </Show>
            </div>
          </div>
        </Match>
        <Match when={chat.error()}>
          {(problem) => (
            <div class="flex flex-col gap-4 p-4">
              <h1 class="text-2xl">{tChat("title")}</h1>
              <ErrorPanel
                error={problem()}
                title={problem().code === "not_found" ? tChat("notFound") : undefined}
                retry={() => void chat.refresh()}
              />
            </div>
          )}
        </Match>
        <Match when={true}>
          <div class="mx-auto w-full max-w-[45rem] p-4">
            <Skeleton rows={5} />
          </div>
        </Match>
      </Switch>
      <Dialog open={confirming()} onOpenChange={setConfirming} title={tChat("stopTitle")}>
        <p>{tChat("stopBody", { tool: executing()?.tool ?? "" })}</p>
        <div class="mt-4 flex flex-wrap justify-end gap-2">
          <button type="button" class="btn" onClick={() => setConfirming(false)}>
            {tChat("stopKeep")}
          </button>
          <button type="button" class="btn btn-danger" onClick={() => void stop()}>
            {tChat("stop")}
          </button>
        </div>
      </Dialog>
    </div>
  );
};
