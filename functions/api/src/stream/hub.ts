import type { SessionLimits } from "@aiw/core/identity";
import * as streams from "@aiw/core/streams";
import type { Database } from "@aiw/platform/db";
import { listen, type Listener } from "@aiw/platform/listen";
import type { Log } from "@aiw/platform/log";
import { createClient, encode, type StreamClient } from "./client.ts";
import { createInbox, type InboxReader } from "./inbox.ts";
import { createRunChannel, type RunChannel, type RunReader } from "./run-channel.ts";

/** The channel on which steps and the API name runs that changed; ids joined by commas. */
export const RUNS_CHANNEL = "aiw_runs";

export interface HubOptions {
  readonly db: Database;
  /** A direct connection: a pooler in transaction mode loses subscriptions. Absent: what is watched is only polled. */
  readonly listenUrl?: string;
  readonly log: Log;
  readonly limits: SessionLimits;
  /** Milliseconds: how often runs are looked at without a hint (F81), rights without an event (N6), and signs of life. */
  readonly pollMs?: number;
  readonly accessMs?: number;
  readonly heartbeatMs?: number;
  /** Milliseconds after which a stream ends on purpose, before the platform cuts it; the client resumes. */
  readonly maxStreamMs?: number;
  /**
   * Where every open stream costs a process of its own: one ends as soon as its run waits for a person, the inbox at once, and
   * the client comes back by itself after these milliseconds (OPS-4).
   */
  readonly restMs?: { readonly waitingRun: number; readonly inbox: number };
}

/** All streams of this process: one subscription, no database connection per client (RUN-11, F80). */
export interface StreamHub {
  openRun(
    run: { readonly runId: string; readonly workspaceId: string; readonly after: number },
    reader: streams.Reader,
  ): ReadableStream<Uint8Array>;
  openInbox(
    reader: streams.Reader & { readonly isGlobalApprover: boolean; readonly workspaces: readonly string[] },
  ): ReadableStream<Uint8Array>;
  /** Open streams, for health and tests. */
  count(): number;
  /** Ends all streams and the subscription. */
  close(): Promise<void>;
}

const RELISTEN_MS = 2_000;
const PING = encode(": ping\nevent: ping\ndata: {}\n\n");

export function createHub(options: HubOptions): StreamHub {
  const { db, log, limits } = options;
  const channels = new Map<string, RunChannel>();
  const inbox = createInbox({ db, log, limits });
  let closing = false;
  let listener: Promise<Listener | undefined> | undefined;
  const timers: NodeJS.Timeout[] = [];

  const refreshAll = (): void => {
    for (const channel of channels.values()) void channel.refresh();
  };

  const subscribe = async (listenUrl: string): Promise<Listener | undefined> => {
    while (!closing) {
      try {
        return await listen(listenUrl, RUNS_CHANNEL, {
          onNotify: (payload) => onHint(payload.split(",")),
          onReady: () => {
            // After a break: what was announced meanwhile was not heard (F81).
            refreshAll();
            inbox.touchAll();
          },
        });
      } catch (error) {
        log.warn("no subscription for run events; polling", { error });
        await new Promise((resolve) => setTimeout(resolve, RELISTEN_MS).unref());
      }
    }
    return undefined;
  };

  const onHint = (runIds: readonly string[]): void => {
    for (const runId of runIds) void channels.get(runId)?.refresh();
    inbox.touch(runIds);
  };

  const clients = (): StreamClient[] => [
    ...[...channels.values()].flatMap((channel) => [...channel.readers].map((reader) => reader.client)),
    ...[...inbox.readers].map((reader) => reader.client),
  ];

  /** NOTIFY is a hint and may get lost: one query for all watched runs finds what it did not tell. */
  const poll = async (): Promise<void> => {
    const watched = [...channels.values()];
    if (watched.length === 0) return;
    const heads = await streams.heads(db, watched);
    for (const channel of watched) {
      const head = heads.get(channel.runId);
      const reached = channel.reached();
      if (reached === null) continue;
      if (head === undefined || head.over || head.lastSeq > reached) void channel.refresh();
    }
  };

  /** A refresh asks for the rights of everybody it reads for, and of nobody else's when there is nothing to read. */
  const checkAccess = async (): Promise<void> => {
    refreshAll();
    await inbox.checkAccess();
  };

  const every = (ms: number, what: string, run: () => Promise<void>): void => {
    let busy = false;
    const tick = (): void => {
      if (busy) return;
      busy = true;
      run()
        .catch((error: unknown) => log.warn(`${what} failed`, { error }))
        .finally(() => {
          busy = false;
        });
    };
    timers.push(setInterval(tick, ms).unref());
  };

  const wake = (): void => {
    if (timers.length > 0 || closing) return;
    if (options.listenUrl !== undefined) listener = subscribe(options.listenUrl);
    every(options.pollMs ?? 1_000, "polling of watched runs", poll);
    every(options.accessMs ?? 2_500, "checking of stream rights", checkAccess);
    every(options.heartbeatMs ?? 15_000, "sign of life", async () => {
      for (const client of clients()) client.send(PING);
    });
  };

  const limited = (client: StreamClient): StreamClient => {
    if (options.maxStreamMs !== undefined) setTimeout(() => client.end(), options.maxStreamMs).unref();
    return client;
  };

  return {
    openRun: ({ runId, workspaceId, after }, reader) => {
      wake();
      const channel =
        channels.get(runId) ??
        createRunChannel({ db, log, limits, runId, workspaceId, restMs: options.restMs?.waitingRun });
      channels.set(runId, channel);
      const client = createClient(() => {
        channel.readers.delete(entry);
        if (channel.readers.size === 0 && channels.get(runId) === channel) channels.delete(runId);
      });
      const entry: RunReader = { ...reader, client: limited(client), position: after, live: false };
      channel.join(entry).catch((error: unknown) => {
        log.warn("a stream could not be filled", { runId, error });
        client.end();
      });
      return client.body;
    },
    openInbox: ({ workspaces, ...reader }) => {
      wake();
      const client = createClient(() => void inbox.readers.delete(entry));
      const entry: InboxReader = { ...reader, client: limited(client), workspaces: new Set(workspaces) };
      inbox.readers.add(entry);
      const restMs = options.restMs?.inbox;
      if (restMs !== undefined) {
        inbox.touchAll();
        client.rest(restMs);
      }
      return client.body;
    },
    count: () => clients().length,
    close: async () => {
      closing = true;
      for (const timer of timers) clearInterval(timer);
      inbox.stop();
      for (const client of clients()) client.end();
      const held = await listener;
      await held?.close();
    },
  };
}
