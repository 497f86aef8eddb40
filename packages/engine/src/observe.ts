import { isActive, type RunStatus } from "@aiw/contract/runs";
import type { ClaimedRun, LoadedCall, StepOutcome } from "@aiw/core/runs";
import type { TurnUsage } from "@aiw/model/turn";
import {
  errorType,
  nowMs,
  NO_SPAN,
  placeIn,
  type Span,
  traced,
  traceparent as traceparentOf,
} from "@aiw/platform/trace";
import type { EngineDeps } from "./deps.ts";

/** How a message arrived, where the caller knows it. */
export interface Delivery {
  readonly queue?: string | undefined;
  readonly messageId?: string;
  /** Milliseconds since 1970. */
  readonly sentAtMs?: number;
}

interface Arrival extends Delivery {
  readonly startMs: number;
  /** What led here: a doorbell, or the step before it in the same invocation. */
  readonly traceparent: string | undefined;
}

export interface Observed {
  /** What the step works with: its span, and a log whose lines name the run (SEC-9). */
  readonly deps: EngineDeps;
  /** Of this step's span, for the step that goes on from it. */
  readonly traceparent: string | undefined;
  /** The outcome stands in the database. */
  committed(outcome: StepOutcome, status: RunStatus): void;
  failed(error: unknown): void;
  end(): void;
}

/**
 * The span and the figures of one step (SEC-9): below the span of its run, linked to the doorbell that led here. The
 * run's own span is written by the step that ends it.
 */
export const observe = (
  deps: EngineDeps,
  run: ClaimedRun,
  { startMs, traceparent, queue = "steps", messageId, sentAtMs }: Arrival,
): Observed => {
  const log = deps.log.child({ runId: run.id, workspaceId: run.workspaceId, step: run.step, attempt: run.attempt });
  const { telemetry } = deps;
  if (telemetry?.on !== true) {
    const nothing = (): void => undefined;
    return {
      deps: { ...deps, log, span: NO_SPAN },
      traceparent: undefined,
      committed: nothing,
      failed: nothing,
      end: nothing,
    };
  }
  const rungBy = placeIn(run.id, traceparent);
  const span: Span = telemetry.ofRun(run.id, `process ${queue}`, {
    kind: "consumer",
    startMs,
    links: rungBy === undefined ? [] : [rungBy],
    attributes: {
      "messaging.system": "aws_sqs",
      "messaging.operation.type": "process",
      "messaging.operation.name": "process",
      "messaging.destination.name": queue,
      "messaging.message.id": messageId,
      "aiw.run.id": run.id,
      "aiw.run.lane": run.lane,
      "aiw.workspace.id": run.workspaceId,
      "aiw.team.id": run.teamId,
      "aiw.step.number": run.step,
      "aiw.step.attempt": run.attempt,
      "aiw.step.kind": run.kind,
    },
  });
  if (sentAtMs !== undefined) telemetry.metric("aiw.queue.wait", Math.max(0, startMs - sentAtMs) / 1000);
  let outcomeWord = "lost";
  return {
    deps: { ...deps, log, span },
    traceparent: traceparentOf(span.place),
    committed: (outcome, status) => {
      outcomeWord = outcome.outcome ?? outcome.status;
      span.set({ "aiw.run.status": status, "aiw.step.outcome": outcomeWord });
      // Waiting for another step, for a person, or for one who finds out what happened: the run is not over.
      if (isActive(status)) return;
      telemetry.runEnded(run.id, {
        "aiw.run.status": status,
        "aiw.run.end_reason": outcome.endReason,
        "aiw.run.lane": run.lane,
        "aiw.workspace.id": run.workspaceId,
        "aiw.team.id": run.teamId,
        "aiw.step.number": run.step,
        "gen_ai.usage.input_tokens": run.inputTokens + (outcome.inputTokens ?? 0),
        "gen_ai.usage.output_tokens": run.outputTokens + (outcome.outputTokens ?? 0),
        "error.type": outcome.errorCode,
      });
    },
    failed: (error) => span.fail(error),
    end: () => {
      span.end();
      telemetry.metric("messaging.process.duration", (nowMs() - startMs) / 1000, {
        "messaging.system": "aws_sqs",
        "messaging.operation.name": "process",
        "messaging.destination.name": queue,
        "aiw.step.kind": run.kind,
        "aiw.step.outcome": outcomeWord,
      });
    },
  };
};

/** One model call as a span and figures; `ask` resolves with the tokens the gateway counted. */
export const askedModel =
  (deps: EngineDeps, model: string, ask: () => Promise<TurnUsage | undefined>): (() => Promise<void>) =>
  async () => {
    const { telemetry } = deps;
    const said = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": model };
    const startMs = nowMs();
    let failure: string | undefined;
    await traced(deps.span, `chat ${model}`, { kind: "client", attributes: said }, async (span) => {
      const usage = await ask();
      if (telemetry?.on !== true || usage === undefined) return;
      span.set({ "gen_ai.usage.input_tokens": usage.inputTokens, "gen_ai.usage.output_tokens": usage.outputTokens });
      telemetry.metric("gen_ai.client.token.usage", usage.inputTokens, { ...said, "gen_ai.token.type": "input" });
      telemetry.metric("gen_ai.client.token.usage", usage.outputTokens, { ...said, "gen_ai.token.type": "output" });
    })
      .catch((error: unknown) => {
        failure = errorType(error);
        throw error;
      })
      .finally(() => {
        const seconds = (nowMs() - startMs) / 1000;
        telemetry?.metric("gen_ai.client.operation.duration", seconds, { ...said, "error.type": failure });
      });
  };

/** One call of a tool as a span; `outcomeOf` names how it ended, never what it said. */
export const calledTool = <T>(
  deps: EngineDeps,
  called: { readonly call: LoadedCall; readonly toolId: string; readonly approvalId?: string },
  outcomeOf: (result: T) => string,
  work: () => Promise<T>,
): Promise<T> =>
  traced(
    deps.span,
    `execute_tool ${called.toolId}`,
    {
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": called.toolId,
        "gen_ai.tool.call.id": called.call.id,
        "aiw.approval.id": called.approvalId,
      },
    },
    async (span) => {
      const result = await work();
      span.set({ "aiw.tool.outcome": outcomeOf(result) });
      return result;
    },
  );
