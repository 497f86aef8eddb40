import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as it arrived over OTLP/HTTP, flattened. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  /** OTLP's number: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface ReceivedMetric {
  readonly service: string;
  readonly name: string;
  readonly unit: string;
  readonly points: readonly { readonly value: number; readonly attributes: Readonly<Record<string, unknown>> }[];
}

export interface OtlpReceiver {
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  readonly metrics: ReceivedMetric[];
  /** Everything that arrived, headers included, as text. */
  readonly raw: string[];
  stop(): Promise<void>;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
const flat = (attributes: readonly KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value["intValue"] === undefined ? Object.values(value)[0] : Number(value["intValue"]),
    ]),
  );

/** A receiver of OTLP over HTTP on this machine that decodes and keeps what arrives. */
export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const spans: ReceivedSpan[] = [];
  const metrics: ReceivedMetric[] = [];
  const raw: string[] = [];
  const take = (path: string, body: Record<string, never[]>): void => {
    for (const entry of (body["resourceSpans"] ?? []) as unknown as Wire[])
      for (const scope of (entry["scopeSpans"] ?? []) as { spans: Wire[] }[])
        for (const span of scope.spans) spans.push(spanOf(serviceOf(entry), span));
    for (const entry of (body["resourceMetrics"] ?? []) as unknown as Wire[])
      for (const scope of (entry["scopeMetrics"] ?? []) as { metrics: Wire[] }[])
        for (const metric of scope.metrics) metrics.push(metricOf(serviceOf(entry), metric));
    if (!["/v1/traces", "/v1/metrics"].includes(path)) throw new Error(`unexpected path ${path}`);
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      raw.push(`${request.url ?? ""}\n${JSON.stringify(request.headers)}\n${text}`);
      take(request.url ?? "", JSON.parse(text) as Record<string, never[]>);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    raw,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

type Wire = Readonly<Record<string, unknown>>;

const serviceOf = (entry: Wire): string => {
  const { attributes } = entry["resource"] as { attributes: KeyValue[] };
  return String(flat(attributes)["service.name"]);
};

const spanOf = (service: string, span: Wire): ReceivedSpan => ({
  service,
  name: String(span["name"]),
  kind: Number(span["kind"]),
  traceId: String(span["traceId"]),
  spanId: String(span["spanId"]),
  parentSpanId: typeof span["parentSpanId"] === "string" ? span["parentSpanId"] : undefined,
  links: (span["links"] ?? []) as ReceivedSpan["links"],
  startMs: Number(BigInt(String(span["startTimeUnixNano"])) / 1_000n) / 1_000,
  endMs: Number(BigInt(String(span["endTimeUnixNano"])) / 1_000n) / 1_000,
  failed: (span["status"] as { code?: number } | undefined)?.code === 2,
  attributes: flat(span["attributes"] as KeyValue[]),
});

const metricOf = (service: string, metric: Wire): ReceivedMetric => {
  const body = (metric["sum"] ?? metric["gauge"] ?? metric["histogram"]) as { dataPoints: Wire[] };
  return {
    service,
    name: String(metric["name"]),
    unit: String(metric["unit"]),
    points: body.dataPoints.map((point) => ({
      value: Number(point["asInt"] ?? point["asDouble"] ?? point["sum"]),
      attributes: flat(point["attributes"] as KeyValue[]),
    })),
  };
};
