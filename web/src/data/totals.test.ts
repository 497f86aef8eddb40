import { expect, test } from "vitest";
import { totalsOf } from "./totals.ts";

test("AI-6 a chat adds up the tokens of its runs, and the costs of those whose prices are known", () => {
  const run = (inputTokens: number, cost: number | null) => ({ inputTokens, outputTokens: 1, cost });
  expect(totalsOf([])).toEqual({ tokens: 0, cost: null });
  expect(totalsOf([run(10, null)])).toEqual({ tokens: 11, cost: null });
  expect(totalsOf([run(10, 0.25), run(20, null), run(30, 0.5)])).toEqual({ tokens: 63, cost: 0.75 });
});
