import { expect, test } from "vitest";
import { loadInWords } from "../bench/load-words.ts";
import { measureLoad } from "../bench/load.ts";
import { isQuiet } from "../kit/quiet.ts";

test("G14 G15 the whole stack under load: no run fails, no message dies, a run takes at most 30 transactions, and another team, decisions and lists stay quick", async () => {
  const quiet = isQuiet();
  const load = await measureLoad({ seconds: 10, waiting: 10_000, queued: 500 });
  console.log(loadInWords(load));
  expect(load.failed).toBe(0);
  expect(load.runs).toBeGreaterThan(20);
  expect(load.deadLetters).toBe(0);
  expect(load.transactionsPerRun).toBeLessThanOrEqual(30);
  if (!quiet) return;
  expect(load.otherTeamP95Ms).toBeLessThan(2_000);
  expect(load.queueWaitP95Ms).toBeLessThan(1_000);
  expect(load.decideP95Ms).toBeLessThan(80);
  expect(load.listP95Ms).toBeLessThan(150);
  expect(load.ofFloor).toBeGreaterThanOrEqual(0.4);
}, 180_000);
