import { LeaseLost, type CallUpdate, type LoadedApproval, type LoadedCall, type Settle } from "@aiw/core/runs";
import type { ProbeOutcome, ToolResult, WriteOutcome } from "@aiw/connectors/connector";
import * as approvals from "@aiw/core/approvals";
import type { InvalidReason } from "@aiw/contract/runs";
import type { JsonObject } from "@aiw/contract/tools";
import { withActor } from "@aiw/platform/ctx";
import { fp } from "@aiw/platform/fault";
import { authoriseClaimed, isIntact, mayStillRun } from "./gate.ts";
import { mayProbe } from "./offers.ts";
import { refusalText } from "./outcomes.ts";
import { hasForm } from "./propose.ts";
import { audited, settle, type Settled } from "./settled.ts";
import { contextFor } from "./sources.ts";
import type { ToolStepContext } from "./tool-step.ts";

/** How a write ended, as a part of the step's outcome. `unknown`: nobody may call it again before a person decided (RUN-7). */
export interface WriteEnd {
  readonly settled: Settled[];
  readonly settles: Settle[];
  readonly updates: CallUpdate[];
  readonly unknown: boolean;
}

/**
 * The write protocol (spec 70 section 2) for one approved request: preconditions at the target, then T1 (everything else
 * again, in one transaction, and the committed intent), then the call with the frozen bytes, then its outcome, which the
 * step's own commit (T2) writes. Nothing that happens after approval can do more than veto. "held": writes are stopped
 * (POL-13); the run waits with its request approved, and nothing was done.
 */
export const carryOut = async (
  context: ToolStepContext,
  call: LoadedCall,
  approval: LoadedApproval,
): Promise<WriteEnd | "held"> => {
  const { deps, lease, loaded, tools, pins } = context;
  const { run } = lease;
  const tool = tools.find((t) => t.row.id === call.toolId);
  const source = loaded.sources.find((s) => s.id === call.sourceId);
  if (tool === undefined || source === undefined)
    return invalid(call, approval, "superseded", "The tool or its source is not available any more.");

  const timeoutS = deps.limits.pushS;
  const facts = await fp("tool.facts", () => approvals.frozen(deps.db, run.workspaceId, approval.id));
  // Before anything of it is read: a changed row must not even choose what is said about it (N31).
  if (!isIntact(facts, run.workspaceId, run.id)) return invalid(call, approval, "tampered", WHY.tampered);
  const recheck = await fp("tool.recheck", async () =>
    hasForm(tool)
      ? tool.connector.recheck(
          facts.form,
          JSON.parse(facts.preconditions) as JsonObject,
          await contextFor(deps, run, source, pins, lease.signal, deps.limits.toolCallS, tool.served?.stored),
        )
      : { ok: true as const },
  ).catch((error: unknown) => {
    // The target cannot be looked at: a later attempt may; the last one gives the request up instead of running unchecked.
    if (lease.signal.aborted || run.attempt < deps.limits.stepAttempts) throw error;
    return { ok: false as const, reason: "stale" as const, text: "The target could not be checked." };
  });
  if (!recheck.ok) return invalid(call, approval, recheck.reason, recheck.text);

  const ctx = {
    actor: { kind: "agent" as const, runId: run.id, workspaceId: run.workspaceId, fence: run.fence },
    db: deps.db,
    log: deps.log,
    requestId: run.id,
  };
  const claim = await fp("tool.claim", () =>
    approvals.claimExecution(withActor(ctx, ctx.actor), { approvalId: approval.id, callTimeoutS: timeoutS }, (f) =>
      mayStillRun(f, run.workspaceId, run.id, tool, tools),
    ),
  );
  if (claim.kind === "gone") return { settled: [], settles: [], updates: [], unknown: false };
  if (claim.kind === "held") return "held";
  if (claim.kind === "invalid") return invalid(call, approval, claim.reason, WHY[claim.reason]);

  // From here on only the call's own time limit may end it: a cancel never cuts a write in half (RUN-8).
  const authorised = authoriseClaimed(claim.facts, claim.idempotencyKey);
  const started = performance.now();
  const outcome = await fp("tool.call", async () => {
    const callContext = await contextFor(
      deps,
      run,
      source,
      pins,
      new AbortController().signal,
      timeoutS,
      tool.served?.stored,
    );
    // A process that was stopped since the claim may have lost the run meanwhile: the last look before the call (F20).
    await fp("tool.look", () => lease.confirm());
    if (!hasForm(tool)) return asWrite(fp("tool.ask", () => tool.connector.read(authorised, callContext)));
    const written = await fp("tool.write", () => tool.connector.write(authorised, callContext));
    return tool.row.riskClass === "read" ? withoutEffect(written) : written;
  }).catch((error: unknown): WriteOutcome => {
    if (error instanceof LeaseLost) throw error;
    deps.log.error("a write ended with an error", {
      runId: run.id,
      workspaceId: run.workspaceId,
      approvalId: approval.id,
      error,
    });
    return { kind: "unknown", text: "The call ended with an error; whether it took effect is not known." };
  });
  const durationMs = Math.round(performance.now() - started);
  if (outcome.kind === "executed")
    return executed(call, approval, claim.facts.snapshotHash, outcome.result, false, durationMs, source.name);
  if (outcome.kind === "refused") {
    return outcome.invalid === undefined
      ? failed(call, approval, outcome.result.text, durationMs, source.name)
      : invalid(call, approval, outcome.invalid, outcome.result.text);
  }
  // The target may have acted. Ask it once, now; only a clear "yes" settles the matter (RUN-7).
  return settleByProbe(
    context,
    call,
    approval,
    claim.facts.snapshotHash,
    outcome.text,
    () =>
      fp("tool.probe", async () =>
        tool.connector.probe(
          authorised,
          await contextFor(
            deps,
            run,
            source,
            pins,
            new AbortController().signal,
            deps.limits.toolCallS,
            tool.served?.stored,
          ),
        ),
      ),
    !mayProbe(tool, tools),
    source.name,
  );
};

/** A write another function was interrupted in: its lease is dead, so the call cannot run any more; the target is asked. */
export const recover = async (
  context: ToolStepContext,
  call: LoadedCall,
  approval: LoadedApproval,
): Promise<WriteEnd> => {
  const { deps, lease, loaded, tools, pins } = context;
  const tool = tools.find((t) => t.row.id === call.toolId);
  const source = loaded.sources.find((s) => s.id === call.sourceId);
  const facts = await fp("recover.facts", () => approvals.frozen(deps.db, lease.run.workspaceId, approval.id));
  if (tool === undefined || source === undefined)
    return unknown(call, approval, "The write was interrupted and its source is not available to ask.");
  const probe = (): Promise<ProbeOutcome> =>
    fp("recover.probe", async () =>
      tool.connector.probe(
        authoriseClaimed(facts, `aiw_${approval.id}`),
        await contextFor(
          deps,
          lease.run,
          source,
          pins,
          new AbortController().signal,
          deps.limits.toolCallS,
          tool.served?.stored,
        ),
      ),
    );
  return settleByProbe(
    context,
    call,
    approval,
    facts.snapshotHash,
    "The step was interrupted during the write.",
    probe,
    !mayProbe(tool, tools),
    source.name,
  );
};

const settleByProbe = async (
  { deps, lease }: ToolStepContext,
  call: LoadedCall,
  approval: LoadedApproval,
  hash: string,
  why: string,
  probe: () => Promise<ProbeOutcome>,
  humanOnly: boolean,
  sourceName: string,
): Promise<WriteEnd> => {
  if (humanOnly) return unknown(call, approval, why);
  const found = await probe().catch((error: unknown): ProbeOutcome => {
    deps.log.warn("a probe failed", { runId: lease.run.id, approvalId: approval.id, error });
    return { kind: "cannot_tell", text: "The target could not be asked." };
  });
  if (found.kind === "applied") return executed(call, approval, hash, found.result, true, null, sourceName);
  return unknown(call, approval, `${why} ${found.text}`);
};

const asWrite = async (read: Promise<ToolResult>): Promise<WriteOutcome> => ({ kind: "executed", result: await read });

/** A call that a person classified as reading changes nothing, so one without an answer has failed and is no riddle. */
const withoutEffect = (outcome: WriteOutcome): WriteOutcome =>
  outcome.kind === "unknown"
    ? { kind: "refused", result: { ok: false, text: outcome.text, truncated: false } }
    : outcome;

const WHY: Readonly<Record<InvalidReason, string>> = {
  stale: "The target changed since the proposal.",
  superseded: "Rights, rules, tool or source changed since the request was made.",
  lapsed: "The time to execute after the approval is over.",
  upgraded: "The platform no longer executes this form of the proposal.",
  tampered: "The stored request does not match its hash.",
};

const executed = (
  call: LoadedCall,
  approval: LoadedApproval,
  hash: string,
  result: ToolResult,
  reconciled: boolean,
  durationMs: number | null,
  sourceName: string,
): WriteEnd => ({
  settled: [
    {
      call,
      status: "executed",
      text: result.text,
      durationMs,
      untrusted: true,
      sourceName,
      update: {},
      audit: audited(call, "tool.executed", { approval: approval.id, reconciled }),
    },
  ],
  settles: [
    settle(
      call,
      approval,
      "executed",
      { event: "approval.executed", data: { hash, reconciled, facts: result.facts ?? {} } },
      {
        result: result.text,
        executedHash: hash,
        reconciled,
        ...(result.facts === undefined ? {} : { facts: result.facts }),
      },
    ),
  ],
  updates: [],
  unknown: false,
});

const failed = (
  call: LoadedCall,
  approval: LoadedApproval,
  text: string,
  durationMs: number,
  sourceName: string,
): WriteEnd => ({
  settled: [
    {
      call,
      status: "failed",
      text: refusalText("failed", text),
      durationMs,
      untrusted: true,
      sourceName,
      update: {},
      audit: audited(call, "tool.failed", { approval: approval.id }),
    },
  ],
  settles: [settle(call, approval, "failed", { event: "approval.failed", data: {} }, { result: text })],
  updates: [],
  unknown: false,
});

const invalid = (call: LoadedCall, approval: LoadedApproval, reason: InvalidReason, text: string): WriteEnd => ({
  settled: [
    {
      call,
      status: "invalid",
      text: refusalText("invalid", text),
      durationMs: null,
      untrusted: false,
      sourceName: null,
      update: {},
      audit: audited(call, "tool.invalid", { approval: approval.id, reason }),
    },
  ],
  settles: [
    settle(
      call,
      approval,
      "invalid",
      { event: reason === "tampered" ? "approval.tampered" : "approval.invalid", data: { reason } },
      { invalidReason: reason, result: text },
    ),
  ],
  updates: [],
  unknown: false,
});

const unknown = (call: LoadedCall, approval: LoadedApproval, text: string): WriteEnd => ({
  settled: [],
  settles: [settle(call, approval, "unknown", { event: "approval.unknown", data: { text } }, { result: text })],
  updates: [{ id: call.id, status: "unknown", result: text }],
  unknown: true,
});
