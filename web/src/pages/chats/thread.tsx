import type { RunSummary, ToolCall } from "@aiw/contract/views";
import ArrowDown from "lucide-solid/icons/arrow-down";
import { createEffect, createMemo, createSignal, For, Match, on, onCleanup, onMount, Show, Switch } from "solid-js";
import type { Chat } from "../../data/chat-store.ts";
import { NO_LIVE } from "../../data/reduce.ts";
import { splitKey, type ThreadKey, threadKeys } from "../../data/thread.ts";
import { tChat } from "../../i18n/chat.ts";
import { useKeys } from "../../ui/keys.ts";
import { ToolCard } from "../../ui/tool-card.tsx";
import { AnswerMessage, NoteItem, OutcomeMessage, OutgoingMessage, UserMessage } from "./message-item.tsx";
import { RunEnd } from "./run-end.tsx";
import { RunLive } from "./run-live.tsx";

/** Nearer to the end than this many pixels, the reader follows what is new. */
const NEAR_END = 64;

const Item = (props: { readonly chat: Chat; readonly itemKey: ThreadKey; readonly workspaceId: string }) => {
  const { kind, id } = splitKey(props.itemKey);
  const detail = () => props.chat.state.view?.chat;
  const message = () => detail()?.messages.find((m) => m.id === id);
  const run = (): RunSummary | undefined => detail()?.runs.find((r) => r.id === id);
  const calls = (): readonly ToolCall[] => detail()?.toolCalls.filter((c) => c.runId === id) ?? [];
  const call = (): ToolCall | undefined => detail()?.toolCalls.find((c) => c.id === id);
  const note = () => detail()?.notes.find((n) => `${n.runId}:${n.step}` === id);
  return (
    <Switch>
      <Match when={kind === "user" ? message() : undefined}>
        {(m) => (
          <Show when={m().role === "system"} fallback={<UserMessage message={m()} />}>
            <OutcomeMessage message={m()} request={detail()?.approvals.find((a) => a.id === m().approvalId)} />
          </Show>
        )}
      </Match>
      <Match when={kind === "answer" ? message() : undefined}>
        {(m) => <AnswerMessage message={m()} run={detail()?.runs.find((r) => r.id === m().runId)} />}
      </Match>
      <Match when={kind === "note" ? note() : undefined}>{(n) => <NoteItem text={n().text} />}</Match>
      <Match when={kind === "call" ? call() : undefined}>
        {(c) => <ToolCard call={c()} workspaceId={props.workspaceId} />}
      </Match>
      <Match when={kind === "live" ? run() : undefined}>
        {(r) => (
          <RunLive run={r()} live={props.chat.state.view?.live[id] ?? NO_LIVE} approvals={detail()?.approvals ?? []} />
        )}
      </Match>
      <Match when={kind === "end" ? run() : undefined}>
        {(r) => (
          <RunEnd
            run={r()}
            calls={calls()}
            isLast={detail()?.runs.at(-1)?.id === id}
            onResume={() => props.chat.resume(id)}
            onContinue={() => props.chat.send(tChat("end.continueText"))}
          />
        )}
      </Match>
    </Switch>
  );
};

/** The conversation. It follows what is new while the reader is at its end, and offers the way back otherwise. */
export const Thread = (props: { readonly chat: Chat; readonly workspaceId: string }) => {
  const keys = createMemo(() => {
    const detail = props.chat.state.view?.chat;
    return detail === undefined ? [] : threadKeys(detail);
  });
  const [following, setFollowing] = createSignal(true);
  let box: HTMLDivElement | undefined;
  let content: HTMLDivElement | undefined;
  const toEnd = (): void => {
    if (box !== undefined) box.scrollTop = box.scrollHeight;
    setFollowing(true);
  };
  onMount(() => {
    if (content === undefined) return;
    const watch = new ResizeObserver(() => {
      if (following()) toEnd();
    });
    watch.observe(content);
    // The dock above the composer comes and goes: then the window onto the thread changes, not the thread.
    if (box !== undefined) watch.observe(box);
    onCleanup(() => watch.disconnect());
    toEnd();
  });
  // Who sends wants to see what comes.
  createEffect(
    on(
      () => props.chat.state.outgoing.length,
      (now, before) => now > (before ?? 0) && toEnd(),
    ),
  );
  let lastTop = 0;
  // Only a reader who scrolls up stops following: text that grows between two frames must not look like it.
  const onScroll = (): void => {
    if (box === undefined) return;
    const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
    if (near) setFollowing(true);
    else if (box.scrollTop < lastTop) setFollowing(false);
    lastTop = box.scrollTop;
  };
  useKeys("page", () => [{ keys: "End", label: () => tChat("latest"), run: toEnd }]);
  const empty = (): boolean => keys().length === 0 && props.chat.state.outgoing.length === 0;
  return (
    <div class="relative min-h-0 flex-1">
      <div
        ref={(element) => (box = element)}
        class="h-full overflow-y-auto"
        onScroll={onScroll}
        tabindex="0"
        role="region"
        aria-label={tChat("thread")}
      >
        <h2 class="sr-only">{tChat("thread")}</h2>
        <div ref={(element) => (content = element)} class="mx-auto flex w-full max-w-[45rem] flex-col gap-4 px-4 py-5">
          <Show when={empty()}>
            <div class="py-10 text-center">
              <p class="text-xl font-semibold">{tChat("empty")}</p>
              <p class="mx-auto mt-2 max-w-[52ch] text-ink-2">{tChat("emptyBody")}</p>
            </div>
          </Show>
          <For each={keys()}>{(key) => <Item chat={props.chat} itemKey={key} workspaceId={props.workspaceId} />}</For>
          <For each={props.chat.state.outgoing}>
            {(o) => (
              <OutgoingMessage
                outgoing={o}
                onAgain={() => props.chat.sendAgain(o.id)}
                onDrop={() => props.chat.dropOutgoing(o.id)}
              />
            )}
          </For>
        </div>
      </div>
      <Show when={!following()}>
        <button
          type="button"
          class="btn absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-pop"
          onClick={toEnd}
        >
          <ArrowDown size={14} aria-hidden="true" />
          {tChat("latest")}
        </button>
      </Show>
    </div>
  );
};
