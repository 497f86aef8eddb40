import * as events from "@aiw/core/events";
import { LeaseLost, type ClaimedRun, type NewEvent } from "@aiw/core/runs";
import { fp } from "@aiw/platform/fault";
import type { EngineDeps } from "./deps.ts";

/** Holds a claimed run: extends the lease by heartbeat and learns of cancels and of its loss (RUN-6, RUN-8). */
export interface Lease {
  readonly run: ClaimedRun;
  /** Aborts when a cancel was asked for or the lease is lost; never cuts an external write (those do not listen to it). */
  readonly signal: AbortSignal;
  readonly cancelled: () => boolean;
  /** Throws LeaseLost once the run belongs to somebody else. */
  readonly assertHeld: () => void;
  readonly tell: (events: readonly NewEvent[]) => Promise<void>;
  readonly stop: () => void;
}

export const hold = (deps: EngineDeps, run: ClaimedRun): Lease => {
  const controller = new AbortController();
  let lost = false;
  let cancel = run.cancelRequested;
  let beating = Promise.resolve();

  const append = async (batch: readonly NewEvent[]): Promise<void> => {
    try {
      const answer = await events.append(deps.db, run, deps.limits.leaseS, batch);
      if (answer.cancel && !cancel) {
        cancel = true;
        controller.abort(new Error("cancelled"));
      }
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      lost = true;
      controller.abort(error);
      throw error;
    }
    if (batch.length > 0) deps.notify(run.id);
  };
  const timer = setInterval(() => {
    // A failed heartbeat is not the end of the step: the next write under the fence decides.
    beating = fp("lease.beat", () => append([])).catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) deps.log.warn("a heartbeat failed", { runId: run.id, error });
    });
  }, deps.limits.heartbeatS * 1000);
  timer.unref();
  return {
    run,
    signal: controller.signal,
    cancelled: () => cancel,
    assertHeld: () => {
      if (lost) throw new LeaseLost();
    },
    tell: (batch) => append(batch),
    stop: () => {
      clearInterval(timer);
      void beating;
    },
  };
};
