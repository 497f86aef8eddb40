import { expect, test } from "vitest";
import { holds, shortSeed } from "../chaos/harness.ts";
import { g1 } from "../chaos/g1.ts";

test("G1 I1..I10 F1..F10 F15..F20 F42..F49: a stop at every named point of every conversation loses nothing and does nothing twice", async () => {
  const { counts } = await holds(g1, { seed: shortSeed(), runs: 140 });
  expect(counts["points"]).toBeGreaterThanOrEqual(60);
  expect(counts["executions"]).toBe(140);
});
