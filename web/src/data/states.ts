import type { RunStatus } from "@aiw/contract/runs";

/** Named predicates over the states of the contract, without its schemas. states.test.ts compares the run table. */
export const ACTIVE_RUN_STATUSES = [
  "queued",
  "running",
  "waiting_approval",
  "waiting_input",
  "needs_reconciliation",
] as const satisfies readonly RunStatus[];

const active: ReadonlySet<string> = new Set(ACTIVE_RUN_STATUSES);
/** The run holds its chat: the next message waits. */
export const isActiveRun = (status: RunStatus): boolean => active.has(status);

/** The run waits for a person. */
export const isWaitingRun = (status: RunStatus): boolean =>
  status === "waiting_approval" || status === "waiting_input" || status === "needs_reconciliation";
