import type { Database } from "@aiw/platform/db";
import { LeaseLost, type ClaimedRun, type NewEvent } from "../runs/run.ts";
import { storableText } from "../runs/commit.ts";

/**
 * Appends events of a running step; the same statement proves the fence, extends the lease and tells whether a cancel was
 * asked for (RUN-11). Without events it is the heartbeat (RUN-6). Throws LeaseLost when the run is not ours any more.
 */
export const append = async (db: Database, run: ClaimedRun, leaseS: number, events: readonly NewEvent[]): Promise<{ readonly cancel: boolean }> => {
  const types = events.map((e) => e.type);
  const datas = events.map((e) => storableText(JSON.stringify(e.data)));
  const [row] = await db.sql<{ alive: boolean; cancel: boolean }[]>`
    select alive, cancel from events_append_v1(${run.id}::uuid, ${run.workspaceId}::uuid, ${run.fence}, ${Math.ceil(leaseS)}, ${types}::text[], ${datas}::text[])`;
  if (row?.alive !== true) throw new LeaseLost();
  return { cancel: row.cancel };
};
