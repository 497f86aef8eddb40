import type { InboxHint } from "@aiw/contract/events";
import { createSignal } from "solid-js";
import { urlOf } from "./client.ts";
import { serverNow } from "./clock.ts";
import { keys } from "./keys.ts";
import { queryClient } from "./query.ts";
import { checkSession } from "./session.ts";
import { onWake, openStream, type StreamState } from "./stream.ts";

/**
 * The inbox stream says what changed for this person; the data itself is fetched anew.
 * Browsers open few streams per origin, so the tabs share one: the holder of a lock reads it and tells the others.
 */
const [state, setState] = createSignal<StreamState>("connecting");
const [since, setSince] = createSignal(serverNow());
export { since as inboxSince, state as inboxState };

type Listener = (hint: InboxHint) => void;
const listeners = new Set<Listener>();
/** Hear every hint (pages that hold data outside the query cache). Answers how to stop. */
export const onHint = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const stale = (queryKey: readonly unknown[]): void => void queryClient.invalidateQueries({ queryKey });

const apply = (hint: InboxHint): void => {
  const ws = hint.workspaceId;
  if (hint.type === "approvals") stale(keys.allApprovals);
  if (hint.type === "approvals" || hint.type === "sources") {
    stale(keys.workspaces);
    if (ws !== null) stale(keys.workspace(ws));
  }
  if (hint.type === "runs") stale(["run"]);
  if (ws !== null && hint.type === "chats") stale(keys.allChats(ws));
  if (ws !== null && hint.type === "runs") {
    stale(keys.allRuns(ws));
    stale(keys.allChats(ws));
  }
  if (ws !== null && hint.type === "sources") {
    stale(keys.sources(ws));
    stale(keys.tools(ws));
  }
  for (const listener of listeners) listener(hint);
};

const isHint = (data: unknown): data is InboxHint =>
  typeof data === "object" && data !== null && "type" in data && "workspaceId" in data;

type Shared = { readonly hint: InboxHint } | { readonly state: StreamState };
const isShared = (data: unknown): data is Shared =>
  typeof data === "object" && data !== null && ("hint" in data || "state" in data);

const readInbox = (share: (message: Shared) => void): (() => void) => {
  let broken = false;
  const stream = openStream({
    url: () => urlOf("inboxEvents"),
    types: ["approvals", "chats", "sources", "runs", "hint"],
    onData: (data) => {
      if (!isHint(data)) return;
      apply(data);
      share({ hint: data });
    },
    onState: (next) => {
      if (next === "reconnecting" || next === "offline") broken = true;
      // Hints sent while the stream was broken are gone: everything shown is asked for again.
      if (next === "live" && broken) {
        broken = false;
        void queryClient.invalidateQueries();
      }
      moveTo(next);
      share({ state: next });
    },
    signedIn: async () => (await checkSession()) !== null,
  });
  const stopWake = onWake(stream.wake);
  return () => {
    stopWake();
    stream.close();
  };
};

const moveTo = (next: StreamState): void => {
  if (next !== "live" && state() === "live") setSince(serverNow());
  setState(next);
};

/** Read the inbox, or listen to the tab that reads it. Answers how to stop. */
export const startInbox = (): (() => void) => {
  if (!("locks" in navigator) || typeof BroadcastChannel === "undefined") return readInbox(() => {});
  const channel = new BroadcastChannel("aiw.inbox");
  const given = new AbortController();
  let release: () => void = () => {};
  let stopped = false;
  channel.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (!isShared(event.data)) return;
    if ("hint" in event.data) apply(event.data.hint);
    else moveTo(event.data.state);
  });
  // Nobody answers a follower until something happens; it is connected as soon as another tab holds the stream.
  setState("live");
  const hold = async (): Promise<void> => {
    if (stopped) return;
    const stop = readInbox((message) => channel.postMessage(message));
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    stop();
  };
  navigator.locks.request("aiw.inbox", { signal: given.signal }, hold).catch(() => {
    // Aborted while waiting: the page was left.
  });
  return () => {
    stopped = true;
    given.abort();
    release();
    channel.close();
  };
};
