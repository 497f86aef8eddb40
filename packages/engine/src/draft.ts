import type {
  CallUpdate,
  LoadedApproval,
  LoadedCall,
  LoadedRun,
  NewAudit,
  NewEvent,
  NewChild,
  NewExecution,
  NewQuestion,
  NewRequest,
  Settle,
  Unprepared,
} from "@aiw/core/runs";
import { refusalText } from "./outcomes.ts";
import { audited, settle, type Settled } from "./settled.ts";

/** Collects what a tool step brings, and says at the end what the run does next. */
export interface Draft {
  readonly settled: Settled[];
  readonly updates: CallUpdate[];
  readonly requests: NewRequest[];
  readonly executions: NewExecution[];
  readonly questions: NewQuestion[];
  readonly children: NewChild[];
  readonly settles: Settle[];
  readonly events: NewEvent[];
  readonly audit: NewAudit[];
  readonly unprepared: Unprepared[];
}

export type ApprovalOf = (c: LoadedCall) => LoadedApproval | undefined;

export const merge = (draft: Draft, part: Partial<Draft>): void => {
  draft.settled.push(...(part.settled ?? []));
  draft.updates.push(...(part.updates ?? []));
  draft.requests.push(...(part.requests ?? []));
  draft.children.push(...(part.children ?? []));
  draft.questions.push(...(part.questions ?? []));
  draft.executions.push(...(part.executions ?? []));
  draft.settles.push(...(part.settles ?? []));
  draft.events.push(...(part.events ?? []));
  draft.audit.push(...(part.audit ?? []));
  draft.unprepared.push(...(part.unprepared ?? []));
};

export const answer = (
  call: LoadedCall,
  status: "rejected" | "expired" | "cancelled" | "invalid",
  detail: string,
): Settled => ({
  call,
  status,
  text: refusalText(status, detail),
  durationMs: null,
  untrusted: false,
  sourceName: null,
  update: {},
  audit: audited(call, `tool.${status}`),
});

/** States of a write after which later writes of the same turn do not run (RUN-14). */
const BROKEN: readonly string[] = ["rejected", "expired", "cancelled", "invalid", "failed", "denied", "unknown"];

export const statusNow = (draft: Draft, call: LoadedCall): string =>
  draft.settled.find((s) => s.call === call)?.status ??
  draft.updates.find((u) => u.id === call.id)?.status ??
  call.status;

/** Ends the open requests of these calls, with the reason for the model. */
export const cancelAll = (draft: Draft, calls: readonly LoadedCall[], approvalOf: ApprovalOf, why: string): void => {
  for (const call of calls) {
    draft.settled.push(answer(call, "cancelled", why));
    const approval = approvalOf(call);
    if (approval === undefined || (approval.status !== "pending" && approval.status !== "approved")) continue;
    draft.settles.push(settle(call, approval, "cancelled", { event: "approval.cancelled", data: { why } }));
  }
};

/** RUN-14: after a write that was not carried out, or whose outcome is not known, the later ones of its turn are cancelled. */
export const cancelDependents = (
  draft: Draft,
  loaded: LoadedRun,
  open: readonly LoadedCall[],
  approvalOf: ApprovalOf,
): void => {
  // An input changes nothing: that nobody gave one keeps no write from its turn.
  const isWrite = (c: LoadedCall): boolean => approvalOf(c)?.input === null;
  const requests = loaded.calls.filter(isWrite);
  const firstBroken = requests.find((c) => BROKEN.includes(statusNow(draft, c)));
  if (firstBroken === undefined) return;
  const later = open.filter(
    (c) => c.position > firstBroken.position && isWrite(c) && statusNow(draft, c) === "waiting",
  );
  cancelAll(draft, later, approvalOf, "An earlier change of the same turn was not carried out (dependency).");
};
