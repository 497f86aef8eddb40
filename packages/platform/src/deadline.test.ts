import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { deadline } from "./deadline.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Signals nobody listens to yet, kept as a call's context keeps them: inside of something else. */
const kept = (make: () => AbortSignal) => Array.from({ length: 5 }, () => ({ signal: make() }));

const afterCollections = async (all: readonly { signal: AbortSignal }[]): Promise<boolean[]> => {
  for (let round = 0; round < 20; round += 1) {
    await sleep(10);
    collect();
  }
  return all.map(({ signal }) => signal.aborted);
};

test("F20 a time limit is reached although nobody listened to it and the memory was cleaned up meanwhile", async () => {
  const parent = new AbortController();
  const aborted = await afterCollections(kept(() => deadline(100, parent.signal, new AbortController().signal)));
  expect(aborted).toEqual([true, true, true, true, true]);
});

test("a deadline ends with its reason: of the time, of the parent that ended first, or of one that had ended before", async () => {
  const timed = deadline(5);
  await sleep(30);
  expect(timed.reason).toMatchObject({ name: "TimeoutError" });

  const parent = new AbortController();
  const followed = deadline(60_000, new AbortController().signal, parent.signal);
  expect(followed.aborted).toBe(false);
  parent.abort(new Error("enough"));
  expect(followed.reason).toEqual(new Error("enough"));
  expect(deadline(60_000, parent.signal).reason).toEqual(new Error("enough"));
});
