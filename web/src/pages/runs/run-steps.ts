import type { RunDetail } from "@aiw/contract/views";

type Step = RunDetail["steps"][number];
type Call = RunDetail["toolCalls"][number];

export interface StepGroup {
  readonly step: number;
  readonly attempts: readonly Step[];
  readonly calls: readonly Call[];
}

/** Steps in order, each with all attempts at it and the tool calls it asked for or carried out. */
export function stepGroups(run: Pick<RunDetail, "steps" | "toolCalls">): readonly StepGroup[] {
  const numbers = new Set([...run.steps.map((step) => step.step), ...run.toolCalls.map((call) => call.step)]);
  return [...numbers]
    .toSorted((a, b) => a - b)
    .map((step) => ({
      step,
      attempts: run.steps.filter((entry) => entry.step === step).toSorted((a, b) => a.attempt - b.attempt),
      calls: run.toolCalls.filter((call) => call.step === step).toSorted((a, b) => a.position - b.position),
    }));
}

const OUTSIDE: ReadonlySet<string | null> = new Set(["write_external", "destructive"]);
const TOUCHED: ReadonlySet<string> = new Set(["executed", "executing", "unknown"]);

/** Calls that wrote to another system, or may have. Zero is the only number after which "nothing was written" may be said. */
export const writesOutside = (run: Pick<RunDetail, "toolCalls">): number =>
  run.toolCalls.filter(
    (call) =>
      (OUTSIDE.has(call.riskClass) || (call.riskClass === null && call.approvalId !== null)) &&
      TOUCHED.has(call.status),
  ).length;
