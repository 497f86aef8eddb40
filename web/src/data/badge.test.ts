import { expect, test } from "vitest";
import { decidable } from "./badge.ts";

test("APR-15 a badge counts what the reader can decide, there and nowhere else", () => {
  const items = [
    { decidable: true, workspaceId: "a" },
    { decidable: false, workspaceId: "a" },
    { decidable: true, workspaceId: "b" },
  ];
  expect(decidable(items, "a")).toBe(1);
  expect(decidable(items, "c")).toBe(0);
  expect(decidable([], "a")).toBe(0);
});
