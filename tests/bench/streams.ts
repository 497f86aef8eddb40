import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import * as events from "@aiw/core/events";
import { claim } from "@aiw/core/runs";
import { openBench } from "./database.ts";
import { startRun, world } from "./engine-world.ts";
import type { SseOrder } from "./sse-server.ts";
import { quantile } from "./stats.ts";

/** G13: streams over three processes, each of which is killed once. */
export interface Streams {
  readonly clients: number;
  readonly delivered: number;
  readonly gaps: number;
  readonly duplicates: number;
  /** From the append to each client, kills and what they cost included. */
  readonly eventP95Ms: number;
  readonly eventP99Ms: number;
  /** From the loss of a stream to the head of the next. */
  readonly reconnectP95Ms: number;
  readonly reconnects: number;
  /** Memory of a process beyond what it had without streams, for each of them; kB. */
  readonly kBPerStream: number;
  /** Most subscriptions of the database that stood at a time, of three processes. */
  readonly subscriptions: number;
}

const INSTANCES = 3;

interface Instance {
  child: ChildProcess;
  port: number;
  idleKb: number;
}

/** `count` events, one every `everyMs`, each to all of `clients` streams; every process is killed once on the way. */
export const measureStreams = async (clients: number, count: number, everyMs: number): Promise<Streams> => {
  const bench = await openBench(true);
  const instances: Instance[] = [];
  const readers: Reader[] = [];
  try {
    const db = bench.asStep(2);
    const ids = await world(bench.admin);
    const { runId } = await startRun(bench.admin, db, ids, 1);
    const taken = await claim(db, runId, 3_600);
    if (taken.outcome !== "claimed") throw new Error("the run could not be claimed");
    const sessions = await bench.admin.sql<{ id: string }[]>`
      insert into sessions (user_id, token_hash, expires_at)
        select ${ids.userId}, sha256(n::text::bytea), now() + interval '1 day' from generate_series(1, ${clients}) n returning id`;
    const order: SseOrder = {
      url: bench.url(),
      runId,
      workspaceId: ids.workspaceId,
      userId: ids.userId,
      sessions: sessions.map(({ id }) => id),
      withRaw: false,
    };
    for (let n = 0; n < INSTANCES; n += 1) instances.push(await startInstance(order));
    const [row] = await bench.admin.sql<{ last_seq: number }[]>`select last_seq from runs where id = ${runId}`;
    const first = row?.last_seq ?? 0;
    for (let n = 0; n < clients; n += 1) readers.push(createReader(first, n, (turn) => portOf(instances, turn)));
    await Promise.all(readers.map((reader) => reader.opened));
    const loads = instances.map(({ child, idleKb }) => (residentKb(child) - idleKb) / (clients / INSTANCES));
    const subscriptions = async (): Promise<number> => {
      const [found] = await bench.admin.sql<{ n: number }[]>`
        select count(*)::integer as n from pg_stat_activity where application_name like 'aiw-listen%'`;
      return found?.n ?? 0;
    };
    let most = await subscriptions();
    for (let n = 0; n < count; n += 1) {
      const began = performance.now();
      const data = { step: 1, text: `at ${Date.now()} ` };
      await events.append(db, taken.run, 3_600, [{ type: "message.delta", data }]);
      await db.sql`select pg_notify('aiw_runs', ${runId})`;
      const victim = KILLS.findIndex((at) => n === Math.floor(count * at));
      const dying = instances[victim];
      if (dying !== undefined) {
        dying.child.kill("SIGKILL");
        void startInstance(order).then((fresh) => Object.assign(dying, fresh));
      }
      if (n % 20 === 19) most = Math.max(most, await subscriptions());
      await delay(Math.max(0, everyMs - (performance.now() - began)));
    }
    const [end] = await bench.admin.sql<{ last_seq: number }[]>`select last_seq from runs where id = ${runId}`;
    const limit = performance.now() + 20_000;
    while (readers.some((reader) => reader.last() < (end?.last_seq ?? 0)) && performance.now() < limit) await delay(50);
    const missing = readers.reduce((sum, reader) => sum + ((end?.last_seq ?? 0) - reader.last()), 0);
    const waits = readers.flatMap((reader) => reader.waits);
    const reconnects = readers.flatMap((reader) => reader.reconnects);
    return {
      clients,
      delivered: waits.length,
      gaps: readers.reduce((sum, reader) => sum + reader.gaps(), 0) + missing,
      duplicates: readers.reduce((sum, reader) => sum + reader.duplicates(), 0),
      eventP95Ms: quantile(waits, 0.95),
      eventP99Ms: quantile(waits, 0.99),
      reconnectP95Ms: quantile(reconnects, 0.95),
      reconnects: reconnects.length,
      kBPerStream: Math.max(...loads),
      subscriptions: most,
    };
  } finally {
    for (const reader of readers) reader.close();
    for (const { child } of instances) child.kill("SIGKILL");
    await bench.close();
  }
};

/** When each of the processes dies, as a part of the whole. */
const KILLS = [0.25, 0.5, 0.75];

const startInstance = async (order: SseOrder): Promise<Instance> => {
  const child = fork(new URL("./sse-server.ts", import.meta.url), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.send(order);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, port, idleKb: residentKb(child) };
};

/** One that lives, another one each turn. */
const portOf = (instances: readonly Instance[], turn: number): number => {
  const alive = instances.filter(({ child }) => child.exitCode === null && child.signalCode === null && !child.killed);
  return alive[turn % Math.max(1, alive.length)]?.port ?? 0;
};

/** Resident memory in kB; 0 where the system does not tell. */
const residentKb = (child: ChildProcess): number => {
  try {
    const status = readFileSync(`/proc/${child.pid ?? 0}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
};

interface Reader {
  readonly opened: Promise<void>;
  readonly waits: number[];
  readonly reconnects: number[];
  last(): number;
  gaps(): number;
  duplicates(): number;
  close(): void;
}

/** A raw client that comes back with its position when its stream ends. */
const createReader = (first: number, n: number, port: (turn: number) => number): Reader => {
  const opened = Promise.withResolvers<void>();
  const waits: number[] = [];
  const reconnects: number[] = [];
  let last = first;
  let gaps = 0;
  let duplicates = 0;
  let isClosed = false;
  let turn = n;
  let request: http.ClientRequest | undefined;

  const take = (frame: string): void => {
    const id = Number(/^id: (\d+)$/m.exec(frame)?.[1] ?? Number.NaN);
    if (Number.isNaN(id)) return;
    if (id <= last) duplicates += 1;
    else gaps += id - last - 1;
    last = Math.max(last, id);
    const sent = Number(/at (\d{13}) /.exec(frame)?.[1] ?? Number.NaN);
    if (!Number.isNaN(sent)) waits.push(Date.now() - sent);
  };
  const connect = (lostAt: number | undefined): void => {
    let isOver = false;
    const again = (): void => {
      if (isOver || isClosed) return;
      isOver = true;
      const since = lostAt ?? performance.now();
      turn += 1;
      // The moment of the loss counts, not that of a later try.
      const from = isOpen ? performance.now() : since;
      setTimeout(() => connect(from), 50);
    };
    let isOpen = false;
    request = http.get(
      { host: "127.0.0.1", port: port(turn), path: `/hub?after=${last}`, agent: false },
      (response) => {
        isOpen = true;
        if (lostAt !== undefined) reconnects.push(performance.now() - lostAt);
        let buffer = "";
        response.setEncoding("utf8").on("data", (text: string) => {
          opened.resolve();
          const frames = (buffer + text).split("\n\n");
          buffer = frames.pop() ?? "";
          frames.forEach(take);
        });
        response.on("close", again).on("error", again);
      },
    );
    request.on("error", again);
  };
  connect(undefined);
  return {
    opened: opened.promise,
    waits,
    reconnects,
    last: () => last,
    gaps: () => gaps,
    duplicates: () => duplicates,
    close: () => {
      isClosed = true;
      request?.destroy();
    },
  };
};

/** One line for people. */
export const streamsInWords = (s: Streams): string =>
  `${s.delivered} events to ${s.clients} streams on ${INSTANCES} processes, each killed once: ${s.gaps} gaps, ${s.duplicates} duplicates; ` +
  `p95 ${s.eventP95Ms.toFixed(0)} ms, p99 ${s.eventP99Ms.toFixed(0)} ms; ${s.reconnects} reconnects, p95 ${s.reconnectP95Ms.toFixed(0)} ms; ` +
  `${s.kBPerStream.toFixed(0)} kB a stream; ${s.subscriptions} subscriptions`;
