import { randomUUID, randomUUIDv7 } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createLog } from "./log.ts";
import { createTelemetry, type Sink } from "./telemetry.ts";
import { type FinishedSpan, errorType, madeAtMs, placeIn, rootOf, traced, traceIdOf, traceparent } from "./trace.ts";

const recorded = () => {
  const spans: FinishedSpan[] = [];
  const sink: Sink = {
    span: (span) => void spans.push(span),
    metric: () => undefined,
    flush: async () => undefined,
    close: async () => undefined,
  };
  const log = createLog({ level: "silent" });
  const options = { endpoint: "http://127.0.0.1:9", service: "test", environment: "test", log };
  return { spans, telemetry: createTelemetry({ ...options, open: async () => sink }) };
};

test("SEC-9 a doorbell's trace context counts only in the trace of its run; an old, forged or broken one is nothing", () => {
  const hex = (length: number) =>
    fc.uint8Array({ minLength: length / 2, maxLength: length / 2 }).map((bytes) => Buffer.from(bytes).toString("hex"));
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), hex(16), fc.string(), (runId, other, spanId, text) => {
      const place = { traceId: traceIdOf(runId), spanId };
      expect(placeIn(runId, traceparent(place))).toEqual(place);
      expect(placeIn(runId, text)).toBeUndefined();
      expect(placeIn(runId, `${traceparent(place)}${text}`)).toEqual(text === "" ? place : undefined);
      if (other !== runId) expect(placeIn(other, traceparent(place))).toBeUndefined();
    }),
  );
});

test("SEC-9 the trace of a run and its first moment can be told from its id alone", () => {
  const before = Date.now();
  const runId = randomUUIDv7();
  expect(rootOf(runId)).toEqual({ traceId: runId.replaceAll("-", ""), spanId: runId.replaceAll("-", "").slice(16) });
  expect(madeAtMs(runId)).toBeGreaterThanOrEqual(before);
  expect(madeAtMs(runId)).toBeLessThanOrEqual(Date.now());
  expect(madeAtMs(randomUUID())).toBeUndefined();
});

test("SEC-9 a request moves into the trace of the first run it has to do with, and its children with it", async () => {
  const { spans, telemetry } = recorded();
  const [requestId, first, second] = [randomUUID(), randomUUIDv7(), randomUUIDv7()];
  const request = telemetry.request(requestId, "POST /x");
  request.joinRun(first);
  request.joinRun(second);
  await traced(request, "send", {}, async () => undefined);
  request.end();
  request.end();
  telemetry.request(requestId, "GET /y").end();
  await telemetry.flush();
  expect(spans).toMatchObject([
    { name: "send", traceId: traceIdOf(first), parentSpanId: request.place.spanId },
    { name: "POST /x", traceId: traceIdOf(first), parentSpanId: rootOf(first).spanId, kind: "server" },
    { name: "GET /y", traceId: traceIdOf(requestId), parentSpanId: undefined },
  ]);
});

test("I8 a failure is named by its code or class, never by its message", async () => {
  const { spans, telemetry } = recorded();
  const failing = traced(telemetry.apart("work"), "inner", {}, async () => {
    throw Object.assign(new TypeError("password hunter2 is wrong"), { code: "rate limited by hunter2" });
  });
  await expect(failing).rejects.toThrow("hunter2");
  await telemetry.flush();
  expect(spans).toMatchObject([{ name: "inner", errorType: "TypeError" }]);
  expect(JSON.stringify(spans)).not.toContain("hunter2");
  expect(errorType("hunter2")).toBe("_OTHER");
});

test("SEC-9 what is recorded before the library is there is sent, and a library that cannot be loaded hurts nobody", async () => {
  const lines: string[] = [];
  const log = createLog({ level: "warn", write: (line) => void lines.push(line) });
  const open = async (): Promise<Sink> => {
    throw new Error("not installed");
  };
  const telemetry = createTelemetry({ endpoint: "http://x", service: "test", environment: "test", log, open });
  telemetry.apart("work").end();
  telemetry.metric("aiw.runs", 1);
  await telemetry.flush();
  await telemetry.close();
  expect(lines.filter((line) => line.includes("cannot be loaded"))).toHaveLength(1);
});

test("SEC-9 with traces each line about a run, a job or a request names its trace; without them none does", () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const [requestId, runId] = [randomUUID(), randomUUIDv7()];
  const on = createLog({ level: "info", write, traces: true }).child({ requestId });
  on.info("request");
  on.child({ runId }).info("run");
  on.info("odd", { runId: "not an id" });
  createLog({ level: "info", write }).info("off", { runId });
  expect(lines.map((line) => line["traceId"])).toEqual([traceIdOf(requestId), traceIdOf(runId), undefined, undefined]);
});

test("I8 the headers of the receiver, such as its API key, are hidden in every later line of the log", () => {
  process.env["OTEL_EXPORTER_OTLP_HEADERS"] = "x-key=receiver%20secret%2017,other=plain-value";
  try {
    const lines: string[] = [];
    const log = createLog({ level: "info", write: (line) => void lines.push(line) });
    createTelemetry({ endpoint: "http://x", service: "t", environment: "test", log, open: () => Promise.reject(log) });
    log.info("sent with receiver secret 17 and plain-value");
    expect(lines[0]).not.toMatch(/receiver secret 17|plain-value/);
  } finally {
    delete process.env["OTEL_EXPORTER_OTLP_HEADERS"];
  }
});
