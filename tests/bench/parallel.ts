import { openBench } from "./database.ts";
import { startRun, world } from "./engine-world.ts";
import { median } from "./stats.ts";

export interface Parallel {
  readonly rounds: number;
  /** Steps a second and runs (of 11 steps) a second, by how many run at the same time; medians over the rounds. */
  readonly at: Readonly<Record<number, { readonly stepsPerS: number; readonly runsPerS: number }>>;
  /** Steps a second at the most in parallel beside those of one after another: median of paired rounds. */
  readonly ratio: number;
}

const TURNS = 5;
const STEPS = TURNS * 2 + 1;
const WIDTHS = [1, 8, 32];

/** How many runs one process and one database carry at the same time; client and server share this machine's cores. */
export const measureParallel = async (rounds: number): Promise<Parallel> => {
  const bench = await openBench(true);
  try {
    const db = bench.asStep(Math.max(...WIDTHS));
    const ids = await world(bench.admin);
    await bench.admin.sql`update teams set max_parallel_runs = 100`;
    const one = async (): Promise<void> => {
      const run = await startRun(bench.admin, db, ids, TURNS);
      while (await run.step());
    };
    const measured = new Map(WIDTHS.map((width) => [width, new Array<number>()]));
    for (let round = -1; round < rounds; round += 1) {
      for (const width of WIDTHS) {
        const runs = Math.max(width * 2, 8);
        let left = runs;
        const started = performance.now();
        await Promise.all(
          Array.from({ length: width }, async () => {
            while ((left -= 1) >= 0) await one();
          }),
        );
        if (round >= 0) measured.get(width)?.push((runs * STEPS * 1000) / (performance.now() - started));
      }
    }
    const of = (width: number): readonly number[] => measured.get(width) ?? [];
    const [first = 1, last = 1] = [WIDTHS[0], WIDTHS.at(-1)];
    return {
      rounds,
      at: Object.fromEntries(
        WIDTHS.map((width) => [width, { stepsPerS: median(of(width)), runsPerS: median(of(width)) / STEPS }]),
      ),
      ratio: median(of(last).map((value, round) => value / (of(first)[round] ?? Number.NaN))),
    };
  } finally {
    await bench.close();
  }
};
