import { test } from "vitest";
import { g7 } from "./g7.ts";
import { holds, shortSeed } from "./harness.ts";

test("G7 N41 N48 orders in whatever a model reads: obeyed to the letter they have no effect, and honest work still succeeds", async () => {
  await holds(g7, { seed: shortSeed(), runs: 110 });
}, 180_000);
