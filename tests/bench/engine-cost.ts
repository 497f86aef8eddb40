import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@aiw/infra/local/postgres";
import { connect, type Database } from "@aiw/platform/db";
import { migrate, provisionRoles, roleUrl } from "@aiw/platform/migrate";
import { ARGS, RESULT, startRun, world, type Ids } from "./engine-world.ts";

export interface EngineCost {
  readonly rounds: number;
  /** Milliseconds a step, claim to commit, median over the rounds. */
  readonly engineMs: number;
  readonly floorMs: number;
  /** Median of the ratios of paired rounds. */
  readonly ratio: number;
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Steps of a run of `turns` tool rounds (two steps each and one for the answer), engine and floor in turn, A B A B. */
export const measureEngineCost = async (turns: number, rounds: number): Promise<EngineCost> => {
  const directory = mkdtempSync(join(tmpdir(), "aiw-bench-"));
  const postgres = await startPostgres({ dataDir: join(directory, "postgres"), durable: true });
  try {
    const admin = connect({ url: postgres.url(), max: 2, applicationName: "bench" });
    await migrate({ adminUrl: postgres.url() });
    await provisionRoles(postgres.url(), { api: "a".repeat(20), step: "b".repeat(20), retention: "c".repeat(20) });
    const db = connect({
      url: roleUrl(postgres.url(), "aiw_step", "b".repeat(20)),
      max: 4,
      applicationName: "bench-step",
    });
    await admin.sql.unsafe(FLOOR);
    const ids = await world(admin);
    const engine: number[] = [];
    const floor: number[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const a = await engineRun(admin, db, ids, turns);
      const b = await floorRun(db, turns * 2 + 1);
      // The first pair warms up.
      if (round < 0) continue;
      engine.push(a);
      floor.push(b);
    }
    await Promise.all([admin.close(), db.close()]);
    return {
      rounds,
      engineMs: median(engine),
      floorMs: median(floor),
      ratio: median(engine.map((ms, i) => ms / (floor[i] ?? Number.NaN))),
    };
  } finally {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
};

const engineRun = async (admin: Database, db: Database, ids: Ids, turns: number): Promise<number> => {
  const run = await startRun(admin, db, ids, turns);
  const started = performance.now();
  let steps = 1;
  while (await run.step()) steps += 1;
  const elapsed = performance.now() - started;
  if (steps !== turns * 2 + 1) throw new Error(`the run took ${steps} steps instead of ${turns * 2 + 1}`);
  return elapsed / steps;
};

/**
 * The floor: what anybody would have to write by hand for the same promises on the same database: claim with a fence and a
 * lease, load the history as plain rows, commit item, event and state in one statement under the fence.
 */
const FLOOR = `
  create table floor_runs (id uuid primary key, status text not null, fence bigint not null default 0, lease_until timestamptz, last_seq bigint not null default 0);
  create table floor_items (run_id uuid, item bigint, data text, primary key (run_id, item));
  create table floor_events (run_id uuid, seq bigint, type text, data text, at timestamptz default now(), primary key (run_id, seq));
  create table floor_audit (id bigint generated always as identity primary key, run_id uuid, event text, at timestamptz default now());
  grant select, insert, update on floor_runs, floor_items, floor_events, floor_audit to aiw_step;`;

const floorRun = async (db: Database, steps: number): Promise<number> => {
  const id = randomUUID();
  await db.sql`insert into floor_runs (id, status) values (${id}, 'queued')`;
  const started = performance.now();
  for (let n = 0; n < steps; n += 1) {
    const [run] = await db.sql<{ fence: number; last_seq: number }[]>`
      update floor_runs set status = 'running', fence = fence + 1, lease_until = now() + interval '30 s' where id = ${id} and status = 'queued' returning fence, last_seq`;
    const items = await db.sql<{ data: string }[]>`select data from floor_items where run_id = ${id} order by item`;
    for (const item of items) JSON.parse(item.data);
    const data =
      n % 2 === 0
        ? JSON.stringify({ type: "function_call", call_id: `c${n}`, arguments: ARGS })
        : JSON.stringify({ type: "function_call_output", call_id: `c${n}`, output: RESULT });
    await db.sql`
      with r as (update floor_runs set status = 'queued', last_seq = last_seq + 1, lease_until = null where id = ${id} and fence = ${run?.fence ?? 0} and status = 'running' returning id, last_seq),
           i as (insert into floor_items select id, ${n}, ${data} from r),
           e as (insert into floor_events (run_id, seq, type, data) select id, last_seq, 'tool', ${data.slice(0, 200)} from r),
           a as (insert into floor_audit (run_id, event) select id, 'tool' from r)
      select last_seq from r`;
  }
  return (performance.now() - started) / steps;
};
