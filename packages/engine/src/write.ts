import { LeaseLost, type LoadedApproval, type LoadedCall } from "@aiw/core/runs";
import type { ProbeOutcome, ToolResult, WriteOutcome } from "@aiw/connectors/connector";
import * as approvals from "@aiw/core/approvals";
import type { JsonObject } from "@aiw/contract/tools";
import { withActor } from "@aiw/platform/ctx";
import { fp } from "@aiw/platform/fault";
import { isPresentSnapshot } from "@aiw/policy/freeze";
import { authoriseClaimed, isIntact, mayStillRun } from "./gate.ts";
import { calledTool } from "./observe.ts";
import { mayProbe } from "./offers.ts";
import { hasForm } from "./propose.ts";
import { contextFor } from "./sources.ts";
import type { ToolStepContext } from "./tool-step.ts";
import { executed, failed, invalid, type Receipt, receiptOf, unknown, WHY, type WriteEnd } from "./write-end.ts";

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

  const timeoutS = tool.connector.pushes === true ? deps.limits.pushS : deps.limits.toolCallS;
  const facts = await fp("tool.facts", () => approvals.frozen(deps.db, run.workspaceId, approval.id, deps.vault));
  // Before anything of it is read: a changed row must not even choose what is said about it (N31).
  if (facts.snapshotIntact && !isPresentSnapshot(facts.snapshot))
    return invalid(call, approval, "upgraded", WHY.upgraded);
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
    approvals.claimExecution(
      withActor(ctx, ctx.actor),
      { approvalId: approval.id, callTimeoutS: timeoutS, vault: deps.vault },
      (f) => mayStillRun(f, run.workspaceId, run.id, tool, tools),
    ),
  );
  if (claim.kind === "gone") return { settled: [], settles: [], updates: [], unknown: false };
  if (claim.kind === "held") return "held";
  if (claim.kind === "invalid") return invalid(call, approval, claim.reason, WHY[claim.reason]);

  // From here on only the call's own time limit may end it: a cancel never cuts a write in half (RUN-8).
  const authorised = authoriseClaimed(claim.facts, claim.idempotencyKey);
  const receipt = receiptOf(claim.facts, authorised, run);
  const started = performance.now();
  const write = async (): Promise<WriteOutcome> => {
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
    await fp("tool.look", () => lease.confirm(timeoutS));
    if (!hasForm(tool)) return asWrite(fp("tool.ask", () => tool.connector.read(authorised, callContext)));
    const written = await fp("tool.write", () => tool.connector.write(authorised, callContext));
    return tool.row.riskClass === "read" ? withoutEffect(written) : written;
  };
  const named = { call, toolId: tool.row.id, approvalId: approval.id };
  const outcome = await fp("tool.call", () => calledTool(deps, named, ({ kind }) => kind, write)).catch(
    (error: unknown): WriteOutcome => {
      if (error instanceof LeaseLost) throw error;
      deps.log.error("a write ended with an error", {
        runId: run.id,
        workspaceId: run.workspaceId,
        approvalId: approval.id,
        error,
      });
      return { kind: "unknown", text: "The call ended with an error; whether it took effect is not known." };
    },
  );
  const durationMs = Math.round(performance.now() - started);
  if (outcome.kind === "executed")
    return executed(call, approval, receipt, outcome.result, false, durationMs, source.name);
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
    receipt,
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
  const facts = await fp("recover.facts", () =>
    approvals.frozen(deps.db, lease.run.workspaceId, approval.id, deps.vault),
  );
  if (tool === undefined || source === undefined)
    return unknown(call, approval, "The write was interrupted and its source is not available to ask.");
  const authorised = authoriseClaimed(facts, `aiw_${approval.id}`);
  const probe = (): Promise<ProbeOutcome> =>
    fp("recover.probe", async () =>
      tool.connector.probe(
        authorised,
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
    receiptOf(facts, authorised, lease.run),
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
  receipt: Receipt,
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
  if (found.kind === "applied") return executed(call, approval, receipt, found.result, true, null, sourceName);
  return unknown(call, approval, `${why} ${found.text}`);
};

const asWrite = async (read: Promise<ToolResult>): Promise<WriteOutcome> => ({ kind: "executed", result: await read });

/** A call that a person classified as reading changes nothing, so one without an answer has failed and is no riddle. */
const withoutEffect = (outcome: WriteOutcome): WriteOutcome =>
  outcome.kind === "unknown"
    ? { kind: "refused", result: { ok: false, text: outcome.text, truncated: false } }
    : outcome;
