import { randomUUID } from "node:crypto";
import type { Database } from "@aiw/platform/db";
import { ARGS, RESULT } from "./engine-world.ts";

/**
 * The floor: what anybody would have to write by hand for the same promises on the same database: claim with a fence and a
 * lease, load the history as plain rows, commit items, event and audit row in one statement under the fence.
 */
export const FLOOR = `
  create table floor_runs (id uuid primary key, status text not null, fence bigint not null default 0, lease_until timestamptz, last_seq bigint not null default 0);
  create table floor_items (run_id uuid, item bigint, data text, primary key (run_id, item));
  create table floor_events (run_id uuid, seq bigint, type text, data text, at timestamptz default now(), primary key (run_id, seq));
  create table floor_audit (id bigint generated always as identity primary key, run_id uuid, event text, at timestamptz default now());
  create table floor_requests (run_id uuid primary key, status text not null, form text not null, hash text not null, decided_at timestamptz);
  grant select, insert, update on floor_runs, floor_items, floor_events, floor_audit, floor_requests to aiw_step;`;

/** A run that waits to be claimed. */
export const startFloorRun = async (db: Database): Promise<string> => {
  const id = randomUUID();
  await db.sql`insert into floor_runs (id, status) values (${id}, 'queued')`;
  return id;
};

/** Claims and loads as a step does that knows nothing of the one before. Returns the fence. */
export const claimFloor = async (db: Database, id: string): Promise<number> => {
  const [run] = await db.sql<{ fence: number }[]>`
    update floor_runs set status = 'running', fence = fence + 1, lease_until = now() + interval '30 s' where id = ${id} and status = 'queued' returning fence`;
  const items = await db.sql<{ data: string }[]>`select data from floor_items where run_id = ${id} order by item`;
  for (const item of items) JSON.parse(item.data);
  return run?.fence ?? 0;
};

/** Step `n` of a run: a call of the model or the result of a tool, in turn. */
export const floorStep = async (db: Database, id: string, n: number): Promise<void> => {
  const fence = await claimFloor(db, id);
  const data =
    n % 2 === 0
      ? JSON.stringify({ type: "function_call", call_id: `c${n}`, arguments: ARGS })
      : JSON.stringify({ type: "function_call_output", call_id: `c${n}`, output: RESULT });
  await db.sql`
    with r as (update floor_runs set status = 'queued', last_seq = last_seq + 1, lease_until = null where id = ${id} and fence = ${fence} and status = 'running' returning id, last_seq),
         i as (insert into floor_items select id, ${n}, ${data} from r),
         e as (insert into floor_events (run_id, seq, type, data) select id, last_seq, 'tool', ${data.slice(0, 200)} from r),
         a as (insert into floor_audit (run_id, event) select id, 'tool' from r)
    select last_seq from r`;
};
