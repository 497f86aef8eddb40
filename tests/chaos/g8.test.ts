import { expect, test } from "vitest";
import { g8Ledger } from "./g8-ledger.ts";
import { g8 } from "./g8.ts";
import { inWords } from "./guarantee.ts";

const SEED = 8;

test("G8 N23 N26 shown is sent, for generated arguments; every hidden code point is marked; ordinary texts raise no alarm", async () => {
  const outcome = await g8.run({ seed: SEED, runs: 2500 });
  console.log(inWords(g8.id, SEED, outcome));
  expect(outcome.violations).toEqual([]);
}, 60_000);

test("G8 N23 end to end: the bytes that arrive at a server are those an approver was shown", async () => {
  const outcome = await g8Ledger.run({ seed: SEED, runs: 40 });
  console.log(inWords(g8Ledger.id, SEED, outcome));
  expect(outcome.violations).toEqual([]);
}, 60_000);
