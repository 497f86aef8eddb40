import type { LoadedApproval, LoadedCall, LoadedRun, StepOutcome } from "@aiw/core/runs";
import { ASK_USER } from "@aiw/contract/questions";
import { fp } from "@aiw/platform/fault";
import type { EngineDeps } from "./deps.ts";
import { answer, cancelAll, cancelDependents, merge, statusNow, type ApprovalOf, type Draft } from "./draft.ts";
import { askInput, giveAnswer } from "./inputs.ts";
import { isChildCall, startChild, subagentOf, takeChild } from "./children.ts";
import { judge, type Judgement } from "./gate.ts";
import type { Lease } from "./lease.ts";
import { isAllowed, knownTools, type KnownTool } from "./offers.ts";
import { inputOf } from "./own-tools.ts";
import { refusalText } from "./outcomes.ts";
import { runReads } from "./reads.ts";
import { prepareAgain } from "./prepare-again.ts";
import { propose } from "./propose.ts";
import { askUser, takeAnswer } from "./questions.ts";
import { pinSources } from "./sources.ts";
import { audited } from "./settled.ts";
import { endedBy, failedBy, finish } from "./tool-outcome.ts";
import { carryOut, recover } from "./write.ts";
import type { WriteEnd } from "./write-end.ts";

/**
 * The open calls of the last turn (RUN-14): recover what was interrupted, judge what is new, answer what was decided, run the
 * reads together, and carry out at most one write, in call order. One commit at the end.
 */
export const toolStep = async (deps: EngineDeps, lease: Lease, loaded: LoadedRun): Promise<StepOutcome> => {
  const { run } = lease;
  const pins = await pinSources(deps, loaded, run, lease.signal);
  const tools = knownTools(deps.connectors, loaded).filter((t) => isAllowed(run, t));
  const draft: Draft = {
    settled: [],
    updates: [],
    requests: [],
    settles: [],
    events: [],
    audit: [],
    executions: [],
    questions: [],
    children: [],
    unprepared: [],
  };
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
        run,
      );
  }

  const judged = new Map<LoadedCall, Judgement>();
  for (const call of open.filter((c) => c.status === "pending")) {
    const input = inputOf(call.toolId, loaded);
    const subagent = subagentOf(call, deps.subagents ?? []);
    if (call.toolId === ASK_USER) merge(draft, askUser(call));
    else if (subagent !== undefined)
      merge(draft, startChild(call, subagent, run, loaded.children.length + draft.children.length));
    else if (input === undefined) judged.set(call, judge(call, loaded, tools, run));
    else merge(draft, askInput(context, call, input));
  }
  answerRefused(draft, judged);

  const reads = [...judged].flatMap(([call, j]) =>
    j.kind === "allow" && j.tool.row.riskClass === "read" ? [{ call, judgement: j }] : [],
  );
  merge(draft, await runReads(context, reads, open.length > reads.length));

  for (const [call, j] of judged) {
    const writes = j.kind === "ask" || (j.kind === "allow" && j.tool.row.riskClass !== "read");
    if (writes) merge(draft, await propose(context, call, j));
  }

  await answerDecided(context, draft, open, approvalOf);
  const stopped =
    endedBy(loaded) !== undefined
      ? "The run was ended with a rejection."
      : failedBy(loaded, run, approvalOf) === undefined
        ? null
        : "The run failed with a request that was not approved.";
  if (stopped === null) {
    cancelDependents(draft, loaded, open, approvalOf);
    await prepareAsked(context, draft, open, approvalOf);
    cancelDependents(draft, loaded, open, approvalOf);
  } else
    cancelAll(
      draft,
      open.filter((c) => !draft.settled.some((s) => s.call === c)),
      approvalOf,
      stopped,
    );
  const end = await nextWrite(context, draft, open, approvalOf);
  return finish(draft, loaded, pins, end.result, end.call, approvalOf, open, run);
};

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
const answerDecided = async (
  context: ToolStepContext,
  draft: Draft,
  open: readonly LoadedCall[],
  approvalOf: ApprovalOf,
): Promise<void> => {
  for (const call of open.filter((c) => c.status === "waiting")) {
    if (call.toolId === ASK_USER) merge(draft, takeAnswer(call, context.loaded));
    if (isChildCall(call)) merge(draft, takeChild(call, context.loaded));
    const approval = approvalOf(call);
    if (approval === undefined) continue;
    const status = approval.status;
    if (status === "approved" && approval.input !== null) merge(draft, await giveAnswer(context, call, approval));
    else if (status === "rejected") draft.settled.push(answer(call, "rejected", approval.reason ?? ""));
    else if (status === "expired") draft.settled.push(answer(call, "expired", ""));
    else if (status === "cancelled") draft.settled.push(answer(call, "cancelled", "The request was cancelled."));
    else if (status === "invalid") draft.settled.push(answer(call, "invalid", approval.invalidReason ?? "superseded"));
  }
};

/** The open requests that somebody wants prepared anew (APR-19), unless an earlier call of the turn took them with it. */
const prepareAsked = async (
  context: ToolStepContext,
  draft: Draft,
  open: readonly LoadedCall[],
  approvalOf: ApprovalOf,
): Promise<void> => {
  for (const call of open) {
    const approval = approvalOf(call);
    if (approval?.status !== "pending" || !approval.askedAgain || statusNow(draft, call) !== "waiting") continue;
    merge(draft, await fp("again.request", () => prepareAgain(context, call, approval)));
  }
};

/** The first approved write whose turn it is; later ones wait for earlier ones, and all for the stop switch (POL-13). */
const nextWrite = async (
  context: ToolStepContext,
  draft: Draft,
  open: readonly LoadedCall[],
  approvalOf: ApprovalOf,
): Promise<{ readonly result: WriteEnd | null; readonly call: LoadedCall | null }> => {
  const first = open.find((c) => {
    const approval = approvalOf(c);
    return approval !== undefined && approval.input === null && ["pending", "waiting"].includes(statusNow(draft, c));
  });
  const approval = first === undefined ? undefined : approvalOf(first);
  if (first === undefined || approval?.status !== "approved") return { result: null, call: null };
  const end = await carryOut(context, first, approval);
  return end === "held" ? { result: null, call: null } : { result: end, call: first };
};

export type ToolStepContext = {
  readonly deps: EngineDeps;
  readonly lease: Lease;
  readonly loaded: LoadedRun;
  readonly tools: readonly KnownTool[];
  readonly pins: NonNullable<StepOutcome["pins"]>;
};
