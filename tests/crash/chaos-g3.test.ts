import { expect, test } from "vitest";
import { g3 } from "../chaos/g3.ts";
import { holds, shortSeed } from "../chaos/harness.ts";

test(
  "G3 G18 I1..I5 F77: real workers killed, database sessions ended, database and queue restarted: nothing twice, nothing lost",
  { timeout: 300_000 },
  async () => {
    const { counts } = await holds(g3, { seed: shortSeed(), runs: 12 });
    expect(counts["conversations"]).toBe(12);
    expect(counts["database crashes"]).toBeGreaterThan(0);
  },
);
