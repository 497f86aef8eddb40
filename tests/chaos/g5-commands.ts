import { REQUEST_TRANSITIONS, RUN_TRANSITIONS, type RequestStatus, type RunStatus } from "@aiw/contract/runs";
import fc from "fast-check";
import { cancel, decide, deliver, isOver, reconcile, tick, type Death, type Model } from "./model.ts";

/** One thing that happens to a run; the same for the model and for the real thing. */
export type Command =
  | { readonly kind: "deliver"; readonly death: Death }
  | { readonly kind: "decide"; readonly vote: "approved" | "rejected" }
  | { readonly kind: "cancel" | "revoke" | "changePolicy" | "changeTool" | "duplicate" }
  | { readonly kind: "reconcile"; readonly outcome: "retry" | "end" }
  | { readonly kind: "tick"; readonly seconds: number };

const deaths: readonly Death[] = [
  "none",
  "none",
  "none",
  "claim",
  "write:before",
  "write:after",
  "commit:before",
  "commit:after",
];

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...deaths).map((death): Command => ({ kind: "deliver", death })) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom("approved", "approved", "rejected")
      .map((vote): Command => ({ kind: "decide", vote: vote as "approved" })),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(20, 4000, 4000, 90_000).map((seconds): Command => ({ kind: "tick", seconds })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("cancel", "revoke", "changePolicy", "changeTool", "duplicate")
      .map((kind): Command => ({ kind: kind as "cancel" })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("retry", "end")
      .map((outcome): Command => ({ kind: "reconcile", outcome: outcome as "retry" })),
  },
);

export const sequence = (maxLength: number): fc.Arbitrary<Command[]> =>
  fc.array(command, { minLength: 1, maxLength, size: "max" });

/** Plays a command on the model. False: a person was refused, and nothing changed. */
export const apply = (m: Model, c: Command): boolean => {
  switch (c.kind) {
    case "deliver":
      deliver(m, c.death);
      return true;
    case "duplicate":
      // A second message for a run that is at work, or has nothing to do, is dropped.
      if (m.run !== "queued") deliver(m, "none");
      return true;
    case "decide":
      return decide(m, c.vote);
    case "cancel":
      return cancel(m);
    case "reconcile":
      // Who looked at the target says what is true.
      return reconcile(m, m.acted ? "happened" : c.outcome);
    case "revoke":
      m.deciderGone = true;
      return true;
    case "changePolicy":
      m.forbidden = true;
      return true;
    case "changeTool":
      m.toolChanged = true;
      return true;
    case "tick":
      tick(m, c.seconds);
      return true;
  }
};

/** Lets everything that is still open come to its end, as the world outside does in time. */
export const drain = (play: (c: Command) => void, m: Readonly<Model>): void => {
  for (let n = 0; n < 40 && !isOver(m); n += 1) {
    if (m.run === "queued") play({ kind: "deliver", death: "none" });
    else if (m.run === "needs_reconciliation") play({ kind: "reconcile", outcome: "end" });
    else play({ kind: "tick", seconds: m.run === "running" ? 4000 : 90_000 });
  }
};

/** Every change of state is in the product's tables, and what must never be true never is. */
export const faultsOf = (m: Readonly<Model>): string[] => {
  const wrong = m.told.flatMap((change) => {
    const [what, from, to] = change.split(" ");
    const table: Readonly<Record<string, readonly string[]>> = what === "run" ? RUN_TRANSITIONS : REQUEST_TRANSITIONS;
    return (table[from ?? ""] ?? []).includes(to ?? "") ? [] : [`I5 ${change} is in no table`];
  });
  if (m.effects > 1) wrong.push(`I1 ${m.effects} effects`);
  if (m.request === "executed" && m.effects !== 1) wrong.push(`I1 executed with ${m.effects} effects`);
  if (["rejected", "expired", "cancelled", "invalid"].includes(m.request) && m.effects > 0)
    wrong.push(`I1 ${m.request}, but it acted`);
  if (!isOver(m)) wrong.push(`I3 left as ${m.run}, ${m.request}`);
  return wrong;
};

/** The states the tables do not lead to from here: each must be refused by the database. */
export const illegal = (run: RunStatus): readonly RunStatus[] =>
  (Object.keys(RUN_TRANSITIONS) as RunStatus[]).filter((to) => to !== run && !RUN_TRANSITIONS[run].includes(to));
export const illegalRequest = (request: RequestStatus): readonly RequestStatus[] =>
  (Object.keys(REQUEST_TRANSITIONS) as RequestStatus[]).filter(
    (to) => to !== request && !REQUEST_TRANSITIONS[request].includes(to),
  );
