import type { StepMessage } from "@aiw/contract/runs";
import {
  claim,
  commit,
  goOn,
  LeaseLost,
  type Claim,
  type ClaimedRun,
  type Committed,
  type LoadedRun,
  type StepOutcome,
} from "@aiw/core/runs";
import { fp } from "@aiw/platform/fault";
import { nowMs } from "@aiw/platform/trace";
import { boundedBy, type EngineDeps } from "./deps.ts";
import { atTheWall } from "./failed-turn.ts";
import { hold, masked, type Lease } from "./lease.ts";
import { modelStep } from "./model-step.ts";
import { type Delivery, observe, type Observed } from "./observe.ts";
import { sealOutcome, unseal } from "./seal.ts";
import { settle } from "./settled.ts";
import { toolStep } from "./tool-step.ts";

export type StepResult =
  | { readonly did: "step"; readonly status: string }
  | { readonly did: "nothing"; readonly why: "none" | "parked" | "lost" };

type Claimed = Extract<Claim, { outcome: "claimed" }>;

/**
 * One message, one step (RUN-3): claim the run or drop the message, do the next thing its rows ask for, commit the outcome
 * under the fence, ring for what comes next. Holds nothing afterwards. While `mayGoOn` says so after a step, a run that goes
 * on at once is claimed again by its own commit instead of being rung, and its next step is taken here too.
 */
export const step = async (
  deps: EngineDeps,
  message: StepMessage,
  mayGoOn: () => boolean = () => false,
  delivery: Delivery = {},
): Promise<StepResult> => {
  const startMs = nowMs();
  let claimed = await fp("claim.tx", () => claim(deps.db, message.runId, deps.limits.leaseS));
  if (claimed.outcome !== "claimed") return { did: "nothing", why: claimed.outcome };
  let seen = observe(deps, claimed.run, { ...delivery, startMs, traceparent: message.traceparent });
  for (;;) {
    const { result, next } = await takeStep(seen, claimed, mayGoOn);
    if (next?.outcome !== "claimed") return result;
    claimed = next;
    seen = observe(deps, claimed.run, { queue: delivery.queue, startMs: nowMs(), traceparent: seen.traceparent });
  }
};

const takeStep = async (
  seen: Observed,
  { run, displaced, load }: Claimed,
  mayGoOn: () => boolean,
): Promise<{ readonly result: StepResult; readonly next: Claim | null }> => {
  const { deps } = seen;
  if (displaced !== null) await ring(deps, run, [displaced]);
  const lease = hold(deps, run);
  deps.notify(run.id);
  try {
    const outcome = await work(deps, lease, load);
    const isLast = run.attempt >= deps.limits.stepAttempts;
    const { next, ...committed } = mayGoOn()
      ? await fp("run.go_on", () => goOn(deps.db, run, outcome, isLast, deps.limits.leaseS))
      : { ...(await fp("run.commit", () => commit(deps.db, run, outcome, isLast))), next: null };
    deps.notify(run.id);
    seen.committed(outcome, committed.status);
    await ring(deps, run, nextOf(run, committed, outcome.wakeAfterMs, next));
    return { result: { did: "step", status: committed.status }, next };
  } catch (error) {
    seen.failed(error);
    if (error instanceof LeaseLost) return { result: { did: "nothing", why: "lost" }, next: null };
    throw error;
  } finally {
    lease.stop();
    seen.end();
  }
};

const work = async (plain: EngineDeps, held: Lease, load: () => LoadedRun): Promise<StepOutcome> => {
  const { run } = held;
  let deps = plain;
  let lease = held;
  try {
    const { loaded, mask } = await fp("ctx.load", async () => unseal(plain.vault, run, load()));
    deps = { ...plain, log: mask.log(plain.log), limits: boundedBy(plain.limits, loaded.workspace.limits) };
    lease = masked(held, mask);
    return await fp("outcome.seal", async () => sealOutcome(plain.vault, mask, run, await next(deps, lease, loaded)));
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (lease.walled()) return atTheWall(run);
    if (!lease.cancelled()) return interrupted(deps, run, error);
    return { status: "cancelled", outcome: "cancelled" };
  }
};

/** The next thing the rows ask for. */
const next = async (deps: EngineDeps, lease: Lease, loaded: LoadedRun): Promise<StepOutcome> => {
  const { run } = lease;
  // A cancel that an earlier step had to leave for later; a write in flight is settled first (F46).
  if (run.cancelRequested && !writeInFlight(loaded)) return { status: "cancelled", outcome: "cancelled" };
  const gone = starterGone(loaded, run);
  if (gone !== null) return gone;
  // A staged call has its outcome and nothing else to do; no model is ever asked in its run (APR-8).
  if (run.lane === "execution" && run.kind === "model")
    return { status: "completed", endReason: "settled", outcome: "settled" };
  return run.kind === "tools" ? toolStep(deps, lease, loaded) : modelStep(deps, lease, loaded);
};

/**
 * A step that failed unexpectedly is tried again later, up to the bound, and then ends with a reason (RUN-6, RUN-20). A write
 * that was in flight is asked of its probe by the next attempt.
 */
const interrupted = (deps: EngineDeps, run: ClaimedRun, error: unknown): StepOutcome => {
  deps.log.error("a step failed", {
    runId: run.id,
    workspaceId: run.workspaceId,
    step: run.step,
    attempt: run.attempt,
    error,
  });
  if (run.attempt < deps.limits.stepAttempts) {
    return {
      status: "queued",
      outcome: "error",
      keepAttempts: true,
      wakeAfterMs: Math.min(30_000, 500 * 2 ** run.attempt),
    };
  }
  return {
    status: "failed",
    outcome: "error",
    errorCode: "step_failed",
    errorText: "A step failed several times for an internal reason.",
  };
};

const writeInFlight = (loaded: LoadedRun): boolean =>
  loaded.calls.some((c) => c.status === "executing" || c.status === "unknown");

/** F51: a run of a person who lost access stops at its next step, its requests are void. A write in flight is settled first. */
const starterGone = (loaded: LoadedRun, run: ClaimedRun): StepOutcome | null => {
  const starter = loaded.members.find((m) => m.userId === run.startedBy);
  if (starter !== undefined && !starter.disabled) return null;
  if (writeInFlight(loaded)) return null;
  const open = loaded.approvals.filter((a) => a.status === "pending" || a.status === "approved");
  const why = { event: "approval.invalid", data: { reason: "superseded", why: "requester_gone" } };
  return {
    settles: loaded.calls.flatMap((call) => {
      const approval = open.find((a) => a.toolCallId === call.id);
      return approval === undefined ? [] : [settle(call, approval, "invalid", why, { invalidReason: "superseded" })];
    }),
    status: "failed",
    outcome: "requester_gone",
    errorCode: "requester_gone",
    errorText: "The person who started this run may not use the workspace any more.",
  };
};

/**
 * What goes on after a step; all of one team (RUN-19: its id is the message group). A run whose claim was tried here needs no
 * message: it was claimed, it is rung as the one displaced, or it is parked and rung when a slot frees.
 */
const nextOf = (
  run: ClaimedRun,
  committed: Committed,
  wakeAfterMs: number | undefined,
  tried: Claim | null,
): Doorbell[] => {
  const { teamId } = run;
  const isSettled = tried !== null && tried.outcome !== "none";
  const now = committed.ring.filter((runId) => !isSettled || runId !== run.id).map((runId) => ({ runId, teamId }));
  const waits = committed.status === "queued" && wakeAfterMs !== undefined;
  return waits ? [...now, { runId: run.id, teamId, delayMs: wakeAfterMs }] : now;
};

type Doorbell = Parameters<EngineDeps["ring"]>[0][number];

const ring = async (deps: EngineDeps, run: ClaimedRun, runs: readonly Doorbell[]): Promise<void> => {
  if (runs.length === 0) return;
  // A lost ring is repaired by the sweeper (RUN-5): the step is done either way.
  await fp("doorbell.send", () => deps.ring(runs, deps.span)).catch((error: unknown) => {
    deps.log.warn("a doorbell could not be rung", { runId: run.id, error });
  });
};
