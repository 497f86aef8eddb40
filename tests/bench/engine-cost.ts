import type { Database } from "@aiw/platform/db";
import { openBench, type BenchDatabase } from "./database.ts";
import { ARGS, RESULT, startRun, world, type Ids } from "./engine-world.ts";
import { FLOOR, floorStep, startFloorRun } from "./floor.ts";
import { openPeers } from "./peers.ts";
import { inTurn, median, pairedRatio } from "./stats.ts";

export interface EngineCost {
  readonly rounds: number;
  /** Milliseconds a step, claim to commit, median over the rounds: each by a message of its own, and all by one. */
  readonly engineMs: number;
  readonly goingOnMs: number;
  readonly floorMs: number;
  /** Medians of the ratios of paired rounds. */
  readonly ratio: number;
  readonly goingOnRatio: number;
}

/** Steps of a run of `turns` tool rounds (two steps each and one for the answer), engine and floor in turn, A B A B. */
export const measureEngineCost = async (turns: number, rounds: number): Promise<EngineCost> => {
  const bench = await openBench(true);
  try {
    const db = bench.asStep(4);
    const ids = await readied(bench);
    const steps = turns * 2 + 1;
    const { engine, goingOn, floor } = await inTurn(rounds, {
      engine: async () => (await engineRun(bench.admin, db, ids, turns)) / steps,
      goingOn: async () => (await goingOnRun(bench.admin, db, ids, turns)) / steps,
      floor: async () => (await floorRun(db, steps)) / steps,
    });
    return {
      rounds,
      engineMs: median(engine),
      goingOnMs: median(goingOn),
      floorMs: median(floor),
      ratio: pairedRatio(engine, floor),
      goingOnRatio: pairedRatio(goingOn, floor),
    };
  } finally {
    await bench.close();
  }
};

export interface Beside {
  readonly rounds: number;
  /** Milliseconds of one call of the model and one of its tool, medians over the rounds. */
  readonly engineMs: number;
  readonly langgraphMs: number;
  readonly dbosMs: number;
  /** How many times as long the peers take: medians of the ratios of paired rounds. */
  readonly langgraphRatio: number;
  readonly dbosRatio: number;
}

/** The same run on the same server, each in one process that stays: ours with one message for all steps, LangGraph with its Postgres checkpointer, DBOS with a step for each call. */
export const measureBeside = async (turns: number, rounds: number): Promise<Beside> => {
  const bench = await openBench(true);
  const peers = await openPeers(bench, { args: ARGS, result: RESULT });
  try {
    const db = bench.asStep(4);
    const ids = await readied(bench);
    const { engine, langgraph, dbos } = await inTurn(rounds, {
      engine: async () => (await goingOnRun(bench.admin, db, ids, turns)) / turns,
      langgraph: async () => (await peers.langgraph.run(turns)) / turns,
      dbos: async () => (await peers.dbos.run(turns)) / turns,
    });
    return {
      rounds,
      engineMs: median(engine),
      langgraphMs: median(langgraph),
      dbosMs: median(dbos),
      langgraphRatio: pairedRatio(langgraph, engine),
      dbosRatio: pairedRatio(dbos, engine),
    };
  } finally {
    await peers.close();
    await bench.close();
  }
};

const readied = async ({ admin }: BenchDatabase): Promise<Ids> => {
  await admin.sql.unsafe(FLOOR);
  return world(admin);
};

/** Milliseconds of a whole run, from its first claim on. */
const engineRun = async (admin: Database, db: Database, ids: Ids, turns: number): Promise<number> => {
  const run = await startRun(admin, db, ids, turns);
  const started = performance.now();
  let steps = 1;
  while (await run.step()) steps += 1;
  const elapsed = performance.now() - started;
  if (steps !== turns * 2 + 1) throw new Error(`the run took ${steps} steps instead of ${turns * 2 + 1}`);
  return elapsed;
};

/** The same by one message. */
const goingOnRun = async (admin: Database, db: Database, ids: Ids, turns: number): Promise<number> => {
  const run = await startRun(admin, db, ids, turns);
  const started = performance.now();
  await run.toTheEnd();
  return performance.now() - started;
};

const floorRun = async (db: Database, steps: number): Promise<number> => {
  const id = await startFloorRun(db);
  const started = performance.now();
  for (let n = 0; n < steps; n += 1) await floorStep(db, id, n);
  return performance.now() - started;
};
