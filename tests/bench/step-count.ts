import type { Database } from "@aiw/platform/db";
import { countingProxy, type Proxy } from "./counting-proxy.ts";
import { openBench } from "./database.ts";
import { startRun, world, type BenchRun } from "./engine-world.ts";

/** What steps cost the database, counted and not timed: the same on every machine. Means over the steps of one kind. */
export interface StepCount {
  /** Times the step waited for the database's answer. */
  readonly roundTrips: number;
  /** Transactions that wrote something. */
  readonly writeCommits: number;
  readonly walBytes: number;
}

export interface StepCounts {
  /** A run of 20 and one of 200 steps, every step of them. */
  readonly short: StepCount;
  readonly long: StepCount;
  /** One model turn, one reading call, and one write that needs nobody's yes, from its intent to its outcome. */
  readonly model: StepCount;
  readonly read: StepCount;
  readonly write: StepCount;
  /** A step of a run that one message carries to its end. */
  readonly goingOn: StepCount;
}

/** Counts what goes between the step's connections and the server, on a server of its own. */
export const countSteps = async (): Promise<StepCounts> => {
  const bench = await openBench(false);
  const { admin } = bench;
  const proxy = await countingProxy(Number(new URL(bench.url()).port));
  try {
    // Nothing but the steps may write.
    await admin.sql`alter system set autovacuum = off`;
    await admin.sql`select pg_reload_conf()`;
    const db = bench.asStep(4, proxy.port);
    const ids = await world(admin);
    const meter = { admin, proxy };
    // Connections are opened and statements prepared by runs that are not counted.
    for (let n = 0; n < 4; n += 1)
      await countRun(meter, await startRun(admin, db, ids, 3, n % 2 === 0 ? "read" : "write"));
    const short = await countRun(meter, await startRun(admin, db, ids, 10));
    const long = await countRun(meter, await startRun(admin, db, ids, 100));
    // A write is three steps: the call, its request, its execution.
    const write = await countRun(meter, await startRun(admin, db, ids, 3, "write"));
    return {
      short: mean(short),
      long: mean(long),
      model: mean(short.filter((_, n) => n % 2 === 0 && n < short.length - 1)),
      read: mean(short.filter((_, n) => n % 2 === 1)),
      write: mean(write.filter((_, n) => n % 3 === 2)),
      goingOn: await countGoingOn(meter, await startRun(admin, db, ids, 10), 21),
    };
  } finally {
    await bench.close();
    proxy.close();
  }
};

interface Meter {
  readonly admin: Database;
  readonly proxy: Proxy;
}

const countRun = async (meter: Meter, run: Awaited<ReturnType<typeof startRun>>): Promise<StepCount[]> => {
  const steps: StepCount[] = [];
  for (let more = true; more;) {
    const before = await read(meter);
    more = await run.step();
    const after = await read(meter);
    steps.push({
      roundTrips: after.roundTrips - before.roundTrips,
      writeCommits: after.writeCommits - before.writeCommits,
      walBytes: after.walBytes - before.walBytes,
    });
  }
  return steps;
};

const countGoingOn = async (meter: Meter, run: BenchRun, steps: number): Promise<StepCount> => {
  const before = await read(meter);
  await run.toTheEnd();
  const after = await read(meter);
  return {
    roundTrips: (after.roundTrips - before.roundTrips) / steps,
    writeCommits: (after.writeCommits - before.writeCommits) / steps,
    walBytes: (after.walBytes - before.walBytes) / steps,
  };
};

/** Ids of transactions are given to those that write, and to no other. */
const read = async ({ admin, proxy }: Meter): Promise<StepCount> => {
  const [row] = await admin.sql<{ xid: number; wal: number }[]>`
    select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as xid, (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`;
  return { roundTrips: proxy.roundTrips(), writeCommits: row?.xid ?? 0, walBytes: row?.wal ?? 0 };
};

const mean = (steps: readonly StepCount[]): StepCount => {
  const of = (field: keyof StepCount): number => steps.reduce((sum, s) => sum + s[field], 0) / steps.length;
  return { roundTrips: of("roundTrips"), writeCommits: of("writeCommits"), walBytes: of("walBytes") };
};

export const inWords = ({ roundTrips, writeCommits, walBytes }: StepCount): string =>
  `${roundTrips.toFixed(1)} round trips, ${writeCommits.toFixed(1)} write commits, ${(walBytes / 1024).toFixed(1)} KB of log`;
