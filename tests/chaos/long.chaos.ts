import { describe, test } from "vitest";
import { HARNESSES } from "./all.ts";
import { holds } from "./harness.ts";

/** `npm run chaos` and the long test run: every harness in its long form, or as --only, --seed and --runs say. */
const only = (process.env["AIW_CHAOS_ONLY"] ?? "").split(",").filter((id) => id !== "");
const seed = Number(process.env["AIW_CHAOS_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(process.env["AIW_CHAOS_RUNS"] ?? 0);

describe(`chaos, seed ${seed}`, () => {
  for (const [id, load] of Object.entries(HARNESSES)) {
    if (only.length > 0 && !only.includes(id)) continue;
    test(`${id.toUpperCase()} holds`, { timeout: 3_600_000 }, async () => {
      const harness = await load();
      await holds(harness, { seed, runs: runs > 0 ? runs : harness.longRuns });
    });
  }
});
