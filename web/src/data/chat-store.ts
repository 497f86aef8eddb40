import type { RunEvent } from "@aiw/contract/events";
import type { ModelChoice } from "@aiw/contract/models";
import type { ChatDetail, Message, RunSummary } from "@aiw/contract/views";
import { batch, createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import { createStore, reconcile, unwrap } from "solid-js/store";
import { ApiProblem, call, urlOf } from "./client.ts";
import { serverNow } from "./clock.ts";
import { onHint } from "./inbox.ts";
import { keys } from "./keys.ts";
import { queryClient } from "./query.ts";
import { draftKey, writePref } from "./prefs.ts";
import { applyEvent, asRunEvent, type ChatView, isGap, needsSnapshot, NO_LIVE, rebase } from "./reduce.ts";
import { checkSession } from "./session.ts";
import { isActiveRun } from "./states.ts";
import { onWake, openStream, type StreamState } from "./stream.ts";
import { uuidv7 } from "./uuid.ts";

/** A message of this tab that the server has not confirmed. */
export interface Outgoing {
  readonly id: string;
  readonly text: string;
  readonly error: ApiProblem | null;
}

const EVENT_TYPES: readonly RunEvent["type"][] = [
  "run.status",
  "step.started",
  "message.delta",
  "attempt.reset",
  "message.completed",
  "tool.requested",
  "tool.started",
  "tool.finished",
  "approval.requested",
  "approval.changed",
  "question.asked",
  "question.answered",
  "child.started",
  "usage",
];
const REFRESH_MS = 150;

interface State {
  view: ChatView | null;
  outgoing: Outgoing[];
}

/**
 * One open chat: loaded once, kept present by the stream of its active run and by hints, complete again after a reload.
 * Lives as long as the component that made it. `refresh` never throws; its failure is in `error`.
 */
export const createChat = (workspaceId: string, chatId: string) => {
  const [state, setState] = createStore<State>({ view: null, outgoing: [] });
  const [error, setError] = createSignal<ApiProblem | null>(null);
  const [streamState, setStreamState] = createSignal<StreamState>("connecting");
  const [streamSince, setStreamSince] = createSignal(serverNow());
  const events = new Map<string, RunEvent[]>();
  let disposed = false;
  let loading: Promise<void> | null = null;
  let again = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const setView = (next: ChatView): void => setState("view", reconcile(next, { key: "id" }));
  const view = (): ChatView | null => unwrap(state).view;

  const take = (chat: ChatDetail): void => {
    for (const run of chat.runs) {
      const later = events.get(run.id)?.filter((e) => e.seq > run.lastSeq) ?? [];
      events.set(run.id, later);
    }
    batch(() => {
      setView(rebase(view(), chat, events));
      const known = new Set(chat.messages.map((m) => m.id));
      setState("outgoing", (all) => all.filter((o) => !known.has(o.id)));
      setError(null);
    });
  };
  const load = async (): Promise<void> => {
    try {
      const chat = await call("getChat", { params: { workspaceId, chatId } });
      if (!disposed) take(chat);
    } catch (problem) {
      if (disposed || !(problem instanceof ApiProblem)) return;
      batch(() => {
        setError(problem);
        // Gone, or no longer for this person: nothing of it stays on the screen.
        if (problem.code === "not_found") setState("view", null);
      });
    }
  };
  /** Fetch the snapshot; calls that come while one is under way are answered by one more afterwards. */
  const refresh = async (): Promise<void> => {
    if (loading !== null) {
      again = true;
      return loading;
    }
    loading = load();
    await loading;
    loading = null;
    if (!again || disposed) return;
    again = false;
    return refresh();
  };
  const refreshSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void refresh(), REFRESH_MS);
  };

  const onEvent = (runId: string, event: RunEvent): void => {
    const before = view();
    if (before === null) return;
    const isNew = event.seq > (before.chat.runs.find((r) => r.id === runId)?.lastSeq ?? 0);
    if (isGap(before, runId, event) || (isNew && needsSnapshot(event))) refreshSoon();
    if (isNew) events.set(runId, [...(events.get(runId) ?? []).filter((e) => e.seq < event.seq), event]);
    const next = applyEvent(before, runId, event);
    if (next !== before) setView(next);
  };

  const moveTo = (next: StreamState): void => {
    if (next !== "live" && streamState() === "live") setStreamSince(serverNow());
    // The server may have refused for good (the right is gone, the run is over): the snapshot tells.
    if (next === "reconnecting") refreshSoon();
    setStreamState(next);
  };

  const activeRunId = createMemo(() => state.view?.chat.runs.find((r) => isActiveRun(r.status))?.id);
  const follow = (runId: string): void => {
    const stream = openStream({
      url: () => urlOf("runEvents", { params: { runId }, query: { after: (view()?.live[runId] ?? NO_LIVE).seq } }),
      types: EVENT_TYPES,
      onData: (data) => {
        const event = asRunEvent(data);
        if (event !== null) onEvent(runId, event);
      },
      onState: moveTo,
      signedIn: async () => (await checkSession()) !== null,
    });
    const stopWake = onWake(stream.wake);
    onCleanup(() => {
      stopWake();
      stream.close();
    });
  };
  createEffect(
    on(activeRunId, (runId) => {
      if (runId !== undefined) follow(runId);
    }),
  );

  onCleanup(
    onHint((hint) => {
      if (hint.workspaceId !== workspaceId) return;
      if (hint.type === "chats" || hint.type === "approvals" || (hint.type === "runs" && activeRunId() === undefined))
        refreshSoon();
    }),
  );
  onCleanup(() => {
    disposed = true;
    clearTimeout(timer);
  });

  const withRun = (runs: readonly RunSummary[], run: RunSummary): RunSummary[] =>
    runs.some((r) => r.id === run.id)
      ? runs.map((r) => (r.id === run.id && r.lastSeq <= run.lastSeq ? run : r))
      : [...runs, run];
  /** Put an answer of the server about a run into the picture at once; the stream goes on from there. */
  const putRun = (run: RunSummary): void => {
    const now = view();
    if (now !== null)
      setView({ ...now, chat: { ...now.chat, runs: withRun(now.chat.runs, run), runStatus: run.status } });
  };
  const putMessage = (message: Message): void => {
    const now = view();
    if (now === null || now.chat.messages.some((m) => m.id === message.id)) return;
    setView({
      ...now,
      chat: { ...now.chat, messages: [...now.chat.messages, message], lastActivityAt: message.createdAt },
    });
  };

  const deliver = async (id: string, text: string): Promise<void> => {
    try {
      const answer = await call("sendMessage", { params: { workspaceId, chatId }, body: { id, text } });
      batch(() => {
        putMessage(answer.message);
        if (answer.run !== null) putRun(answer.run);
        setState("outgoing", (all) => all.filter((o) => o.id !== id));
      });
      void queryClient.invalidateQueries({ queryKey: keys.allChats(workspaceId) });
      // The first message gives an untitled chat its title.
      refreshSoon();
    } catch (problem) {
      // The sign-in page comes next and this page goes: the text waits as a draft.
      if (problem instanceof ApiProblem && problem.code === "not_signed_in") writePref(draftKey(chatId), text);
      const seen = problem instanceof ApiProblem ? problem : new ApiProblem("internal", 500);
      setState("outgoing", (o) => o.id === id, { error: seen });
    }
  };

  void refresh();
  return {
    state,
    error,
    streamState,
    streamSince,
    refresh,
    putRun,
    /** Show the message at once and send it; a failed one stays with its reason. */
    send: (text: string): void => {
      const id = uuidv7();
      setState("outgoing", (all) => [...all, { id, text, error: null }]);
      void deliver(id, text);
    },
    /** The same message with the same id: sending twice is sending once. */
    sendAgain: (id: string): void => {
      const message = state.outgoing.find((o) => o.id === id);
      if (message === undefined) return;
      setState("outgoing", (o) => o.id === id, { error: null });
      void deliver(id, message.text);
    },
    dropOutgoing: (id: string): void => setState("outgoing", (all) => all.filter((o) => o.id !== id)),
    /** Title, archive, mode, model: the answer replaces what is shown. */
    update: async (change: {
      title?: string;
      archived?: boolean;
      mode?: "work" | "plan";
      model?: ModelChoice;
    }): Promise<void> => {
      const summary = await call("updateChat", { params: { workspaceId, chatId }, body: change });
      const now = view();
      if (now !== null) setView({ ...now, chat: { ...now.chat, ...summary } });
      void queryClient.invalidateQueries({ queryKey: keys.allChats(workspaceId) });
    },
    /** Stop the run. */
    cancel: async (runId: string): Promise<void> => {
      putRun(await call("cancelRun", { params: { runId } }));
      refreshSoon();
    },
    /** Take up a failed run from its history. */
    resume: async (runId: string): Promise<void> => {
      putRun(await call("resumeRun", { params: { runId } }));
      refreshSoon();
    },
  };
};
export type Chat = ReturnType<typeof createChat>;
