import type { Load } from "./load.ts";

/** One line for people. */
export const loadInWords = (load: Load): string => {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return (
    `${load.runs} runs of five steps, ${load.failed} failed: ${load.runsPerS.toFixed(1)} runs/s, floor ${load.floorRunsPerS.toFixed(1)}` +
    ` = ${(load.ofFloor * 100).toFixed(0)} %, ${load.transactionsPerRun.toFixed(1)} transactions a run; queue wait p95 ${ms(load.queueWaitP95Ms)};` +
    ` decision p95 ${ms(load.decideP95Ms)}; list of open approvals p95 ${ms(load.listP95Ms)};` +
    ` start of the other team p95 ${ms(load.otherTeamP95Ms)}; ${load.deadLetters} dead letters`
  );
};
