import { expect, test } from "vitest";
import { addWaiting, sweepAll } from "../kit/backlog.ts";
import { sweepOnce } from "../kit/runs.ts";
import { startWorld } from "../kit/world.ts";

test("RUN-5 G16 a sweep over 50,000 waiting runs and 5,000 due requests takes less than 2 s, and two sweepers end each request once", async () => {
  const world = await startWorld();
  try {
    await addWaiting(world, 50_000, 5_000);
    const first = performance.now();
    const report = await sweepOnce(world);
    const firstMs = performance.now() - first;
    const rest = await sweepAll(() => sweepOnce(world));
    console.log(`one sweep ${firstMs.toFixed(0)} ms; longest of two side by side ${rest.longestMs.toFixed(0)} ms`);
    expect(firstMs).toBeLessThan(2000);
    expect(report.expired + rest.expired).toBe(5_000);
    expect(report.failures + rest.failures).toBe(0);
    expect(rest.most).toBeLessThanOrEqual(500);
  } finally {
    await world.stop();
  }
}, 180_000);
