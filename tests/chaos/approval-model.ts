/**
 * What may become of one request, as a small pure model beside the product (spec 70, G4): each act is one step, whatever
 * happens at the same time has to look like some order of such steps.
 */
export type Act =
  | "approve"
  | "approve_other"
  | "reject"
  | "expire"
  | "cancel"
  | "role_loss"
  | "policy_change"
  | "tool_change"
  | "source_removal"
  | "stop"
  | "execute"
  | "execute_other";

export interface Seen {
  /** What each act was answered with: `ok` or the code of the refusal. */
  readonly answers: Readonly<Partial<Record<Act, string>>>;
  readonly request: string;
  /** Effects at the target. */
  readonly effects: number;
}

interface State {
  readonly request: "pending" | "approved" | "rejected" | "expired" | "cancelled" | "invalid" | "executed";
  readonly decidedBy: Act | null;
  readonly effects: number;
  readonly runOver: boolean;
  readonly roleLost: boolean;
  readonly vetoed: boolean;
  readonly stopped: boolean;
  /** Its turn came while writes were stopped: it waits until somebody lets them go on. */
  readonly held: boolean;
}

/** The first approver decided before the race began, or nobody has. */
export const stateOf = (start: "pending" | "approved"): State => ({
  request: start,
  decidedBy: start === "approved" ? "approve" : null,
  effects: 0,
  runOver: false,
  roleLost: false,
  vetoed: false,
  stopped: false,
  held: false,
});

type Step = readonly [State, string];

const vote = (state: State, by: Act, to: "approved" | "rejected"): Step => {
  if (by === "approve" && state.roleLost) return [state, "approver_missing"];
  // What could not be executed any more is told at the click (APR-3).
  if (state.request === "pending" && to === "approved" && state.vetoed)
    return [{ ...state, request: "invalid" }, "invalid"];
  if (state.request === "pending") return [{ ...state, request: to, decidedBy: by }, "ok"];
  const { request, decidedBy } = state;
  if (decidedBy === by && request !== "cancelled") return [state, "ok"];
  if (decidedBy !== null && request !== "invalid") return [state, "decided"];
  return [state, request === "expired" || request === "cancelled" || request === "invalid" ? request : "decided"];
};

const open = (state: State): boolean => state.request === "pending" || state.request === "approved";

/** The claim of an execution: the last look at everything, and the only way to an effect. */
const claim = (state: State): State => {
  if (state.request !== "approved" || state.runOver || state.held) return state;
  if (state.vetoed || (state.roleLost && state.decidedBy === "approve")) return { ...state, request: "invalid" };
  return state.stopped ? { ...state, held: true } : { ...state, request: "executed", effects: state.effects + 1 };
};

const act = (state: State, what: Act): Step => {
  switch (what) {
    case "approve":
    case "approve_other":
      return vote(state, what, "approved");
    case "reject":
      return vote(state, what, "rejected");
    case "expire":
      return [state.request === "pending" ? { ...state, request: "expired" } : state, "ok"];
    case "cancel":
      return [{ ...state, runOver: true, request: open(state) ? "cancelled" : state.request }, "ok"];
    case "role_loss":
      return [{ ...state, roleLost: true }, "ok"];
    case "policy_change":
    case "tool_change":
      return [{ ...state, vetoed: true }, "ok"];
    case "source_removal":
      return [{ ...state, vetoed: true, request: open(state) ? "invalid" : state.request }, "ok"];
    case "stop":
      return [{ ...state, stopped: true }, "ok"];
    case "execute":
    case "execute_other":
      return [claim(state), "ok"];
  }
};

/** Every outcome that some order of these acts has, the sweep of what is left included. */
export const outcomes = (start: State, acts: readonly Act[]): readonly Seen[] => {
  const walk = (state: State, left: readonly Act[], answers: Seen["answers"]): Seen[] => {
    if (left.length === 0) {
      const end = claim(state);
      return [{ answers, request: end.request, effects: end.effects }];
    }
    return left.flatMap((what) => {
      const [next, answer] = act(state, what);
      const rest = left.filter((other) => other !== what);
      const told = walk(next, rest, { ...answers, [what]: answer });
      // A run that came to its end by itself cannot be cancelled any more; nothing else changes by that.
      const late =
        what === "cancel" && !open(state) ? walk(state, rest, { ...answers, cancel: "run_not_cancellable" }) : [];
      return [...told, ...late];
    });
  };
  return walk(start, acts, {});
};

const spelt = ({ answers, request, effects }: Seen): string =>
  JSON.stringify([Object.entries(answers).toSorted(([a], [b]) => (a < b ? -1 : 1)), request, effects]);

/** Whether what was seen is an outcome of some order. */
export const isLegal = (start: State, acts: readonly Act[], seen: Seen): boolean =>
  outcomes(start, acts).some((legal) => spelt(legal) === spelt(seen));
