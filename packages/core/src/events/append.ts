import type { Database } from "@aiw/platform/db";
import { LeaseLost, type ClaimedRun, type NewEvent } from "../runs/run.ts";
import { storable } from "../runs/commit.ts";

/**
 * Appends events of a running step; the same statement proves the fence, extends the lease and tells whether a cancel was
 * asked for (RUN-11). Without events it is the heartbeat (RUN-6). Throws LeaseLost when the run is not ours any more.
 */
export const append = async (
  db: Database,
  run: ClaimedRun,
  leaseS: number,
  events: readonly NewEvent[],
): Promise<{ readonly cancel: boolean }> => {
  const types = events.map((e) => e.type);
  const datas = events.map((e) => JSON.stringify(storable(e.data)));
  const [row] = await db.sql<{ alive: boolean; cancel: boolean }[]>`
    select alive, cancel from events_append_v1(${run.id}::uuid, ${run.workspaceId}::uuid, ${run.fence}, ${Math.ceil(leaseS)}, ${types}::text[], ${datas}::text[])`;
  if (row?.alive !== true) throw new LeaseLost();
  return { cancel: row.cancel };
};

/** How it stands about the run of this step: whether somebody cancelled it (RUN-8), or took it over. Only looks, writes nothing. */
export const look = async (db: Database, run: ClaimedRun): Promise<"held" | "cancel" | "lost"> => {
  const [row] = await db.sql<{ cancel: boolean }[]>`
    select cancel_requested_at is not null as cancel from runs where id = ${run.id} and fence = ${run.fence} and status = 'running'`;
  if (row === undefined) return "lost";
  return row.cancel ? "cancel" : "held";
};

/** For how many seconds more the run is this step's; 0 when it is not. Only looks, writes nothing. */
export const heldFor = async (db: Database, run: ClaimedRun): Promise<number> => {
  const [row] = await db.sql<{ left: number }[]>`
    select extract(epoch from lease_until - aiw_now())::float8 as left from runs
      where id = ${run.id} and fence = ${run.fence} and status = 'running'`;
  return Math.max(0, row?.left ?? 0);
};
