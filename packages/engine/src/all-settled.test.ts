import { expect, test } from "vitest";
import { allSettled } from "./all-settled.ts";

test("F12 a failure waits for what else is under way before it ends the step", async () => {
  const ended: string[] = [];
  const slow = new Promise<void>((resolve) => setImmediate(resolve)).then(() => void ended.push("slow"));
  await expect(allSettled([Promise.reject(new Error("first")), slow])).rejects.toThrow("first");
  expect(ended).toEqual(["slow"]);
});

test("without a failure the values come in order", async () => {
  expect(await allSettled([Promise.resolve(1), Promise.resolve(2)])).toEqual([1, 2]);
});
