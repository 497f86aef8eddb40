import { expect, test } from "vitest";
import { measureStreams, streamsInWords } from "../bench/streams.ts";
import { isQuiet } from "../kit/quiet.ts";

test("G13 F80 streams on three processes, each killed once, miss nothing and get nothing twice, with one subscription a process", async () => {
  const quiet = isQuiet();
  const streams = await measureStreams(300, 150, 200);
  console.log(streamsInWords(streams));
  expect(streams.delivered).toBe(300 * 150);
  expect([streams.gaps, streams.duplicates]).toEqual([0, 0]);
  expect(streams.subscriptions).toBe(3);
  expect(streams.reconnects).toBeGreaterThanOrEqual(300);
  expect(streams.kBPerStream).toBeLessThan(60);
  if (!quiet) return;
  expect(streams.eventP95Ms).toBeLessThan(300);
  expect(streams.eventP99Ms).toBeLessThan(1_000);
  expect(streams.reconnectP95Ms).toBeLessThan(1_000);
}, 180_000);
