import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { keepReason, readReason } from "./reason-draft.ts";

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const item = (id: string, over = {}) => ({ id, sensitive: false, masked: false, ...over });

test("APR-6 a reason that was typed and not sent is there again, for its own request alone, until it is emptied or sent", () => {
  keepReason(item("a"), "not on a Fri");
  expect([readReason(item("a")), readReason(item("b"))]).toEqual(["not on a Fri", ""]);
  keepReason(item("a"), "");
  expect([readReason(item("a")), kept.size]).toEqual(["", 0]);
});

test("APR-10 where something sensitive is asked for or stands in the request, nothing that is typed reaches the storage", () => {
  for (const over of [{ sensitive: true }, { masked: true }]) {
    keepReason(item("a", over), "the code is 4711");
    expect(readReason(item("a", over))).toBe("");
  }
  expect(kept.size).toBe(0);
});
