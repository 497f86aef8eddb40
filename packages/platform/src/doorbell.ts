import type { StepMessage } from "@aiw/contract/runs";
import type { Telemetry } from "./telemetry.ts";
import { type Span, traceIdOf, traceparent } from "./trace.ts";

/** The span a doorbell is rung in, if any: used for the runs of its trace; other runs are rung in their own. */
export interface Ringing {
  readonly telemetry: Telemetry;
  readonly queue: string;
  readonly under?: Span | undefined;
}

/**
 * Sends the doorbells of `runIds` through `send`, which gets each run's message. With tracing, each has a producer span in
 * the trace of its run, and the message says which one; it stays a doorbell (RUN-3).
 */
export async function ringRuns(
  { telemetry, queue, under }: Ringing,
  runIds: readonly string[],
  send: (messageOf: (runId: string) => StepMessage) => Promise<unknown>,
): Promise<void> {
  if (!telemetry.on) {
    await send((runId) => ({ v: 1, runId }));
    return;
  }
  const spans = new Map(runIds.map((runId) => [runId, producer(telemetry, queue, under, runId)]));
  try {
    await send((runId) => {
      const span = spans.get(runId);
      return { v: 1, runId, ...(span === undefined ? {} : { traceparent: traceparent(span.place) }) };
    });
  } catch (error) {
    for (const span of spans.values()) span.fail(error);
    throw error;
  } finally {
    for (const span of spans.values()) span.end();
  }
}

function producer(telemetry: Telemetry, queue: string, under: Span | undefined, runId: string): Span {
  const name = `send ${queue}`;
  const options = {
    kind: "producer" as const,
    attributes: {
      "messaging.system": "aws_sqs",
      "messaging.operation.type": "send",
      "messaging.operation.name": "send",
      "messaging.destination.name": queue,
      "aiw.run.id": runId,
    },
  };
  const inTrace = under?.on === true && under.place.traceId === traceIdOf(runId);
  return inTrace ? under.start(name, options) : telemetry.ofRun(runId, name, options);
}

/** The last part of a queue's address: its name. */
export const queueName = (url: string): string => url.slice(url.lastIndexOf("/") + 1);
