import { expect, test } from "vitest";
import { createLoginGuard } from "./login-guard.ts";

test("SEC-6: attempts from one address for one name are limited, and come back with time", () => {
  let at = 0;
  const guard = createLoginGuard({ perName: 3, inAll: 100 }, () => at);
  const admitted = () => [1, 2, 3, 4].map(() => guard.admit("10.0.0.1", "Owner"));
  expect(admitted()).toEqual([true, true, true, false]);
  expect(guard.admit("10.0.0.1", " OWNER ")).toBe(false);
  expect(guard.admit("10.0.0.2", "owner")).toBe(true);
  expect(guard.admit("10.0.0.1", "member")).toBe(true);
  at = 20_000;
  expect(admitted()).toEqual([true, false, false, false]);
  at = 600_000;
  expect(admitted()).toEqual([true, true, true, false]);
});

test("SEC-6: attempts from everywhere are limited in all", () => {
  const guard = createLoginGuard({ perName: 3, inAll: 10 }, () => 0);
  const admitted = Array.from({ length: 50 }, (_, n) => guard.admit(`10.0.0.${n}`, `name-${n}`));
  expect(admitted.filter(Boolean)).toHaveLength(10);
});

test("SEC-6: remembers a bounded number of pairs and forgets the oldest first", () => {
  const guard = createLoginGuard({ perName: 1, inAll: 1_000_000 }, () => 0);
  expect(guard.admit("a", "first")).toBe(true);
  expect(guard.admit("a", "first")).toBe(false);
  for (let n = 0; n < 10_000; n += 1) guard.admit("a", `name-${n}`);
  expect(guard.admit("a", "first")).toBe(true);
});
