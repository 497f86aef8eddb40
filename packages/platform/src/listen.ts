import { randomUUID } from "node:crypto";
import postgres from "postgres";
import type { Database } from "./db.ts";
import type { Log } from "./log.ts";

export type Listener = { close(): Promise<void> };

export type ListenHandlers = {
  onNotify(payload: string): void;
  /** Fires when the subscription stands, and again after each reconnect: read then what was missed meanwhile. */
  onReady(): void;
};

/**
 * Holds one dedicated connection subscribed to `channel` (RUN-11); reconnects by itself. Needs a direct connection: a
 * pooler in transaction mode loses the subscription (`checkListen`). Rejects when the first connection fails.
 */
export async function listen(url: string, channel: string, handlers: ListenHandlers): Promise<Listener> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 10,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: `aiw-listen-${channel}`.slice(0, 63) },
  });
  try {
    await sql.listen(channel, handlers.onNotify, handlers.onReady);
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
  return { close: () => sql.end({ timeout: 1 }) };
}

const CHECK_LIMIT_MS = 5_000;

/**
 * Proves that a notification sent to the database of `url` comes back on a subscription made through `url` (OPS-6).
 * @throws an error with a sentence that says what to change
 */
export async function checkListen(url: string): Promise<void> {
  const channel = `aiw_check_${randomUUID().replaceAll("-", "")}`;
  const heard = Promise.withResolvers<boolean>();
  const listener = await listen(url, channel, { onNotify: () => heard.resolve(true), onReady: () => undefined });
  const sender = postgres(url, { max: 1, connect_timeout: 10, fetch_types: false, onnotice: () => undefined });
  const timer = setTimeout(() => heard.resolve(false), CHECK_LIMIT_MS);
  try {
    await sender`select pg_notify(${channel}, '')`;
    if (await heard.promise) return;
    throw new Error(
      "AIW_DATABASE_LISTEN_URL: no notification came back. It must be a direct connection to Postgres, not a pooler in transaction mode.",
    );
  } finally {
    clearTimeout(timer);
    await Promise.all([sender.end({ timeout: 1 }), listener.close()]);
  }
}

export type Notifier = {
  /** Queues a hint for `id`; returns at once and never fails. */
  notify(id: string): void;
  /** Sends what is queued and waits for it; never rejects. For the end of a function and of a process. */
  flush(): Promise<void>;
};

export type NotifierOptions = { log?: Log; /** Milliseconds that hints are collected; default 20. */ delayMs?: number };

/** Postgres refuses payloads of 8000 bytes and more. */
const MAX_PAYLOAD_BYTES = 7_900;

/**
 * Sends hints on `channel` (RUN-11): ids of about 20 ms go joined by "," in one NOTIFY, outside of any transaction,
 * because a NOTIFY inside one makes all commits of the server wait for each other. Failures are logged, never thrown:
 * a hint may get lost, the rows are the truth.
 */
export function createNotifier(db: Database, channel: string, options: NotifierOptions = {}): Notifier {
  const queued = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  const send = async (ids: readonly string[]): Promise<void> => {
    for (const payload of joinPayloads(ids, MAX_PAYLOAD_BYTES)) {
      try {
        await db.sql`select pg_notify(${channel}, ${payload})`;
      } catch (error) {
        options.log?.warn("a notification could not be sent", { channel, error });
      }
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...queued];
    queued.clear();
    if (ids.length > 0) sending = sending.then(() => send(ids));
    return sending;
  };
  return {
    notify: (id) => {
      queued.add(id);
      timer ??= setTimeout(() => void flush(), options.delayMs ?? 20);
    },
    flush,
  };
}

/** Splits ids into comma-joined payloads below `maxBytes` bytes each; an id that alone is too long is left out. */
export function joinPayloads(ids: readonly string[], maxBytes: number): string[] {
  const payloads: string[] = [];
  let current = "";
  for (const id of ids) {
    const joined = current === "" ? id : `${current},${id}`;
    if (Buffer.byteLength(joined) < maxBytes) {
      current = joined;
      continue;
    }
    if (current !== "") payloads.push(current);
    current = Buffer.byteLength(id) < maxBytes ? id : "";
  }
  if (current !== "") payloads.push(current);
  return payloads;
}
