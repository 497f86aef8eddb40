import type { ClaimedRun, StepOutcome } from "@aiw/core/runs";
import type { ModelError } from "@aiw/model/turn";
import type { EngineDeps } from "./deps.ts";
import type { Lease } from "./lease.ts";

/** Waits before the second, third ... attempt at a model call, in milliseconds (RUN-12). */
const backoffMs = (attempt: number): number => Math.min(60_000, 1000 * 2 ** (attempt - 1));

/** What a failed model call means for the run (RUN-12, RUN-13): wait and try again, stop with the reason, or be blocked. */
export const failedTurn = (deps: EngineDeps, lease: Lease, error: ModelError): StepOutcome => {
  const { run } = lease;
  const code = error.code;
  const reset = error.partial ? [{ type: "attempt.reset", data: { step: run.step } }] : [];
  if (lease.walled() || (code === "turn_timeout" && !lease.cancelled()))
    return { ...atTheWall(run), modelCalls: 1, events: reset };
  if (error.kind === "aborted" || lease.cancelled()) {
    return { status: "cancelled", outcome: "cancelled", events: reset };
  }
  if (error.kind === "guardrail") {
    return {
      status: "blocked_by_guardrail",
      outcome: `guardrail:${code}`,
      errorCode: code,
      errorText: error.message,
      modelCalls: 1,
      events: [
        ...reset,
        ...(error.partial
          ? [{ type: "message.completed", data: { step: run.step, text: "", final: true, withheld: true } }]
          : []),
      ],
      audit: [
        {
          actorKind: "system",
          event: "guardrail.blocked",
          objectKind: "run",
          objectId: run.id,
          data: {
            code,
            rule: error.rule ?? null,
            direction: error.direction ?? null,
            body: error.rawBody?.slice(0, 2000) ?? null,
          },
        },
      ],
    };
  }
  if (error.retryable && run.attempt < deps.limits.stepAttempts) {
    return {
      status: "queued",
      outcome: `retry:${code}`,
      keepAttempts: true,
      wakeAfterMs: Math.max(error.retryAfterMs ?? 0, backoffMs(run.attempt)),
      modelCalls: 1,
      events: reset,
    };
  }
  return {
    status: "failed",
    outcome: `failed:${code}`,
    errorCode: code,
    errorText: error.message,
    modelCalls: 1,
    events: reset,
  };
};

/** RUN-23: what ran into its time limit is tried once more; the second time it fails with the reason. */
export const atTheWall = (run: ClaimedRun): StepOutcome =>
  run.attempt < 2
    ? { status: "queued", outcome: "wall", keepAttempts: true }
    : { status: "failed", outcome: "wall", errorCode: "time_limit", errorText: "A step reached its time limit twice." };
