import type { Database } from "@aiw/platform/db";
import type { Watched } from "./runs.ts";
import type { RunRow } from "./world.ts";

/** A running stack as the invariant checks of runs.ts look at it. */
export const watch = (admin: Database, repositoryDirectory: string): Watched => ({
  admin,
  repository: { name: "orders-service", directory: repositoryDirectory, url: "" },
  row: async (runId) => {
    const [found] = await admin.sql<RunRow[]>`
      select status, end_reason, error_code, error_text, step, attempts, fence, last_seq, tool_rounds from runs where id = ${runId}`;
    if (found === undefined) throw new Error("no such run");
    return found;
  },
});

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** The seed of this run: given by AIW_SEED to repeat one, otherwise new, and printed. */
export const pickSeed = (what: string): number => {
  const seed = Number(process.env["AIW_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${what}: AIW_SEED=${seed}`);
  return seed;
};
