import { expect, test } from "vitest";
import { uuidv7 } from "./uuid.ts";

test("CHT-2: message ids are version 7 UUIDs in the order they were made", () => {
  const now = Date.UTC(2026, 10, 30);
  const ids = [0, 1, 2, 1000].map((ms) => uuidv7(now + ms));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(Number.parseInt(ids[0]?.replaceAll("-", "").slice(0, 12) ?? "", 16)).toBe(now);
});
