import { finishCall, type LoadedCall } from "@aiw/core/runs";
import { fp } from "@aiw/platform/fault";
import { allSettled } from "./all-settled.ts";
import { authoriseRead, type Judgement } from "./gate.ts";
import { refusalText } from "./outcomes.ts";
import { audited, finishedEvent, updateOf, type Settled } from "./settled.ts";
import { contextFor } from "./sources.ts";
import type { ToolStepContext } from "./tool-step.ts";

type Read = { readonly call: LoadedCall; readonly judgement: Extract<Judgement, { kind: "allow" }> };

/**
 * Runs the reading calls of a turn together, bounded (RUN-14). While others are still open, each result is kept as soon as it
 * is there, so that a crash repeats only what was unfinished (F8). A failure of a tool is an answer; it never ends the run.
 */
export const runReads = async (
  context: ToolStepContext,
  reads: readonly Read[],
  othersOpen: boolean,
): Promise<Settled[]> => {
  const { deps, lease } = context;
  if (reads.length === 0) return [];
  await fp("tool.started", () =>
    lease.tell(reads.map(({ call }) => ({ type: "tool.started", data: { callId: call.callId, toolCallId: call.id } }))),
  );
  const settled: Settled[] = [];
  const queue = [...reads];
  let unfinished = reads.length;
  const worker = async (): Promise<void> => {
    for (let read = queue.shift(); read !== undefined; read = queue.shift()) {
      const result = await runOne(context, read);
      lease.assertHeld();
      unfinished -= 1;
      if (unfinished > 0 || othersOpen) {
        await fp("tool.keep", () =>
          finishCall(deps.db, lease.run, deps.limits.leaseS, {
            update: updateOf(result),
            event: finishedEvent(result),
            audit: result.audit,
          }),
        );
        deps.notify(lease.run.id);
        settled.push({ ...result, kept: true });
      } else settled.push(result);
    }
  };
  await allSettled(Array.from({ length: Math.min(deps.limits.readsInParallel, reads.length) }, worker));
  return settled;
};

const runOne = async (context: ToolStepContext, { call, judgement }: Read): Promise<Settled> => {
  const { deps, lease, pins } = context;
  const started = performance.now();
  const callContext = await contextFor(
    deps,
    lease.run,
    judgement.source,
    pins,
    lease.signal,
    deps.limits.toolCallS,
    judgement.tool.served?.stored,
  );
  const outcome = await fp("tool.read", async () => {
    const failed = pins[judgement.source.id]?.["failed"];
    if (typeof failed === "string") return { ok: false, text: failed };
    return judgement.tool.connector.read(authoriseRead(call, judgement), callContext);
  }).catch((error: unknown) => {
    if (lease.signal.aborted) throw error;
    deps.log.warn("a reading tool failed", {
      runId: lease.run.id,
      workspaceId: lease.run.workspaceId,
      tool: judgement.tool.row.id,
      error,
    });
    return {
      ok: false,
      text: callContext.signal.aborted
        ? "The tool did not answer in time."
        : "The tool failed. The run goes on without its result.",
    };
  });
  const status = outcome.ok ? "executed" : "failed";
  return {
    call,
    status,
    text: outcome.ok ? outcome.text : refusalText("failed", outcome.text),
    durationMs: Math.round(performance.now() - started),
    untrusted: true,
    sourceName: judgement.source.name,
    update: {
      decision: "allow",
      riskClass: judgement.tool.row.riskClass,
      explanation: judgement.verdict.explanation,
      sourceId: judgement.source.id,
    },
    audit: audited(call, `tool.${status}`, {
      decision: "allow",
      source: judgement.source.id,
      bytes: Buffer.byteLength(outcome.text),
    }),
  };
};
