import * as approvals from "@aiw/core/approvals";
import { isActive } from "@aiw/contract/runs";
import { recoverLeases, releaseHeld, ringDue } from "@aiw/core/runs";
import { fp } from "@aiw/platform/fault";
import type { EngineDeps } from "./deps.ts";

/** What one sweep saw and did: "0 due" is not "saw nothing" (RUN-5). */
export interface SweepReport {
  readonly expiredLeases: number;
  readonly recovered: number;
  readonly dueRequests: number;
  readonly expired: number;
  /** Runs that waited for the stop switch and go on (POL-13). */
  readonly released: number;
  readonly rung: number;
  /** Records whose own transaction failed; the others went on. */
  readonly failures: number;
}

export type SweepDeps = Pick<EngineDeps, "db" | "log" | "notify" | "ring" | "telemetry"> & {
  readonly stepAttempts: number;
  readonly doorbellGraceS: number;
};

/** One round of upkeep (RUN-5, RUN-6, APR-7, POL-13). Repeating it, or running two at once, changes nothing more. */
export const sweep = async (deps: SweepDeps): Promise<SweepReport> => {
  const leases = await fp("sweep.recover", () => recoverLeases(deps.db, deps.stepAttempts));
  const requests = await fp("sweep.expire", () => approvals.expireDue(deps.db));
  const released = await fp("sweep.release", () => releaseHeld(deps.db));
  for (const { runId } of released) deps.notify(runId);
  for (const { runId, teamId, status } of leases.recovered) {
    deps.notify(runId);
    if (!isActive(status)) deps.telemetry?.runEnded(runId, { "aiw.run.status": status, "aiw.team.id": teamId });
  }
  for (const { runId } of requests.expired) deps.notify(runId);
  const due = await fp("sweep.pick", () => ringDue(deps.db, deps.doorbellGraceS));
  // What a recovery or an expiry made ready this moment need not wait for the grace time.
  const recovered = leases.recovered.flatMap(({ ring, teamId }) => (ring === null ? [] : [{ runId: ring, teamId }]));
  const now = [...new Map([...due, ...requests.expired, ...released, ...recovered].map((r) => [r.runId, r])).values()];
  if (now.length > 0) {
    await fp("sweep.ring", () => deps.ring(now)).catch((error: unknown) =>
      deps.log.warn("the sweeper could not ring", { error }),
    );
  }
  return {
    expiredLeases: leases.seen,
    recovered: leases.recovered.length,
    dueRequests: requests.seen,
    expired: requests.expired.length,
    released: released.length,
    rung: now.length,
    failures: leases.failures + requests.failures,
  };
};
