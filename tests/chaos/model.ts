import type { RequestStatus, RunStatus } from "@aiw/contract/runs";

/**
 * What a run with one write should do, in as few lines as possible and without a look at the product: run, call, request,
 * lease and doorbells. G5 plays the same commands here and on the real thing and compares. Times in seconds.
 */
export interface Model {
  run: RunStatus;
  request: RequestStatus | "none";
  /** What the next step does: ask the model for the write, go on with it, or ask the model for the answer. */
  phase: "ask" | "calls" | "answer";
  now: number;
  lease: number;
  executeBefore: number;
  cancelled: boolean;
  /** A process that stopped during the write: whether it had acted. */
  acted: boolean;
  effects: number;
  attempts: number;
  bells: number;
  forbidden: boolean;
  toolChanged: boolean;
  /** The definition the request was frozen with is not the server's. */
  frozenChanged: boolean;
  deciderGone: boolean;
  /** Every change of state, as "run queued running" or "request pending approved". */
  readonly told: string[];
}

export const LEASE_S = 3000;
export const EXECUTE_WITHIN_S = 900;
export const EXPIRES_S = 86_400;

export const fresh = (): Model => ({
  run: "queued",
  request: "none",
  phase: "ask",
  now: 0,
  lease: 0,
  executeBefore: 0,
  cancelled: false,
  acted: false,
  effects: 0,
  attempts: 0,
  bells: 1,
  forbidden: false,
  toolChanged: false,
  frozenChanged: false,
  deciderGone: false,
  told: [],
});

const FINAL: readonly RunStatus[] = ["completed", "failed", "cancelled", "blocked_by_guardrail"];
export const isOver = (m: Readonly<Model>): boolean => FINAL.includes(m.run);

const go = (m: Model, run: RunStatus): void => {
  if (m.run === run) return;
  m.told.push(`run ${m.run} ${run}`);
  m.run = run;
};
const set = (m: Model, request: RequestStatus): void => {
  if (m.request !== "none") m.told.push(`request ${m.request} ${request}`);
  m.request = request;
};
const endCall = (m: Model, how: RequestStatus): void => {
  if (m.request !== how) set(m, how);
  m.phase = "answer";
};
const again = (m: Model): void => {
  go(m, "queued");
  m.bells += 1;
};

/** Where a process dies in a step. */
export type Death = "claim" | "write:before" | "write:after" | "commit:before" | "commit:after" | "none";

/** One message is delivered; `death`: the process dies on the way. */
export const deliver = (m: Model, death: Death): void => {
  m.bells = Math.max(0, m.bells - 1);
  if (m.run !== "queued") return;
  go(m, "running");
  m.lease = m.now + LEASE_S;
  if (death === "claim") return;
  const inFlight = m.request === "executing";
  if (m.cancelled && !inFlight) return end(m, death, () => close(m, "cancelled"));
  if (m.phase === "ask") return end(m, death, () => ((m.phase = "calls"), again(m)));
  if (m.phase === "answer") return end(m, death, () => go(m, "completed"));
  if (m.request === "none") return end(m, death, () => freeze(m));
  if (inFlight) return end(m, death, () => recovered(m));
  if (m.request !== "approved")
    return end(m, death, () =>
      m.request === "pending" ? go(m, "waiting_approval") : (endCall(m, m.request as RequestStatus), again(m)),
    );
  if (mayNot(m)) return end(m, death, () => (endCall(m, "invalid"), again(m)));
  write(m, death);
};

const mayNot = (m: Model): boolean => m.now >= m.executeBefore || m.forbidden || m.toolChanged || m.deciderGone;

const write = (m: Model, death: Death): void => {
  set(m, "executing");
  m.attempts += 1;
  m.acted = false;
  if (death === "write:before") return;
  m.effects += 1;
  m.acted = true;
  if (death === "write:after") return;
  end(m, death, () => (endCall(m, "executed"), again(m)));
};

/** The step's commit; before it nothing is kept, after it only the doorbell may be lost. */
const end = (m: Model, death: Death, commit: () => void): void => {
  if (death === "commit:before") return;
  const bells = m.bells;
  commit();
  if (death === "commit:after") m.bells = bells;
};

const freeze = (m: Model): void => {
  if (m.forbidden || m.toolChanged) {
    m.phase = "answer";
    return again(m);
  }
  set(m, "pending");
  go(m, "waiting_approval");
};

/** The target is asked: what happened is kept, what is not seen is a person's to say. */
const recovered = (m: Model): void => {
  // A tool that changed is not asked any more.
  if (m.acted && !m.toolChanged) {
    endCall(m, "executed");
    return again(m);
  }
  set(m, "unknown");
  go(m, "needs_reconciliation");
};

const close = (m: Model, how: "cancelled" | "failed"): void => {
  if (m.request === "pending" || m.request === "approved") set(m, "cancelled");
  go(m, how);
};

export const decide = (m: Model, vote: "approved" | "rejected"): boolean => {
  if (m.request !== "pending" || m.deciderGone || isOver(m)) return false;
  // What is known against it is known before the click counts.
  if (vote === "approved" && (m.forbidden || m.toolChanged)) {
    set(m, "invalid");
    if (m.run === "waiting_approval") again(m);
    return false;
  }
  set(m, vote);
  if (vote === "approved") m.executeBefore = m.now + EXECUTE_WITHIN_S;
  if (m.run === "waiting_approval") again(m);
  return true;
};

export const cancel = (m: Model): boolean => {
  if (m.run === "cancelled") return true;
  if (m.run === "running" || (m.run === "queued" && m.request === "executing")) return (m.cancelled = true);
  if (isOver(m) || m.request === "unknown" || m.run === "needs_reconciliation") return false;
  close(m, "cancelled");
  return true;
};

export const reconcile = (m: Model, outcome: "happened" | "retry" | "end"): boolean => {
  if (m.run !== "needs_reconciliation" || m.request !== "unknown") return false;
  if (outcome === "happened") set(m, "executed");
  if (outcome === "retry") {
    set(m, "approved");
    m.executeBefore = m.now + EXECUTE_WITHIN_S;
  }
  if (outcome === "end") {
    set(m, "failed");
    go(m, "failed");
    return true;
  }
  again(m);
  return true;
};

/** Time passes, and the sweeper comes by: leases, expiries, lost doorbells. */
export const tick = (m: Model, seconds: number): void => {
  m.now += seconds;
  if (m.run === "running" && m.lease < m.now) {
    if (m.cancelled && m.request !== "executing") close(m, "cancelled");
    else again(m);
  }
  if (m.request === "pending" && seconds > EXPIRES_S) {
    set(m, "expired");
    if (m.run === "waiting_approval") again(m);
  }
  if (m.run === "queued" && m.bells === 0) m.bells = 1;
};
