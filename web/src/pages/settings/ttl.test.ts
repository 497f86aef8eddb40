import { expect, test } from "vitest";
import { joinTtl, splitTtl, wholeNumber } from "./ttl.ts";

test("APR-7: the approval time is shown in its largest whole unit and comes back unchanged", () => {
  expect([86_400, 604_800, 3_600, 5_400, 90, 30].map(splitTtl)).toEqual([
    { value: 1, unit: "d" },
    { value: 7, unit: "d" },
    { value: 1, unit: "h" },
    { value: 90, unit: "min" },
    { value: 90, unit: "s" },
    { value: 30, unit: "s" },
  ]);
  for (const seconds of [30, 61, 3_600, 5_400, 86_400, 604_800]) {
    const { value, unit } = splitTtl(seconds);
    expect(joinTtl(String(value), unit)).toBe(seconds);
  }
});

test("APR-7: times outside 30 seconds to 7 days are refused", () => {
  expect([
    joinTtl("29", "s"),
    joinTtl("8", "d"),
    joinTtl("-1", "h"),
    joinTtl("", "h"),
    joinTtl("1e3", "s"),
    joinTtl("x", "s"),
  ]).toEqual([null, null, null, null, null, null]);
  expect(joinTtl("1,5", "h")).toBe(5_400);
});

test("RUN-10: tool rounds are whole numbers from 1 to 100", () => {
  expect([
    wholeNumber("1", 1, 100),
    wholeNumber("100", 1, 100),
    wholeNumber("0", 1, 100),
    wholeNumber("101", 1, 100),
    wholeNumber("2.5", 1, 100),
  ]).toEqual([1, 100, null, null, null]);
});
