import { test } from "vitest";
import { g6 } from "./g6.ts";
import { holds, shortSeed } from "./harness.ts";

test("G6 N46 a model that obeys the attacker in every call, over every tool in every mode, has no effect that nobody approved", async () => {
  await holds(g6, { seed: shortSeed(), runs: 600 });
}, 180_000);
