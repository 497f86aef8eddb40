import { randomUUID } from "node:crypto";
import { type HrTime, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace";
import type { Log } from "./log.ts";
import { redactText } from "./redact.ts";
import { METRICS, type MetricName, type OpenOptions, type Sink } from "./telemetry.ts";
import type { Attributes, FinishedSpan, SpanPlace } from "./trace.ts";

const SPANS_EVERY_MS = 1_000;
/** Unless `OTEL_METRIC_EXPORT_INTERVAL` says otherwise. */
const METRICS_EVERY_MS = 15_000;
/** Longest text of an attribute, in characters. */
const MAX_TEXT = 200;

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

const SCOPE = { name: "aiw" };

/**
 * Sends spans and metrics as OTLP over HTTP (JSON) with OpenTelemetry's own exporters. Only this file knows them; it is
 * loaded when tracing is on. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_EXPORTER_OTLP_TIMEOUT` and `OTEL_RESOURCE_ATTRIBUTES`
 * are read by the library.
 */
export function openSink({ endpoint, service, environment, log }: OpenOptions): Sink {
  const everyMs = Number(process.env["OTEL_METRIC_EXPORT_INTERVAL"]) || METRICS_EVERY_MS;
  const base = endpoint.replace(/\/+$/, "");
  const resource = resourceFromAttributes({
    "service.name": service,
    "service.instance.id": randomUUID(),
    "deployment.environment.name": environment,
  }).merge(detectResources({ detectors: [envDetector] }));
  const spans = new BatchSpanProcessor({
    exporter: told(new OTLPTraceExporter({ url: `${base}/v1/traces` }), "traces", log),
    scheduledDelayMillis: SPANS_EVERY_MS,
    maxQueueSize: 8_192,
  });
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: told(new OTLPMetricExporter({ url: `${base}/v1/metrics` }), "metrics", log),
        exportIntervalMillis: everyMs,
        exportTimeoutMillis: Math.min(everyMs, 10_000),
      }),
    ],
  });
  const record = recorder(meters);
  return {
    span: (span) => spans.onEnd(readable(span, resource)),
    metric: (name, value, attributes) => record[name](value, clean(attributes)),
    flush: async () => void (await Promise.all([spans.forceFlush(), meters.forceFlush()])),
    close: async () => void (await Promise.all([spans.shutdown(), meters.shutdown()])),
  };
}

/** The exporter with one line in the log when it stops getting through, not one a batch. */
function told<E extends { export(items: never, done: (result: { code: number; error?: Error }) => void): void }>(
  exporter: E,
  what: string,
  log: Log,
): E {
  const send = exporter.export.bind(exporter);
  let failing = false;
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== 0 && !failing)
        log.warn(`${what} do not get through to their receiver`, { error: result.error });
      failing = result.code !== 0;
      done(result);
    });
  return exporter;
}

type Recorder = (value: number, attributes: CleanAttributes) => void;
type CleanAttributes = Record<string, string | number | boolean>;

function recorder(meters: MeterProvider): Readonly<Record<MetricName, Recorder>> {
  const meter = meters.getMeter(SCOPE.name);
  const made = Object.entries(METRICS).map(([name, { kind, unit, text }]): [string, Recorder] => {
    const options = { unit, description: text };
    if (kind === "counter") {
      const counter = meter.createCounter(name, options);
      return [name, (value, attributes) => counter.add(value, attributes)];
    }
    const instrument = kind === "gauge" ? meter.createGauge(name, options) : meter.createHistogram(name, options);
    return [name, (value, attributes) => instrument.record(value, attributes)];
  });
  return Object.fromEntries(made) as Readonly<Record<MetricName, Recorder>>;
}

function readable(span: FinishedSpan, resource: Resource): ReadableSpan {
  const place = context(span);
  const { parentSpanId, errorType } = span;
  return {
    name: text(span.name),
    kind: KINDS[span.kind],
    spanContext: () => place,
    ...(parentSpanId === undefined
      ? {}
      : { parentSpanContext: context({ traceId: span.traceId, spanId: parentSpanId }) }),
    startTime: time(span.startMs),
    endTime: time(span.endMs),
    duration: time(span.endMs - span.startMs),
    status: { code: errorType === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
    attributes: { ...clean(span.attributes), ...(errorType === undefined ? {} : { "error.type": text(errorType) }) },
    links: span.links.map((link) => ({ context: context(link) })),
    events: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const context = ({ traceId, spanId }: SpanPlace): SpanContext => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });

/** The second guard behind the closed list of names: registered secrets are cut out, length is bounded (I8). */
const text = (value: string): string => redactText(value).slice(0, MAX_TEXT);

function clean(attributes: Attributes): CleanAttributes {
  const result: CleanAttributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) result[name] = typeof value === "string" ? text(value) : value;
  }
  return result;
}

/** Seconds and nanoseconds. */
function time(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
