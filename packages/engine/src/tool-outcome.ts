import { randomUUIDv7 } from "node:crypto";
import { ASK_USER } from "@aiw/contract/questions";
import type { RequestStatus } from "@aiw/contract/runs";
import type { ClaimedRun, LoadedApproval, LoadedCall, LoadedRun, NewItem, StepOutcome } from "@aiw/core/runs";
import { CHILD_LOOK_MS, isChildCall } from "./children.ts";
import { cancelDependents, merge, type ApprovalOf, type Draft } from "./draft.ts";
import { fenced } from "./outcomes.ts";
import { finishedEvent, updateOf, type Settled } from "./settled.ts";
import type { WriteEnd } from "./write-end.ts";

/** What a tool step brings and what its run does next: go on, wait, or end. `write`: the one write of this step. */
export const finish = (
  draft: Draft,
  loaded: LoadedRun,
  pins: StepOutcome["pins"],
  write: WriteEnd | null,
  writeCall: LoadedCall | null,
  approvalOf: ApprovalOf,
  open: readonly LoadedCall[],
  run: ClaimedRun,
): StepOutcome => {
  if (write !== null && writeCall !== null) {
    merge(draft, write);
    cancelDependents(draft, loaded, open, approvalOf);
  }
  const doneNow = new Map(draft.settled.map((s) => [s.call.id, s]));
  const rest = open.filter((c) => !doneNow.has(c.id) && !(write?.unknown === true && c === writeCall));
  const fresh = draft.settled.filter((s) => s.kept !== true);
  const base = {
    callUpdates: [...draft.updates, ...fresh.map(updateOf)],
    requests: draft.requests,
    executions: draft.executions,
    questions: draft.questions,
    children: draft.children,
    settles: draft.settles,
    unprepared: draft.unprepared,
    // Requests exist before the events that speak of them; results come in call order.
    events: [...draft.events, ...fresh.toSorted((a, b) => a.call.position - b.call.position).map(finishedEvent)],
    audit: [...draft.audit, ...fresh.map((s) => s.audit)],
    ...(pins === undefined ? {} : { pins }),
  };
  if (write?.unknown === true) return { ...base, status: "needs_reconciliation", outcome: "unknown" };
  if (rest.length > 0) {
    const seen: Record<string, RequestStatus> = {};
    for (const a of loaded.approvals) seen[a.id] = a.status;
    // Something can go on at once after a write was carried out, or when a policy-allowed request was just made.
    const ready = write !== null || draft.requests.some((r) => r.allowedByPolicy);
    const asking = rest.filter((c) => !isChildCall(c));
    // What works for this run is no person: it sleeps, holds no slot, and the end of a child wakes it (F75).
    if (!ready && asking.length === 0)
      return { ...base, status: "queued", outcome: "children", seen, wakeAfterMs: CHILD_LOOK_MS };
    const waiting = asking.every((c) => isInput(c, draft, approvalOf)) ? "waiting_input" : "waiting_approval";
    return { ...base, status: ready ? "queued" : waiting, outcome: ready ? "calls" : "asked", seen };
  }
  const items = outputs(loaded, doneNow);
  // A staged call has no model that reads the outcome here: the chat is told (`run_ended_v1`).
  if (run.lane === "execution")
    return { ...base, items, status: "completed", endReason: "settled", outcome: "settled" };
  const ended = endedBy(loaded);
  if (ended !== undefined) return endedByPerson(base, items, ended.reason ?? "", run.step);
  const failed = failedBy(loaded, run, approvalOf);
  if (failed !== undefined) return { ...base, items, ...failure(failed), status: "failed", toolRounds: 1 };
  return { ...base, items, status: "queued", outcome: "answered", toolRounds: 1 };
};

/** Whether a call waits for a person's text and not for a decision (APR-9): asked for before, or in this step. */
const isInput = (call: LoadedCall, draft: Draft, approvalOf: ApprovalOf): boolean =>
  call.toolId === ASK_USER ||
  (approvalOf(call)?.input ?? null) !== null ||
  draft.requests.some((r) => r.toolCallId === call.id && r.responseLabel !== undefined);

/** Every call of the turn gets its one output, in call order (RUN-14, I10). */
const outputs = (loaded: LoadedRun, doneNow: ReadonlyMap<string, Settled>): NewItem[] =>
  loaded.calls.map((call) => {
    const now = doneNow.get(call.id);
    const text = now?.text ?? call.result ?? "";
    // What was kept earlier: only a call that reached a source brought words of a tool (as `call_output_v1`).
    const untrusted = now?.untrusted ?? (call.sourceId !== null && ["executed", "failed"].includes(call.status));
    const source = now?.sourceName ?? loaded.sources.find((s) => s.id === call.sourceId)?.name ?? null;
    const output = untrusted ? fenced(call.toolId ?? call.wireName, source, text) : text;
    return {
      kind: "function_call_output",
      callId: call.callId,
      data: JSON.stringify({ type: "function_call_output", call_id: call.callId, output }),
    };
  });

/** APR-6: a request of this turn that its approver rejected together with the run. */
export const endedBy = (loaded: LoadedRun): LoadedApproval | undefined =>
  loaded.approvals.find((a) => a.endRun && a.status === "rejected" && loaded.calls.some((c) => c.id === a.toolCallId));

/** APR-6: with `on_rejection: fail` the first request of this turn that nobody approved ends the run with an error. */
export const failedBy = (
  loaded: LoadedRun,
  run: Pick<ClaimedRun, "lane">,
  approvalOf: ApprovalOf,
): LoadedApproval | undefined =>
  loaded.agent.onRejection === "continue" || run.lane === "execution"
    ? undefined
    : loaded.calls
        .flatMap((call) => approvalOf(call) ?? [])
        .find((a) => a.status === "rejected" || a.status === "expired");

const failure = (approval: LoadedApproval): Pick<StepOutcome, "outcome" | "errorCode" | "errorText"> =>
  approval.status === "expired"
    ? { outcome: "expired", errorCode: "request_expired", errorText: "Nobody decided the request in time." }
    : {
        outcome: "rejected",
        errorCode: "request_rejected",
        errorText: `A person rejected the request. Reason: ${approval.reason ?? ""}`,
      };

const endedByPerson = (
  base: Partial<StepOutcome>,
  items: NewItem[],
  reason: string,
  stepNumber: number,
): StepOutcome => {
  const text = `The run was ended with the rejection. Reason: ${reason}`;
  const id = randomUUIDv7();
  return {
    ...base,
    items: [
      ...items,
      { kind: "assistant", data: JSON.stringify({ type: "message", role: "assistant", content: text }) },
    ],
    events: [
      ...(base.events ?? []),
      { type: "message.completed", data: { step: stepNumber, text, final: true, messageId: id } },
    ],
    message: { id, text },
    status: "completed",
    endReason: "rejected",
    outcome: "rejected",
    toolRounds: 1,
  };
};
