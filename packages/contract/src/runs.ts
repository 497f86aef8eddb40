import { z } from "zod";

/** RUN-1: the states of a run. */
export const runStatus = z.enum([
  "queued",
  "running",
  "waiting_approval",
  "waiting_input",
  "needs_reconciliation",
  "completed",
  "failed",
  "cancelled",
  "blocked_by_guardrail",
]);
export type RunStatus = z.infer<typeof runStatus>;

/** RUN-1: the only transitions there are; migration 0001 enforces the same table in the database. */
export const RUN_TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ["running", "cancelled", "failed"],
  running: [
    "queued",
    "waiting_approval",
    "waiting_input",
    "completed",
    "failed",
    "cancelled",
    "blocked_by_guardrail",
    "needs_reconciliation",
  ],
  waiting_approval: ["queued", "cancelled"],
  waiting_input: ["queued", "cancelled"],
  needs_reconciliation: ["queued", "failed"],
  failed: ["queued"],
  completed: [],
  cancelled: [],
  blocked_by_guardrail: [],
};

/** A run in one of these holds its chat: the next message waits (RUN-1, one active run per chat). */
export const ACTIVE_RUN_STATUSES: readonly RunStatus[] = [
  "queued",
  "running",
  "waiting_approval",
  "waiting_input",
  "needs_reconciliation",
];
export const isActive = (status: RunStatus): boolean => ACTIVE_RUN_STATUSES.includes(status);

/** RUN-1: the states of a request and of a step, one list for code, API and UI. */
export const requestStatus = z.enum([
  "pending",
  "approved",
  "executing",
  "executed",
  "rejected",
  "expired",
  "cancelled",
  "invalid",
  "failed",
  "unknown",
]);
export type RequestStatus = z.infer<typeof requestStatus>;

export const REQUEST_TRANSITIONS: Readonly<Record<RequestStatus, readonly RequestStatus[]>> = {
  pending: ["approved", "rejected", "expired", "cancelled", "invalid"],
  approved: ["executing", "invalid", "cancelled"],
  executing: ["executed", "failed", "unknown", "invalid"],
  unknown: ["executed", "approved", "failed"],
  executed: [],
  rejected: [],
  expired: [],
  cancelled: [],
  invalid: [],
  failed: [],
};

/** Why a request became `invalid` (RUN-1, APR-2, APR-3). */
export const invalidReason = z.enum(["stale", "superseded", "lapsed", "upgraded", "tampered"]);
export type InvalidReason = z.infer<typeof invalidReason>;

/**
 * What became of one tool call; `pending` until it is judged and answered. `submitted`: its request goes its own way, the run
 * went on (APR-8).
 */
export const callStatus = z.enum([
  "pending",
  "waiting",
  "executing",
  "executed",
  "rejected",
  "expired",
  "cancelled",
  "invalid",
  "denied",
  "failed",
  "unknown",
  "submitted",
]);
export type CallStatus = z.infer<typeof callStatus>;

/**
 * Why a run ended as it did (beside its status). `submitted`: answered, with requests that still wait for a person; `settled`:
 * the one call it was for has its outcome.
 */
export const endReason = z.enum(["answered", "limit_reached", "rejected", "submitted", "settled"]);
export type EndReason = z.infer<typeof endReason>;

/**
 * What a run is for. `chat` answers a message and holds its chat; `execution` carries out one staged call by itself (APR-8);
 * `child` works for another run (RUN-18).
 */
export const runLane = z.enum(["chat", "execution", "child"]);
export type RunLane = z.infer<typeof runLane>;

/**
 * The doorbell (RUN-3): it carries no state, only which run might be ready. `traceparent` (W3C) says which span rang; it
 * decides nothing, and one that cannot be read is no reason to lose the message (SEC-9).
 */
export const stepMessage = z.strictObject({
  v: z.literal(1),
  runId: z.uuid(),
  traceparent: z.string().max(100).optional().catch(undefined),
});
export type StepMessage = z.infer<typeof stepMessage>;

/** The doorbell of short outside work that a click asked for. */
export const jobMessage = z.strictObject({ v: z.literal(1), jobId: z.uuid() });
export type JobMessage = z.infer<typeof jobMessage>;
