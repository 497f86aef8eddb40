import type { RunDetail } from "@aiw/contract/views";
import { expect, test } from "vitest";
import { stepGroups, writesOutside } from "./run-steps.ts";

const id = "0190b0a0-0000-7000-8000-000000000001";
const step = (n: number, attempt = 1): RunDetail["steps"][number] => ({
  step: n,
  attempt,
  kind: "model",
  queueMs: 1,
  startedAt: "2026-11-30T10:00:00Z",
  endedAt: null,
  outcome: null,
});
const call = (
  n: number,
  position: number,
  over: Partial<RunDetail["toolCalls"][number]> = {},
): RunDetail["toolCalls"][number] => ({
  id,
  callId: `c${String(n)}${String(position)}`,
  runId: id,
  step: n,
  position,
  tool: "git.read_file",
  wireName: "git_read_file",
  sourceId: null,
  sourceName: null,
  riskClass: "read",
  args: "{}",
  status: "executed",
  result: null,
  resultBytes: 0,
  durationMs: null,
  approvalId: null,
  decision: null,
  explanation: null,
  ...over,
});

test("RUN-17: every attempt stands with its step, and no tool call is left out", () => {
  const groups = stepGroups({ steps: [step(2), step(1, 2), step(1)], toolCalls: [call(2, 1), call(2, 0), call(7, 0)] });
  expect(
    groups.map((group) => [group.step, group.attempts.length, group.calls.map((entry) => entry.position)]),
  ).toEqual([
    [1, 2, []],
    [2, 1, [0, 1]],
    [7, 0, [0]],
  ]);
});

test("RUN-7: a write of unknown outcome counts as one that may have happened", () => {
  expect(writesOutside({ toolCalls: [call(1, 0)] })).toBe(0);
  expect(writesOutside({ toolCalls: [call(1, 0, { riskClass: "write_external", status: "denied" })] })).toBe(0);
  expect(
    writesOutside({
      toolCalls: [
        call(1, 0, { riskClass: "write_external", status: "unknown" }),
        call(1, 1, { riskClass: "destructive" }),
      ],
    }),
  ).toBe(2);
});
