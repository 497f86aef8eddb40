import { randomBytes } from "node:crypto";
import type { Log } from "./log.ts";
import { registerSecret } from "./redact.ts";
import {
  type Attributes,
  type FinishedSpan,
  madeAtMs,
  newSpanId,
  NO_SPAN,
  nowMs,
  rootOf,
  type Span,
  type SpanOptions,
  type SpanPlace,
  startSpan,
  traceIdOf,
} from "./trace.ts";

/** What is counted and measured; units and words stand in `METRICS` (SEC-9). */
export type MetricName = keyof typeof METRICS;

/** By OpenTelemetry's conventions where it has a name. `s` are seconds. */
export const METRICS = {
  "http.server.request.duration": { kind: "histogram", unit: "s", text: "Time to the head of an answer" },
  "messaging.process.duration": { kind: "histogram", unit: "s", text: "Time of one step" },
  "gen_ai.client.operation.duration": { kind: "histogram", unit: "s", text: "Time of one model call" },
  "gen_ai.client.token.usage": { kind: "histogram", unit: "{token}", text: "Tokens of one model call" },
  "aiw.runs": { kind: "counter", unit: "{run}", text: "Runs that ended, by status" },
  "aiw.queue.wait": { kind: "histogram", unit: "s", text: "From a run's doorbell to its step" },
  "aiw.queue.oldest": { kind: "gauge", unit: "s", text: "Age of the oldest run that could work and does not" },
  "aiw.approvals.waiting": { kind: "gauge", unit: "{request}", text: "Requests that wait for a person" },
  "aiw.dead_letters": { kind: "gauge", unit: "{message}", text: "Messages that were delivered too often" },
} as const;

/** Where spans and figures go in the end. */
export interface Sink {
  span(span: FinishedSpan): void;
  metric(name: MetricName, value: number, attributes: Attributes): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Traces and metrics of one process (SEC-9). Nothing here ever throws or rejects. */
export interface Telemetry {
  /** False: nothing is recorded, no library for it is loaded. */
  readonly on: boolean;
  /** A request; it belongs to the trace of the first run it has to do with, otherwise to one of its own. */
  request(requestId: string, name: string): Span;
  /** Work on a run, below the span of the whole run. */
  ofRun(runId: string, name: string, options?: SpanOptions): Span;
  /** Work in a trace of its own; `id` (a job's) names the trace, otherwise a random one. */
  apart(name: string, options?: SpanOptions & { readonly id?: string }): Span;
  /** The span of the whole run: from the making of its row until now. To be called when the run has ended. */
  runEnded(runId: string, attributes: Attributes): void;
  /** Adds to a counter, or records a value; the unit is the metric's. */
  metric(name: MetricName, value: number, attributes?: Attributes): void;
  /** Sends what is kept, for at most 3 s. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export const NO_TELEMETRY: Telemetry = {
  on: false,
  request: () => NO_SPAN,
  ofRun: () => NO_SPAN,
  apart: () => NO_SPAN,
  runEnded: () => undefined,
  metric: () => undefined,
  flush: async () => undefined,
  close: async () => undefined,
};

export interface TelemetryOptions {
  /** Address of an OTLP/HTTP receiver without `/v1/...`; undefined: off. */
  readonly endpoint: string | undefined;
  /** `service.name`, such as aiw-api. */
  readonly service: string;
  /** `deployment.environment.name`. */
  readonly environment: string;
  readonly log: Log;
  /** Default: the OTLP library, loaded when the first of these is made. */
  readonly open?: (options: OpenOptions) => Promise<Sink>;
}

export type OpenOptions = { readonly endpoint: string } & Pick<TelemetryOptions, "service" | "environment" | "log">;

/** What is kept until the library is there; more is dropped. */
const MAX_EARLY = 5_000;
const FLUSH_LIMIT_MS = 3_000;

/** Off without an endpoint, and then at no cost. */
export function createTelemetry({ endpoint, open = openOtlp, ...rest }: TelemetryOptions): Telemetry {
  if (endpoint === undefined) return NO_TELEMETRY;
  // Such as an API key of the receiver; the library reads it by itself.
  for (const pair of (process.env["OTEL_EXPORTER_OTLP_HEADERS"] ?? "").split(","))
    registerSecret(decoded(pair.slice(pair.indexOf("=") + 1).trim()));
  let sink: Sink | undefined;
  let early: ((to: Sink) => void)[] = [];
  const opened = open({ endpoint, ...rest }).then(
    (made) => {
      sink = made;
      for (const tell of early) tell(made);
      early = [];
    },
    (error: unknown) => {
      early = [];
      rest.log.error("traces and metrics are off: their library cannot be loaded", { error });
    },
  );
  const tell = (say: (to: Sink) => void): void => {
    if (sink !== undefined) say(sink);
    else if (early.length < MAX_EARLY) early.push(say);
  };
  const emit = (span: FinishedSpan): void => tell((to) => to.span(span));
  const begin = (place: SpanPlace, parentSpanId: string | undefined, name: string, options: SpanOptions): Span =>
    startSpan({ place, parentSpanId }, name, options, emit);
  const flush = (): Promise<void> => bounded(opened.then(() => sink?.flush()));
  flushes.add(flush);
  return {
    on: true,
    request: (requestId, name) =>
      begin({ traceId: traceIdOf(requestId), spanId: newSpanId() }, undefined, name, { kind: "server" }),
    ofRun: (runId, name, options = {}) => {
      const root = rootOf(runId);
      return begin({ traceId: root.traceId, spanId: newSpanId() }, root.spanId, name, options);
    },
    apart: (name, { id, ...options } = {}) =>
      begin(
        { traceId: id === undefined ? randomBytes(16).toString("hex") : traceIdOf(id), spanId: newSpanId() },
        undefined,
        name,
        options,
      ),
    runEnded: (runId, attributes) => {
      const startMs = Math.min(madeAtMs(runId) ?? nowMs(), nowMs());
      const said: Attributes = { "gen_ai.operation.name": "invoke_agent", "aiw.run.id": runId, ...attributes };
      const span = begin(rootOf(runId), undefined, "invoke_agent", { startMs, attributes: said });
      const status = attributes["aiw.run.status"];
      if (status === "failed" || status === "blocked_by_guardrail")
        span.fail(Object.assign(new Error(), { code: attributes["error.type"] ?? status }));
      span.end();
      tell((to) =>
        to.metric("aiw.runs", 1, {
          "aiw.run.status": status,
          "aiw.run.end_reason": attributes["aiw.run.end_reason"],
        }),
      );
    },
    metric: (name, value, attributes = {}) => tell((to) => to.metric(name, value, attributes)),
    flush,
    close: () => {
      flushes.delete(flush);
      return bounded(opened.then(() => sink?.close()));
    },
  };
}

const flushes = new Set<() => Promise<void>>();

/** Sends what everything in this process has recorded, before the process ends. */
export async function flushTelemetry(): Promise<void> {
  await Promise.all([...flushes].map((flush) => flush()));
}

async function openOtlp(options: OpenOptions): Promise<Sink> {
  const { openSink } = await import("./telemetry-otlp.ts");
  return openSink(options);
}

/** Waits for `work`, but no longer than a caller may be kept; its failure has been logged where it happened. */
async function bounded(work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.resolve(), FLUSH_LIMIT_MS);
  await Promise.race([work.catch(() => undefined), late.promise]);
  clearTimeout(timer);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
