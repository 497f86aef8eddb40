import * as events from "@aiw/core/events";
import { LeaseLost, type ClaimedRun, type NewEvent } from "@aiw/core/runs";
import { fp } from "@aiw/platform/fault";
import type { EngineDeps } from "./deps.ts";
import { NO_MASK, type Mask } from "./mask.ts";

/** Holds a claimed run: extends the lease by heartbeat and learns of cancels and of its loss (RUN-6, RUN-8). */
export interface Lease {
  readonly run: ClaimedRun;
  /** Aborts when a cancel was asked for, the lease is lost or the step's time is over; never cuts an external write (those do not listen to it). */
  readonly signal: AbortSignal;
  readonly cancelled: () => boolean;
  /** The step ran into its own time limit: `signal` is aborted, what it did so far is tried again (RUN-23). */
  readonly walled: () => boolean;
  /** Throws LeaseLost once the run belongs to somebody else. */
  readonly assertHeld: () => void;
  /** What hides the sensitive answers of this chat in all that the step says (APR-10). */
  readonly mask: Mask;
  readonly tell: (events: readonly NewEvent[]) => Promise<void>;
  /**
   * Asks the database whether the run is still this step's, and stays so for `forS` seconds from now; throws LeaseLost when it
   * is not. An answer that a process got late, because it stood still meanwhile, counts from when it asked.
   */
  readonly confirm: (forS: number) => Promise<void>;
  readonly stop: () => void;
}

/** The same lease, with everything that is told masked. */
export const masked = (lease: Lease, mask: Mask): Lease =>
  mask.idle ? lease : { ...lease, mask, tell: (batch) => lease.tell(batch.map(mask.event)) };

/** How long a person who cancels waits at most while the model is silent, in milliseconds (RUN-8). */
const LOOK_MS = 1000;

export const hold = (deps: EngineDeps, run: ClaimedRun): Lease => {
  const controller = new AbortController();
  let lost = false;
  let cancel = run.cancelRequested;
  let walled = false;

  const stop = (): void => {
    clearInterval(beat);
    clearInterval(watch);
    clearTimeout(wall);
  };
  const cancelNow = (): void => {
    if (cancel) return;
    cancel = true;
    controller.abort(new Error("cancelled"));
  };
  const lose = (error: LeaseLost): void => {
    lost = true;
    stop();
    controller.abort(error);
  };
  const append = async (batch: readonly NewEvent[]): Promise<void> => {
    try {
      const answer = await fp("lease.append", () => events.append(deps.db, run, deps.limits.leaseS, batch));
      if (answer.cancel) cancelNow();
    } catch (error) {
      if (error instanceof LeaseLost) lose(error);
      throw error;
    }
    if (batch.length > 0) deps.notify(run.id);
  };
  // A failed heartbeat or look is not the end of the step: the next write under the fence decides.
  const failed = (error: unknown): void => {
    if (!(error instanceof LeaseLost)) deps.log.warn("a heartbeat failed", { runId: run.id, error });
  };
  const beat = setInterval(() => void fp("lease.beat", () => append([])).catch(failed), deps.limits.heartbeatS * 1000);
  // Heartbeats come too seldom for somebody who pressed stop.
  const watch = setInterval(() => {
    void fp("lease.look", () => events.look(deps.db, run)).then((seen) => {
      if (seen === "cancel") cancelNow();
      if (seen === "lost") lose(new LeaseLost());
    }, failed);
  }, LOOK_MS);
  const wall = setTimeout(() => {
    walled = true;
    controller.abort(new Error("the step reached its time limit"));
  }, deps.limits.stepS * 1000);
  beat.unref();
  watch.unref();
  wall.unref();
  return {
    run,
    signal: controller.signal,
    cancelled: () => cancel,
    walled: () => walled,
    assertHeld: () => {
      if (lost) throw new LeaseLost();
    },
    mask: NO_MASK,
    tell: append,
    confirm: async (forS) => {
      const askedMs = performance.now();
      const leftS = await fp("lease.confirm", () => events.heldFor(deps.db, run));
      if (leftS - (performance.now() - askedMs) / 1000 < forS) lose(new LeaseLost());
      if (lost) throw new LeaseLost();
    },
    stop,
  };
};
