import { measureEngineCost } from "./engine-cost.ts";

/** `npm run bench [-- --json]`: ratios measured in one process, engine and floor in turn (A B A B), medians. */
const json = process.argv.includes("--json");
const results: Record<string, unknown> = {};
for (const turns of [5, 25]) {
  const cost = await measureEngineCost(turns, 7);
  const steps = turns * 2 + 1;
  results[`engine_cost_${steps}_steps`] = cost;
  if (!json) {
    console.log(
      `engine cost of a step (claim to commit), run of ${steps} steps: ${cost.engineMs.toFixed(2)} ms beside the floor's ${cost.floorMs.toFixed(2)} ms = ${cost.ratio.toFixed(2)}x (median of ${cost.rounds} paired rounds)`,
    );
  }
}
if (json) console.log(JSON.stringify(results, null, 2));
