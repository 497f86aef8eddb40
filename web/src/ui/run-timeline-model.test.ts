import { describe, expect, test } from "vitest";
import { positionOf, timeline } from "./run-timeline-model.ts";

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

describe("the timeline cuts waits so that work stays visible (RUN-17)", () => {
  const line = timeline(
    [
      { status: "queued", at: at(0) },
      { status: "running", at: at(1) },
      { status: "waiting_approval", at: at(11) },
      { status: "running", at: at(7211) },
      { status: "completed", at: at(7221) },
    ],
    9_000_000,
  );
  test("a wait of two hours takes no more than its share", () => {
    const wait = line.segments[2];
    expect(wait?.compressed).toBe(true);
    expect(wait?.durationMs).toBe(7_200_000);
    expect(wait?.width).toBeLessThan(16);
  });
  test("the widths add up, and work and wait are counted apart", () => {
    expect(line.segments.reduce((sum, segment) => sum + segment.width, 0)).toBeCloseTo(100);
    expect(line.workMs).toBe(20_000);
    expect(line.waitMs).toBe(7_201_000);
  });
  test("a final state has no length", () => {
    expect(line.segments.map((segment) => segment.status)).toEqual([
      "queued",
      "running",
      "waiting_approval",
      "running",
    ]);
    expect(line.endMs).toBe(7_221_000);
  });
  test("an instant maps into its stretch", () => {
    expect(positionOf(line, 0)).toBe(0);
    expect(positionOf(line, 7_211_000)).toBeCloseTo(line.segments[3]?.left ?? -1);
    expect(positionOf(line, 99_999_000)).toBe(100);
  });
  test("a run that has not ended reaches until now; an unknown one is empty", () => {
    expect(timeline([{ status: "running", at: at(0) }], 5_000).endMs).toBe(5_000);
    expect(timeline([], 5_000).segments).toEqual([]);
  });
});
