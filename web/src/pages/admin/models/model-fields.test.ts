import { expect, test } from "vitest";
import { readPrice, readWindow, readWords } from "./model-fields.ts";

test("GW-2 a price is read with a point or a comma; nothing is no price, anything else is told", () => {
  expect(["", " ", "0", "1.25", "0,05", "15"].map(readPrice)).toEqual([null, null, 0, 1.25, 0.05, 15]);
  expect(["-1", "1e3", "1.000,5", "x", "2000000", "0.0000001"].map(readPrice)).toEqual(Array(6).fill(undefined));
});

test("GW-2 a context size is read with or without grouping", () => {
  expect(["", "128000", "128.000", "128,000", "1 000 000"].map(readWindow)).toEqual([
    null,
    128_000,
    128_000,
    128_000,
    1_000_000,
  ]);
  expect(["999", "12.5", "1e6", "-5", "x"].map(readWindow)).toEqual(Array(5).fill(undefined));
});

test("GW-4 words are separated by commas", () => {
  expect(readWords(" a, b ,,c ")).toEqual(["a", "b", "c"]);
});
