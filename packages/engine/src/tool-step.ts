import { randomUUIDv7 } from "node:crypto";
import type { RequestStatus } from "@aiw/contract/runs";
import type {
  CallUpdate,
  LoadedApproval,
  LoadedCall,
  LoadedRun,
  NewAudit,
  NewEvent,
  NewItem,
  NewRequest,
  Settle,
  StepOutcome,
} from "@aiw/core/runs";
import type { EngineDeps } from "./deps.ts";
import { judge, type Judgement } from "./gate.ts";
import type { Lease } from "./lease.ts";
import { knownTools, type KnownTool } from "./offers.ts";
import { fenced, refusalText } from "./outcomes.ts";
import { runReads } from "./reads.ts";
import { propose } from "./propose.ts";
import { pinSources } from "./sources.ts";
import { approvalAudit, approvalChanged, audited, finishedEvent, updateOf, type Settled } from "./settled.ts";
import { carryOut, recover, type WriteEnd } from "./write.ts";

/** Collects what a tool step brings, and says at the end what the run does next. */
interface Draft {
  readonly settled: Settled[];
  readonly updates: CallUpdate[];
  readonly requests: NewRequest[];
  readonly settles: Settle[];
  readonly events: NewEvent[];
  readonly audit: NewAudit[];
}

/**
 * The open calls of the last turn (RUN-14): recover what was interrupted, judge what is new, answer what was decided, run the
 * reads together, and carry out at most one write, in call order. One commit at the end.
 */
export const toolStep = async (deps: EngineDeps, lease: Lease, loaded: LoadedRun): Promise<StepOutcome> => {
  const { run } = lease;
  const pins = await pinSources(deps, loaded, run, lease.signal);
  const tools = knownTools(deps.connectors, loaded);
  const draft: Draft = { settled: [], updates: [], requests: [], settles: [], events: [], audit: [] };
  const approvalOf = (call: LoadedCall): LoadedApproval | undefined =>
    loaded.approvals.findLast((a) => a.toolCallId === call.id);
  const open = loaded.calls.filter((c) => ["pending", "waiting", "executing", "unknown"].includes(c.status));
  const context = { deps, lease, loaded, tools, pins };

  // What an earlier function left in the middle of a write: asked of the target, never called again (RUN-7).
  const interrupted = open.find((c) => c.status === "executing");
  if (interrupted !== undefined) {
    const approval = approvalOf(interrupted);
    if (approval !== undefined)
      return finish(
        draft,
        loaded,
        pins,
        await recover(context, interrupted, approval),
        interrupted,
        approvalOf,
        open,
        run.step,
      );
  }

  const judged = new Map<LoadedCall, Judgement>();
  for (const call of open.filter((c) => c.status === "pending"))
    judged.set(call, judge(call, loaded, tools, run.startedBy));
  answerRefused(draft, judged);

  const reads = [...judged].flatMap(([call, j]) =>
    j.kind === "allow" && j.tool.row.riskClass === "read" ? [{ call, judgement: j }] : [],
  );
  draft.settled.push(...(await runReads(context, reads, open.length > reads.length)));

  for (const [call, j] of judged) {
    const writes = j.kind === "ask" || (j.kind === "allow" && j.tool.row.riskClass !== "read");
    if (writes) merge(draft, await propose(context, call, j));
  }

  answerDecided(draft, open, approvalOf);
  if (endedBy(loaded) === undefined) cancelDependents(draft, loaded, open, approvalOf);
  else
    cancelAll(
      draft,
      open.filter((c) => !draft.settled.some((s) => s.call === c)),
      approvalOf,
      "The run was ended with a rejection.",
    );
  const end = await nextWrite(context, draft, open, approvalOf);
  return finish(draft, loaded, pins, end.result, end.call, approvalOf, open, run.step);
};

type ApprovalOf = (c: LoadedCall) => LoadedApproval | undefined;

/** Denied and unusable calls get their answer; no request is made for them (POL-2). */
const answerRefused = (draft: Draft, judged: ReadonlyMap<LoadedCall, Judgement>): void => {
  for (const [call, j] of judged) {
    if (j.kind === "deny") {
      draft.settled.push({
        call,
        status: "denied",
        text: refusalText("denied", j.text),
        durationMs: null,
        untrusted: false,
        sourceName: null,
        update: { decision: "deny", ...(j.verdict === null ? {} : { explanation: j.verdict.explanation }) },
        audit: audited(call, "tool.blocked", { code: j.verdict?.explanation.code ?? "not_available" }),
      });
    } else if (j.kind === "unusable") {
      draft.settled.push({
        call,
        status: "failed",
        text: refusalText("failed", j.text),
        durationMs: null,
        untrusted: false,
        sourceName: null,
        update: {},
        audit: audited(call, "tool.bad_arguments", { code: "source" }),
      });
    }
  }
};

/** A person's no, or nobody's answer, becomes the result; a broken write takes the later ones of its turn with it (RUN-14). */
const answerDecided = (draft: Draft, open: readonly LoadedCall[], approvalOf: ApprovalOf): void => {
  for (const call of open.filter((c) => c.status === "waiting")) {
    const approval = approvalOf(call);
    if (approval === undefined) continue;
    const status = approval.status;
    if (status === "rejected") draft.settled.push(answer(call, "rejected", approval.reason ?? ""));
    else if (status === "expired") draft.settled.push(answer(call, "expired", ""));
    else if (status === "cancelled") draft.settled.push(answer(call, "cancelled", "The request was cancelled."));
    else if (status === "invalid") draft.settled.push(answer(call, "invalid", approval.invalidReason ?? "superseded"));
  }
};

const answer = (
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

const statusNow = (draft: Draft, call: LoadedCall): string =>
  draft.settled.find((s) => s.call === call)?.status ??
  draft.updates.find((u) => u.id === call.id)?.status ??
  call.status;

/** Ends the open requests of these calls, with the reason for the model. */
const cancelAll = (draft: Draft, calls: readonly LoadedCall[], approvalOf: ApprovalOf, why: string): void => {
  for (const call of calls) {
    draft.settled.push(answer(call, "cancelled", why));
    const approval = approvalOf(call);
    if (approval === undefined || (approval.status !== "pending" && approval.status !== "approved")) continue;
    draft.settles.push({ id: approval.id, status: "cancelled" });
    draft.events.push(approvalChanged(call, approval, "cancelled"));
    draft.audit.push(approvalAudit(approval, "approval.cancelled", { why }));
  }
};

/** RUN-14: after a write that was not carried out, or whose outcome is not known, the later ones of its turn are cancelled. */
const cancelDependents = (
  draft: Draft,
  loaded: LoadedRun,
  open: readonly LoadedCall[],
  approvalOf: ApprovalOf,
): void => {
  const requests = loaded.calls.filter((c) => approvalOf(c) !== undefined);
  const firstBroken = requests.find((c) => BROKEN.includes(statusNow(draft, c)));
  if (firstBroken === undefined) return;
  const later = open.filter(
    (c) => c.position > firstBroken.position && approvalOf(c) !== undefined && statusNow(draft, c) === "waiting",
  );
  cancelAll(draft, later, approvalOf, "An earlier change of the same turn was not carried out (dependency).");
};

/** The first approved write whose turn it is; later ones wait for earlier ones. */
const nextWrite = async (
  context: ToolStepContext,
  draft: Draft,
  open: readonly LoadedCall[],
  approvalOf: ApprovalOf,
): Promise<{ readonly result: WriteEnd | null; readonly call: LoadedCall | null }> => {
  const first = open.find((c) => approvalOf(c) !== undefined && ["pending", "waiting"].includes(statusNow(draft, c)));
  const approval = first === undefined ? undefined : approvalOf(first);
  if (first === undefined || approval?.status !== "approved") return { result: null, call: null };
  return { result: await carryOut(context, first, approval), call: first };
};

const merge = (draft: Draft, part: Partial<Draft>): void => {
  draft.settled.push(...(part.settled ?? []));
  draft.updates.push(...(part.updates ?? []));
  draft.requests.push(...(part.requests ?? []));
  draft.settles.push(...(part.settles ?? []));
  draft.events.push(...(part.events ?? []));
  draft.audit.push(...(part.audit ?? []));
};

const finish = (
  draft: Draft,
  loaded: LoadedRun,
  pins: StepOutcome["pins"],
  write: WriteEnd | null,
  writeCall: LoadedCall | null,
  approvalOf: ApprovalOf,
  open: readonly LoadedCall[],
  stepNumber: number,
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
    settles: draft.settles,
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
    return { ...base, status: ready ? "queued" : "waiting_approval", outcome: ready ? "calls" : "asked", seen };
  }
  const items = outputs(loaded, doneNow);
  const ended = endedBy(loaded);
  if (ended !== undefined) return endedByPerson(base, items, ended.reason ?? "", stepNumber);
  return { ...base, items, status: "queued", outcome: "answered", toolRounds: 1 };
};

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
const endedBy = (loaded: LoadedRun): LoadedApproval | undefined =>
  loaded.approvals.find((a) => a.endRun && a.status === "rejected" && loaded.calls.some((c) => c.id === a.toolCallId));

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

export type ToolStepContext = {
  readonly deps: EngineDeps;
  readonly lease: Lease;
  readonly loaded: LoadedRun;
  readonly tools: readonly KnownTool[];
  readonly pins: NonNullable<StepOutcome["pins"]>;
};
