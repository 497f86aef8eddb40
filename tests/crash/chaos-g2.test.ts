import { expect, test } from "vitest";
import { g2 } from "../chaos/g2.ts";
import { holds, shortSeed } from "../chaos/harness.ts";

test("G2 I1..I10 F30..F33 F67..F70: conversations with several faults at once, workers that overtake each other and doubled, late and lost doorbells end as they must", async () => {
  const { counts } = await holds(g2, { seed: shortSeed(), runs: 80 });
  expect(counts["faults"]).toBeGreaterThan(100);
  expect(counts["doubled"]).toBeGreaterThan(100);
});
