import { beforeAll, expect, test } from "vitest";
import { countSteps, inWords, type StepCounts } from "../bench/step-count.ts";

let counts: StepCounts;
beforeAll(async () => {
  counts = await countSteps();
  for (const [what, count] of Object.entries(counts)) console.log(`${what}: ${inWords(count)}`);
});

test("RUN-3 a step that reads, and one that asks the model, take two round trips and two write commits: the claim, and the outcome", () => {
  for (const count of [counts.model, counts.read]) {
    expect(count.roundTrips).toBeLessThanOrEqual(2);
    expect(count.writeCommits).toBeLessThanOrEqual(2);
  }
});

test("RUN-3 a step that goes on in the same message takes one round trip and one write commit: the outcome with the next claim", () => {
  // The first claim of the run comes on top.
  expect(counts.goingOn.roundTrips).toBeLessThanOrEqual(1.1);
  expect(counts.goingOn.writeCommits).toBeLessThanOrEqual(1.1);
});

test("RUN-7 a step that writes outside takes one write commit more: its intent, before anything happens", () => {
  expect(counts.write.writeCommits).toBe(3);
});

test("RUN-19 what a step writes does not grow with the length of the history: 200 steps cost at most a tenth more each than 20", () => {
  expect(counts.long.walBytes / counts.short.walBytes).toBeLessThanOrEqual(1.1);
  expect(counts.long.roundTrips).toBeLessThanOrEqual(counts.short.roundTrips);
  expect(counts.long.writeCommits).toBeLessThanOrEqual(counts.short.writeCommits);
  expect(counts.short.walBytes).toBeLessThanOrEqual(12 * 1024);
});
