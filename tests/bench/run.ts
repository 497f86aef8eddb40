import { measureEngineCost } from "./engine-cost.ts";
import { measureFirstDelta, measureStart } from "./first-delta.ts";
import { countSteps, inWords } from "./step-count.ts";

/**
 * `npm run bench [-- --json]`: what steps cost the database, counted; engine and floor measured in one process, in turn (A B A B), as ratio of medians; then the
 * start of the stack and the way from a message to the first text of its answer.
 */
const json = process.argv.includes("--json");
const results: Record<string, unknown> = {};
const counts = await countSteps();
results["step_counts"] = counts;
if (!json) for (const [what, count] of Object.entries(counts)) console.log(`a step, ${what}: ${inWords(count)}`);
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
const start = await measureStart(3);
results["start_s"] = start;
const delta = await measureFirstDelta(60);
results["first_delta_ms"] = delta;
if (!json) {
  console.log(
    `start of the local stack, dependencies installed: ${start.medianS.toFixed(1)} s (median of ${start.starts}; the first one, which makes the data, ${start.firstS.toFixed(1)} s)`,
  );
  console.log(
    `accepted message to first text on the stream, instant model: p50 ${delta.p50Ms.toFixed(0)} ms, p95 ${delta.p95Ms.toFixed(0)} ms (${delta.samples} samples)`,
  );
}
if (json) console.log(JSON.stringify(results, null, 2));
