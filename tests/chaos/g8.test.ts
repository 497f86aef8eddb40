import { test } from "vitest";
import { g8Ledger } from "./g8-ledger.ts";
import { g8 } from "./g8.ts";
import { holds, shortSeed } from "./harness.ts";

test("G8 N23 N26 shown is sent, for generated arguments; every hidden code point is marked; ordinary texts raise no alarm", async () => {
  await holds(g8, { seed: shortSeed(), runs: 2500 });
}, 60_000);

test("G8 N23 end to end: the bytes that arrive at a server are those an approver was shown", async () => {
  await holds(g8Ledger, { seed: shortSeed(), runs: 40 });
}, 60_000);
