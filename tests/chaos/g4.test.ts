import { test } from "vitest";
import { g4 } from "./g4.ts";
import { holds, shortSeed } from "./harness.ts";

test("G4 I7 approval races: whatever happens to a request at the same moment, one legal outcome and at most one effect", async () => {
  await holds(g4, { seed: shortSeed(), runs: 150 });
}, 120_000);
