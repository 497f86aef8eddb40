import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import * as events from "@aiw/core/events";
import { claim, type ClaimedRun } from "@aiw/core/runs";
import type { Database } from "@aiw/platform/db";
import { countingProxy, type Proxy } from "./counting-proxy.ts";
import { openBench } from "./database.ts";
import { startRun, world } from "./engine-world.ts";
import type { SseOrder } from "./sse-server.ts";
import { inTurn, median, pairedRatio } from "./stats.ts";

export interface SseCost {
  readonly clients: number;
  readonly rounds: number;
  /** Milliseconds from the append to the moment the last client has it: medians of the rounds' medians. */
  readonly hubMs: number;
  readonly rawMs: number;
  readonly ratio: number;
  /** Round trips to the database for each event, while nobody else asks. */
  readonly roundTripsPerEvent: number;
}

const EVENTS = 12;

/** Our stream hub beside a raw one in the same process, with so many clients each. */
export const measureSse = async (clients: number, rounds: number): Promise<SseCost> => {
  const bench = await openBench(true);
  const proxy = await countingProxy(Number(new URL(bench.url()).port));
  const child = fork(new URL("./sse-server.ts", import.meta.url), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  try {
    const db = bench.asStep(2);
    const ids = await world(bench.admin);
    const { runId } = await startRun(bench.admin, db, ids, 1);
    const taken = await claim(db, runId, 3600);
    if (taken.outcome !== "claimed") throw new Error("the run could not be claimed");
    const sessions = await bench.admin.sql<{ id: string }[]>`
      insert into sessions (user_id, token_hash, expires_at)
        select ${ids.userId}, sha256(n::text::bytea), now() + interval '1 day' from generate_series(1, ${clients}) n returning id`;
    const url = new URL(bench.url());
    url.port = String(proxy.port);
    child.send({
      url: url.href,
      runId,
      workspaceId: ids.workspaceId,
      userId: ids.userId,
      sessions: sessions.map(({ id }) => id),
    } satisfies SseOrder);
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    const place = { db, admin: bench.admin, run: taken.run };
    let trips = 0;
    const { hub, raw } = await inTurn(rounds, {
      hub: async () => {
        const opened = await openClients(`http://127.0.0.1:${port}/hub`, clients, place);
        const { ms, roundTrips } = await publish(place, opened, proxy);
        trips = roundTrips;
        opened.close();
        return ms;
      },
      raw: async () => {
        const opened = await openClients(`http://127.0.0.1:${port}/raw`, clients, place);
        const { ms } = await publish(place, opened, proxy);
        opened.close();
        return ms;
      },
    });
    return {
      clients,
      rounds,
      hubMs: median(hub),
      rawMs: median(raw),
      ratio: pairedRatio(hub, raw),
      roundTripsPerEvent: trips,
    };
  } finally {
    child.disconnect();
    proxy.close();
    await bench.close();
  }
};

interface Place {
  readonly db: Database;
  readonly admin: Database;
  readonly run: ClaimedRun;
}

interface Opened {
  /** Resolves when every client has read the word. */
  readonly allHave: (word: string) => Promise<void>;
  readonly close: () => void;
}

const openClients = async (address: string, count: number, { admin, run }: Place): Promise<Opened> => {
  const [row] = await admin.sql<{ last_seq: number }[]>`select last_seq from runs where id = ${run.id}`;
  const agent = new http.Agent({ keepAlive: false, maxSockets: count });
  let wanted = { word: "", missing: 0, done: (): void => undefined };
  const requests: http.ClientRequest[] = [];
  await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<void>((resolve, reject) => {
          const request = http.get(`${address}?after=${row?.last_seq ?? 0}`, { agent }, (response) => {
            let tail = "";
            response.setEncoding("utf8").on("data", (text: string) => {
              if (tail === "") resolve();
              tail = (tail + text).slice(-400);
              if (wanted.word === "" || !tail.includes(wanted.word)) return;
              tail = "-";
              wanted.missing -= 1;
              if (wanted.missing === 0) wanted.done();
            });
            response.on("error", () => undefined);
          });
          request.on("error", reject);
          requests.push(request);
        }),
    ),
  );
  return {
    allHave: (word) =>
      new Promise<void>((done) => {
        wanted = { word, missing: count, done };
      }),
    close: () => {
      for (const request of requests) request.destroy();
    },
  };
};

/** Median milliseconds from the append of an event to its arrival at the last client, and round trips for each. */
const publish = async (
  { db, admin, run }: Place,
  opened: Opened,
  proxy: Proxy,
): Promise<{ ms: number; roundTrips: number }> => {
  const waits: number[] = [];
  let before = 0;
  // The first few are read by each client for itself, as far as it has not caught up yet.
  for (let n = -4; n < EVENTS; n += 1) {
    if (n === 0) before = proxy.roundTrips();
    const word = `word-${Math.random().toString(36).slice(2)}`;
    const arrived = opened.allHave(word);
    const started = performance.now();
    await events.append(db, run, 3600, [
      { type: "message.delta", data: { step: 1, text: `${word} ${"x".repeat(60)}` } },
    ]);
    await admin.sql`select pg_notify('aiw_runs', ${run.id})`;
    await arrived;
    if (n >= 0) waits.push(performance.now() - started);
  }
  return { ms: median(waits), roundTrips: (proxy.roundTrips() - before) / EVENTS };
};
