import type { ApprovalSummary, RunSummary } from "@aiw/contract/views";

/** What people are asked for a run to go on: its own open requests, and those of runs it handed work over to (RUN-18, CHT-4). */
export const waitingRequests = (
  run: Pick<RunSummary, "id">,
  approvals: readonly ApprovalSummary[],
): readonly ApprovalSummary[] =>
  approvals.filter((a) => a.status === "pending" && (a.runId === run.id || a.parentRunId === run.id));

/** What a run that gave work away waits for there: an open request of one of its parts (RUN-18); null: for nothing that a person does. */
export const partWaitsFor = (
  run: Pick<RunSummary, "id">,
  approvals: readonly ApprovalSummary[],
): "partApproval" | "partInput" | null => {
  const open = approvals.filter((a) => a.status === "pending" && a.parentRunId === run.id);
  if (open.length === 0) return null;
  return open.every((a) => a.responseLabel !== null) ? "partInput" : "partApproval";
};

/** What a run waits for as a whole; null: it works, or the inputs it waits for are asked elsewhere. */
export const waitsFor = (
  run: Pick<RunSummary, "id" | "status">,
  approvals: readonly ApprovalSummary[],
): "waiting_approval" | "waiting_input" | null => {
  const open = waitingRequests(run, approvals);
  if (run.status === "waiting_approval") return "waiting_approval";
  if (open.length === 0) return null;
  return open.every((a) => a.responseLabel !== null) ? "waiting_input" : "waiting_approval";
};
