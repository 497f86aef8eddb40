import * as events from "@aiw/core/events";
import type { SessionLimits } from "@aiw/core/identity";
import * as streams from "@aiw/core/streams";
import type { Database } from "@aiw/platform/db";
import type { Log } from "@aiw/platform/log";
import { encode, type StreamClient } from "./client.ts";

export interface RunReader extends streams.Reader {
  readonly client: StreamClient;
  /** The last seq this client was given. */
  position: number;
  /** Caught up: gets what the channel reads. Before, it reads for itself. */
  live: boolean;
}

export interface ChannelOptions {
  readonly db: Database;
  readonly log: Log;
  readonly limits: SessionLimits;
  readonly runId: string;
  readonly workspaceId: string;
  /** Milliseconds after which the client comes back when the run waits for a person; undefined: the stream stays open then. */
  readonly restMs: number | undefined;
}

const PAGE = 500;

/** One run with everybody who watches it here: events are read once and every client gets the same bytes (RUN-11). */
export interface RunChannel {
  readonly runId: string;
  readonly workspaceId: string;
  readonly readers: Set<RunReader>;
  /** Every live reader has what was written up to this seq; null without one. */
  reached(): number | null;
  join(reader: RunReader): Promise<void>;
  /** Reads what is new and hands it out; calls during a reading lead to one more. */
  refresh(): Promise<void>;
}

export function createRunChannel(options: ChannelOptions): RunChannel {
  const { db, log, limits, runId, workspaceId, restMs } = options;
  const readers = new Set<RunReader>();
  let reading: Promise<void> | undefined;
  let again = false;

  const pageAfter = (after: number, asked: readonly RunReader[]): Promise<streams.Batch | null> =>
    streams.read(db, { workspaceId, runId, after, limit: PAGE }, asked, limits);

  /** Cuts off who may not read any more, before anything is sent (N6). */
  const admit = (asked: readonly RunReader[], batch: streams.Batch | null): batch is streams.Batch => {
    for (const reader of asked) {
      if (batch === null || !batch.allowed.has(reader.sessionId)) reader.client.end();
    }
    return batch !== null;
  };

  /** Ends the stream of a reader who has everything of a run that is over (F87), or rests while a person is asked. */
  const endIfOver = (reader: RunReader, batch: streams.Batch): void => {
    if (reader.position < batch.lastSeq) return;
    if (streams.isOver(batch.status)) return reader.client.end();
    if (restMs !== undefined && streams.isWaiting(batch.status)) reader.client.rest(restMs);
  };

  const reached = (): number | null => {
    const positions = [...readers].flatMap((reader) => (reader.live ? [reader.position] : []));
    return positions.length === 0 ? null : Math.min(...positions);
  };

  const join = async (reader: RunReader): Promise<void> => {
    readers.add(reader);
    while (!reader.client.closed) {
      const batch = await pageAfter(reader.position, [reader]);
      if (!admit([reader], batch) || reader.client.closed) return;
      for (const event of batch.events) {
        reader.client.send(encode(frameOf(event)));
        reader.position = event.seq;
        await reader.client.drained();
      }
      endIfOver(reader, batch);
      if (batch.events.length < PAGE) {
        reader.live = true;
        // What was written since this page was read.
        return refresh();
      }
    }
  };

  const readOnce = async (): Promise<void> => {
    for (;;) {
      const from = reached();
      if (from === null) return;
      const asked = [...readers].filter((reader) => reader.live);
      const batch = await pageAfter(from, asked);
      if (!admit(asked, batch)) return;
      deliver(batch);
      if (batch.events.length < PAGE) return;
    }
  };

  const deliver = (batch: streams.Batch): void => {
    const frames = batch.events.map((event) => ({ seq: event.seq, text: frameOf(event) }));
    const textAfter = (position: number): Uint8Array =>
      encode(frames.flatMap((frame) => (frame.seq > position ? [frame.text] : [])).join(""));
    const [first, last] = [frames[0]?.seq ?? 0, frames.at(-1)?.seq ?? 0];
    const shared = textAfter(0);
    for (const reader of readers) {
      // Who went live during the reading was not asked about: the reading after this one begins where they are.
      if (!reader.live || !batch.allowed.has(reader.sessionId)) continue;
      if (reader.position < last) {
        reader.client.send(reader.position < first ? shared : textAfter(reader.position));
        reader.position = last;
      }
      endIfOver(reader, batch);
    }
  };

  const refresh = (): Promise<void> => {
    if (reading !== undefined) {
      again = true;
      return reading;
    }
    reading = (async () => {
      try {
        do {
          again = false;
          await readOnce();
        } while (again);
      } catch (error) {
        // The next hint or poll reads on from the same place.
        log.warn("events could not be read for a stream", { runId, error });
      } finally {
        reading = undefined;
      }
    })();
    return reading;
  };

  return {
    runId,
    workspaceId,
    readers,
    reached,
    join,
    refresh,
  };
}

const frameOf = (event: events.StoredEvent): string => `id: ${event.seq}\ndata: ${events.toJson(event)}\n\n`;
