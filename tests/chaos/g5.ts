import fc from "fast-check";
import { apply, drain, faultsOf, sequence } from "./g5-commands.ts";
import { playLive } from "./g5-live.ts";
import { replay, type Harness } from "./harness.ts";
import { fresh } from "./model.ts";

/** Sequences on the model alone, for each one on real Postgres. */
const IN_MEMORY_FOR_EACH = 40;

/**
 * G5: random sequences of deliver, crash, tick, decide, cancel, revoke, changePolicy, changeTool and sweep against the small
 * reference model: in memory against the transition tables, and on real Postgres, where model and product must agree after
 * every command. `runs` is the number of sequences on Postgres.
 */
export const g5: Harness = {
  id: "g5",
  longRuns: 500,
  run: async ({ seed, runs }) => {
    const wrong: string[] = [];
    const inMemory = runs * IN_MEMORY_FOR_EACH;
    let commands = 0;
    const found = fc.check(
      fc.property(sequence(30), (all) => {
        const m = fresh();
        for (const one of all) apply(m, one);
        drain((one) => void apply(m, one), m);
        commands += all.length;
        const faults = faultsOf(m);
        if (faults.length > 0) throw new Error(faults.join("; "));
      }),
      { seed, numRuns: inMemory },
    );
    if (found.failed)
      wrong.push(
        `in memory: ${found.errorInstance instanceof Error ? found.errorInstance.message : "failed"} after ${JSON.stringify(found.counterexample)} (${replay("g5", { seed, runs })})`,
      );
    const live = await playLive({ seed, runs });
    wrong.push(...live.violations.map((fault) => `${fault} (${replay("g5", { seed, runs })})`));
    return {
      counts: { "sequences in memory": inMemory, "commands in memory": commands, ...live.counts },
      violations: wrong,
    };
  },
};
