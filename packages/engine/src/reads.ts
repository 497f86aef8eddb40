import type { ToolResult } from "@aiw/connectors/connector";
import { finishCall, type LoadedCall, type NewEvent } from "@aiw/core/runs";
import { fp } from "@aiw/platform/fault";
import { allSettled } from "./all-settled.ts";
import { authoriseRead, type Judgement } from "./gate.ts";
import type { Lease } from "./lease.ts";
import { calledTool } from "./observe.ts";
import { refusalText } from "./outcomes.ts";
import { maskedUpdate } from "./seal.ts";
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
): Promise<{ readonly settled: Settled[]; readonly events: NewEvent[] }> => {
  const { deps, lease } = context;
  if (reads.length === 0) return { settled: [], events: [] };
  const alone = reads.length === 1 && !othersOpen;
  const announced = announce(lease, reads, alone ? deps.limits.deltaMs : 0);
  const settled: Settled[] = [];
  const queue = [...reads];
  let unfinished = reads.length;
  const worker = async (): Promise<void> => {
    for (let read = queue.shift(); read !== undefined; read = queue.shift()) {
      const result = await runOne(context, read);
      lease.assertHeld();
      unfinished -= 1;
      if (unfinished > 0 || othersOpen) {
        await fp("tool.announced", () => announced.told());
        await fp("tool.keep", () =>
          finishCall(deps.db, lease.run, deps.limits.leaseS, {
            update: maskedUpdate(lease.mask, updateOf(result)),
            event: lease.mask.event(finishedEvent(result)),
            audit: lease.mask.audit(result.audit),
          }),
        );
        deps.notify(lease.run.id);
        settled.push({ ...result, kept: true });
      } else settled.push(result);
    }
  };
  try {
    await allSettled(Array.from({ length: Math.min(deps.limits.readsInParallel, reads.length) }, worker));
  } catch (error) {
    await announced.rest().catch(() => undefined);
    throw error;
  }
  return { settled, events: await announced.rest() };
};

/**
 * Tells that these calls are under way, beside the work. One that is alone is told only when it takes longer than the
 * window: what ends sooner is told with its result, in the commit of the step (RUN-11).
 */
const announce = (
  lease: Lease,
  reads: readonly Read[],
  windowMs: number,
): {
  /** Resolves when it has been told. */
  readonly told: () => Promise<void>;
  /** Ends the wait: what has not been told by now, for the commit. */
  readonly rest: () => Promise<NewEvent[]>;
} => {
  const events = reads.map(({ call }) => ({
    type: "tool.started",
    data: { callId: call.callId, toolCallId: call.id },
  }));
  let telling: Promise<void> | undefined;
  const told = (): Promise<void> => {
    clearTimeout(timer);
    telling ??= fp("tool.started", () => lease.tell(events));
    return telling;
  };
  // A failure is met where the telling is waited for.
  const timer = setTimeout(() => void told().catch(() => undefined), windowMs);
  return {
    told,
    rest: async () => {
      clearTimeout(timer);
      if (telling === undefined) return events;
      await telling;
      return [];
    },
  };
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
  const read = async (): Promise<Pick<ToolResult, "ok" | "text">> => {
    const failed = pins[judgement.source.id]?.["failed"];
    if (typeof failed === "string") return { ok: false, text: failed };
    return judgement.tool.connector.read(authoriseRead(call, judgement), callContext);
  };
  const named = { call, toolId: judgement.tool.row.id };
  const outcome = await fp("tool.read", () =>
    calledTool(deps, named, (result) => (result.ok ? "executed" : "failed"), read),
  ).catch((error: unknown) => {
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
