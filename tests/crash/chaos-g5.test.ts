import { expect, test } from "vitest";
import { g5 } from "../chaos/g5.ts";
import { holds, shortSeed } from "../chaos/harness.ts";

test("G5 RUN-1 I5: product and reference model agree after every command, and no change outside the tables is accepted", async () => {
  const { counts } = await holds(g5, { seed: shortSeed(), runs: 60 });
  expect(counts["sequences on Postgres"]).toBe(60);
  expect(counts["illegal changes refused"]).toBeGreaterThan(200);
});
