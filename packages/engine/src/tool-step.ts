import { randomUUID } from "node:crypto";
import type { RequestStatus } from "@aiw/contract/runs";
import type { CallUpdate, LoadedApproval, LoadedCall, LoadedRun, NewAudit, NewEvent, NewItem, NewRequest, Settle, StepOutcome } from "@aiw/core/runs";
import type { EngineDeps } from "./deps.ts";
import { judge, type Judgement } from "./gate.ts";
import type { Lease } from "./lease.ts";
import { knownTools, type KnownTool } from "./offers.ts";
import { fenced, refusalText } from "./outcomes.ts";
import { runReads } from "./reads.ts";
import { propose } from "./propose.ts";
import { pinSources } from "./sources.ts";
import { audited, finishedEvent, updateOf, type Settled } from "./settled.ts";
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
  const approvalOf = (call: LoadedCall): LoadedApproval | undefined => loaded.approvals.findLast((a) => a.toolCallId === call.id);
  const open = loaded.calls.filter((c) => ["pending", "waiting", "executing", "unknown"].includes(c.status));
  const context = { deps, lease, loaded, tools, pins };

  // What an earlier function left in the middle of a write: asked of the target, never called again (RUN-7).
  const interrupted = open.find((c) => c.status === "executing");
  if (interrupted !== undefined) {
    const approval = approvalOf(interrupted);
    if (approval !== undefined) return finish(draft, loaded, pins, await recover(context, interrupted, approval), interrupted, approvalOf, open);
  }

  const judged = new Map<LoadedCall, Judgement>();
  for (const call of open.filter((c) => c.status === "pending")) judged.set(call, judge(call, loaded, tools, run.startedBy));
  answerRefused(draft, judged);

  const reads = [...judged].flatMap(([call, j]) => (j.kind === "allow" && j.tool.row.riskClass === "read" ? [{ call, judgement: j }] : []));
  draft.settled.push(...(await runReads(context, reads, open.length > reads.length)));

  for (const [call, j] of judged) {
    const writes = j.kind === "ask" || (j.kind === "allow" && j.tool.row.riskClass !== "read");
    if (writes) merge(draft, await propose(context, call, j));
  }

  answerDecided(draft, open, approvalOf);
  const end = await nextWrite(context, draft, open, approvalOf);
  return finish(draft, loaded, pins, end.result, end.call, approvalOf, open);
};

/** Denied and unusable calls get their answer; no request is made for them (POL-2). */
const answerRefused = (draft: Draft, judged: ReadonlyMap<LoadedCall, Judgement>): void => {
  for (const [call, j] of judged) {
    if (j.kind === "deny") {
      draft.settled.push({
        call, status: "denied", text: refusalText("denied", j.text), durationMs: null, untrusted: false, sourceName: null,
        update: { decision: "deny", ...(j.verdict === null ? {} : { explanation: j.verdict.explanation }) },
        audit: audited(call, "tool.blocked", { code: j.verdict?.explanation.code ?? "not_available" }),
      });
    } else if (j.kind === "unusable") {
      draft.settled.push({ call, status: "failed", text: refusalText("failed", j.text), durationMs: null, untrusted: false, sourceName: null, update: {}, audit: audited(call, "tool.bad_arguments", { code: "source" }) });
    }
  }
};

/** A person's no, or nobody's answer, becomes the result; a broken write takes the later ones of its turn with it (RUN-14). */
const answerDecided = (draft: Draft, open: readonly LoadedCall[], approvalOf: (c: LoadedCall) => LoadedApproval | undefined): void => {
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

const answer = (call: LoadedCall, status: "rejected" | "expired" | "cancelled" | "invalid", detail: string): Settled => ({
  call, status, text: refusalText(status, detail), durationMs: null, untrusted: false, sourceName: null, update: {}, audit: audited(call, `tool.${status}`),
});

/** States of a write after which later writes of the same turn do not run (RUN-14). */
const BROKEN: readonly string[] = ["rejected", "expired", "cancelled", "invalid", "failed", "denied", "unknown"];

/** The first approved write whose turn it is. Later ones wait for earlier ones; after a broken one they are cancelled. */
const nextWrite = async (
  context: Parameters<typeof carryOut>[0],
  draft: Draft,
  open: readonly LoadedCall[],
  approvalOf: (c: LoadedCall) => LoadedApproval | undefined,
): Promise<{ readonly result: WriteEnd | null; readonly call: LoadedCall | null }> => {
  const all = context.loaded.calls;
  for (const call of open.filter((c) => c.status === "waiting")) {
    const approval = approvalOf(call);
    if (approval === undefined || draft.settled.some((s) => s.call === call)) continue;
    const earlier = all.filter((c) => c.position < call.position && approvalOf(c) !== undefined);
    const broken = earlier.some((c) => BROKEN.includes(draft.settled.find((s) => s.call === c)?.status ?? c.status));
    if (broken) {
      draft.settles.push({ id: approval.id, status: "cancelled" });
      draft.settled.push(answer(call, "cancelled", "An earlier change of the same turn was not carried out (dependency)."));
      draft.events.push({ type: "approval.changed", data: { callId: call.callId, toolCallId: call.id, approvalId: approval.id, status: "cancelled" } });
      continue;
    }
    const waiting = earlier.some((c) => ["pending", "waiting", "executing"].includes(c.status) && !draft.settled.some((s) => s.call === c));
    if (approval.status !== "approved" || waiting) continue;
    return { result: await carryOut(context, call, approval), call };
  }
  return { result: null, call: null };
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
  approvalOf: (c: LoadedCall) => LoadedApproval | undefined,
  open: readonly LoadedCall[],
): StepOutcome => {
  if (write !== null && writeCall !== null) merge(draft, write);
  const doneNow = new Map(draft.settled.map((s) => [s.call.id, s]));
  const rest = open.filter((c) => !doneNow.has(c.id) && !(write?.unknown === true && c === writeCall));
  const base = {
    callUpdates: [...draft.updates, ...draft.settled.map(updateOf)],
    requests: draft.requests,
    settles: draft.settles,
    // Requests exist before the events that speak of them; results come in call order.
    events: [...draft.events, ...[...draft.settled].toSorted((a, b) => a.call.position - b.call.position).map(finishedEvent)],
    audit: [...draft.audit, ...draft.settled.map((s) => s.audit)],
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
  const items = outputs(loaded.calls, doneNow);
  const ended = loaded.approvals.find((a) => a.endRun && a.status === "rejected" && doneNow.has(a.toolCallId));
  if (ended !== undefined) return endedByPerson(base, items, ended.reason ?? "");
  return { ...base, items, status: "queued", outcome: "answered", toolRounds: 1 };
};

/** Every call of the turn gets its one output, in call order (RUN-14, I10). */
const outputs = (calls: readonly LoadedCall[], doneNow: ReadonlyMap<string, Settled>): NewItem[] =>
  calls.map((call) => {
    const now = doneNow.get(call.id);
    const text = now?.text ?? call.result ?? "";
    const trusted = now === undefined ? call.status !== "executed" : !now.untrusted;
    const output = trusted ? text : fenced(call.toolId ?? call.wireName, now?.sourceName ?? null, text);
    return { kind: "function_call_output", callId: call.callId, data: JSON.stringify({ type: "function_call_output", call_id: call.callId, output }) };
  });

/** APR-6: the approver chose to reject and end the run. */
const endedByPerson = (base: Partial<StepOutcome>, items: NewItem[], reason: string): StepOutcome => {
  const text = `The run was ended with the rejection. Reason: ${reason}`;
  const id = randomUUID();
  return {
    ...base,
    items: [...items, { kind: "assistant", data: JSON.stringify({ type: "message", role: "assistant", content: text }) }],
    events: [...(base.events ?? []), { type: "message.completed", data: { step: 0, text, final: true, messageId: id } }],
    message: { id, text },
    status: "completed",
    endReason: "rejected",
    outcome: "rejected",
    toolRounds: 1,
  };
};

export type ToolStepContext = { readonly deps: EngineDeps; readonly lease: Lease; readonly loaded: LoadedRun; readonly tools: readonly KnownTool[]; readonly pins: NonNullable<StepOutcome["pins"]> };
