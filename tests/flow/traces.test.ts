import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packFunction } from "@aiw/infra/bundle";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootOf, traceIdOf } from "@aiw/platform/trace";
import { approve, demoWorkspace, newChat, requestOf, runEnds, say } from "../kit/people.ts";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "../kit/otlp-receiver.ts";
import { type LocalStack, ROOT, startLocal, until } from "../kit/stack.ts";
import { startWorld } from "../kit/world.ts";

const CANARY = `canary-${randomUUID()}`;
let receiver: OtlpReceiver;
let local: LocalStack;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  process.env["OTEL_METRIC_EXPORT_INTERVAL"] = "500";
  local = await startLocal({
    chunkDelayMs: 0,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, OTEL_METRIC_EXPORT_INTERVAL: "500" },
  });
});
afterAll(async () => {
  await local?.stop();
  await receiver?.stop();
});

/** The trace of a run once its own span has arrived. */
const traceOf = async (runId: string): Promise<ReceivedSpan[]> => {
  const { traceId, spanId } = rootOf(runId);
  await until("the span of the run has arrived", async () => receiver.spans.find((span) => span.spanId === spanId));
  // What began before the run ended has ended by now, and is sent within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  return receiver.spans.filter((span) => span.traceId === traceId);
};

const named = (spans: readonly ReceivedSpan[], name: RegExp): ReceivedSpan[] =>
  spans.filter((span) => name.test(span.name)).toSorted((a, b) => a.startMs - b.startMs);
const only = (spans: readonly ReceivedSpan[], name: RegExp): ReceivedSpan => {
  const [first, ...more] = named(spans, name);
  if (first === undefined || more.length > 0) throw new Error(`${more.length + 1} spans are called ${name.source}`);
  return first;
};

test("SEC-9 I8 a conversation with an approval is one trace over API, queue, steps, model and tools, and nothing in it was said by anybody", async () => {
  const member = await local.signIn("member");
  const approver = await local.signIn("approver");
  const workspaceId = await demoWorkspace(member);
  const chatId = await newChat(member, workspaceId);
  const runId = await say(
    member,
    workspaceId,
    chatId,
    `replace \`MAX_BODY = 64\` with \`MAX_BODY = 32 // ${CANARY}\` in src/server.ts`,
  );
  const request = await requestOf(member, runId);
  expect(JSON.stringify(request)).toContain(CANARY);
  await approve(approver, request);
  expect(await runEnds(member, runId)).toMatchObject({ status: "completed" });
  const trace = await traceOf(runId);

  // One trace, in which every span but the run's own has its parent; two services wrote it.
  expect(receiver.spans.filter((span) => span.attributes["aiw.run.id"] === runId && !trace.includes(span))).toEqual([]);
  const ids = new Set(trace.map((span) => span.spanId));
  expect(ids.size).toBe(trace.length);
  const root = only(trace, /^invoke_agent$/);
  expect(root).toMatchObject({ ...rootOf(runId), service: "aiw-step", failed: false });
  expect(root.parentSpanId).toBeUndefined();
  expect(root.attributes).toMatchObject({ "aiw.run.status": "completed", "aiw.workspace.id": workspaceId });
  expect(trace.filter((span) => span !== root && !ids.has(span.parentSpanId ?? ""))).toEqual([]);
  expect([...new Set(trace.map((span) => span.service))].sort()).toEqual(["aiw-api", "aiw-step"]);
  expect(trace.filter((span) => span.startMs < root.startMs - 1_000 || span.endMs > root.endMs + 1_000)).toEqual([]);

  // The message: request, doorbell, and the step that it woke.
  const posted = only(trace, /^POST .*\/messages$/);
  expect(posted).toMatchObject({ kind: 2, service: "aiw-api", parentSpanId: root.spanId });
  expect(posted.attributes).toMatchObject({ "http.request.method": "POST", "http.response.status_code": 202 });
  const bell = trace.find((span) => span.parentSpanId === posted.spanId);
  expect(bell).toMatchObject({ name: "send aiw-steps", kind: 4 });
  const steps = named(trace, /^process aiw-steps$/);
  expect(steps.every((span) => span.kind === 5 && span.parentSpanId === root.spanId)).toBe(true);
  expect(steps[0]?.links).toMatchObject([{ traceId: root.traceId, spanId: bell?.spanId }]);
  // Further steps were woken by the step before them, and say so.
  expect(trace.find((span) => span.spanId === steps[1]?.links[0]?.spanId)?.parentSpanId).toBe(steps[0]?.spanId);

  // Model and tools are below the step that called them.
  const stepIds = steps.map((span) => span.spanId);
  const chats = named(trace, /^chat /);
  expect(chats.length).toBeGreaterThan(1);
  for (const chat of chats) {
    expect(chat.kind).toBe(3);
    expect(stepIds).toContain(chat.parentSpanId);
    expect(chat.attributes).toMatchObject({ "gen_ai.operation.name": "chat" });
    expect(chat.attributes["gen_ai.usage.input_tokens"]).toBeGreaterThan(0);
  }

  // The decision: request, doorbell, and the step that carried it out.
  const decided = only(trace, /^POST .*\/approve$/);
  expect(decided).toMatchObject({ service: "aiw-api", parentSpanId: root.spanId });
  const write = only(trace, /^execute_tool git\.propose_change$/);
  expect(write.attributes).toMatchObject({ "aiw.approval.id": request.id, "aiw.tool.outcome": "executed" });
  const carriedOut = steps.find((span) => span.spanId === write.parentSpanId);
  const woken = trace.find((span) => span.spanId === carriedOut?.links[0]?.spanId);
  expect(woken?.parentSpanId).toBe(decided.spanId);

  // Looking at the run is not part of it: each look is a trace of its own, named by its request.
  const looks = named(receiver.spans, /^GET \/api\/runs\/:runId$/);
  expect(looks.length).toBeGreaterThan(0);
  for (const look of looks) expect(look.traceId).toBe(traceIdOf(String(look.attributes["aiw.request.id"])));

  // I8: neither what people, model and tools said nor a secret is anywhere in what was sent.
  const said = receiver.raw.join("\n");
  expect(said).toContain(traceIdOf(runId));
  const cookie = member.cookie.split("=").at(-1) ?? "none";
  for (const secret of [CANARY, "MAX_BODY", "src/server.ts", local.gitToken, local.stack.demoPassword, cookie])
    expect(said).not.toContain(secret);
}, 60_000);

test("SEC-9 the figures of runs, steps, model calls and of what waits arrive", async () => {
  const wanted = [
    "http.server.request.duration",
    "messaging.process.duration",
    "gen_ai.client.operation.duration",
    "gen_ai.client.token.usage",
    "aiw.runs",
    "aiw.queue.wait",
    "aiw.queue.oldest",
    "aiw.approvals.waiting",
    "aiw.dead_letters",
  ];
  const missing = (): string[] => wanted.filter((name) => receiver.metrics.every((metric) => metric.name !== name));
  await until(`all figures arrived`, async () => (missing().length === 0 ? true : undefined), 30_000);
  const runs = receiver.metrics.filter((metric) => metric.name === "aiw.runs").at(-1);
  expect(runs?.points).toContainEqual({
    value: 1,
    attributes: { "aiw.run.status": "completed", "aiw.run.end_reason": "answered" },
  });
  const steps = receiver.metrics.filter((metric) => metric.name === "messaging.process.duration").at(-1);
  expect(steps).toMatchObject({ unit: "s", service: "aiw-step" });
  expect(steps?.points.some((point) => point.value > 0)).toBe(true);
}, 60_000);

test("SEC-9 a run that is cancelled while it waits ends its trace and counts once, however often it is cancelled", async () => {
  const member = await local.signIn("member");
  const workspaceId = await demoWorkspace(member);
  const chatId = await newChat(member, workspaceId);
  const runId = await say(member, workspaceId, chatId, "replace `MAX_BODY = 64` with `MAX_BODY = 16` in src/server.ts");
  await requestOf(member, runId);
  await member.call("cancelRun", { params: { runId } });
  await member.call("cancelRun", { params: { runId } });
  const trace = await traceOf(runId);
  expect(only(trace, /^invoke_agent$/)).toMatchObject({
    service: "aiw-api",
    attributes: { "aiw.run.status": "cancelled" },
  });
  const [cancel, again] = named(trace, /^POST .*\/cancel$/);
  expect([cancel?.parentSpanId, again?.parentSpanId]).toEqual([rootOf(runId).spanId, rootOf(runId).spanId]);
  const counted = (): readonly unknown[] | undefined =>
    receiver.metrics.findLast((metric) => metric.name === "aiw.runs" && metric.service === "aiw-api")?.points;
  await until("the cancelled run is counted", async () => counted());
  expect(counted()).toEqual([{ value: 1, attributes: { "aiw.run.status": "cancelled" } }]);
}, 60_000);

const run = promisify(execFile);

test("SEC-9 the deployed step function has sent its spans when it answers: a process that is frozen then loses none", async () => {
  const world = await startWorld();
  const directory = mkdtempSync(join(tmpdir(), "aiw-traces-"));
  try {
    const { file } = await packFunction("step", directory);
    const { runId } = await world.ask("hello");
    const record = { messageId: randomUUID(), body: JSON.stringify({ v: 1, runId, traceparent: "forged" }) };
    await run(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `const m = await import(${JSON.stringify(file)});
         const { batchItemFailures } = await m.handler({ Records: [${JSON.stringify(record)}] });
         process.exit(batchItemFailures.length);`,
      ],
      {
        env: {
          AWS_LAMBDA_FUNCTION_NAME: "aiw-step",
          OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
          AIW_DATABASE_STEP_URL: world.database.stepUrl,
          AIW_STEP_QUEUE_URL: "http://127.0.0.1:9/000000000000/steps",
          AIW_SECRET_KEY: world.vaultKey,
          AIW_BUCKET: "trace-test",
          AWS_ACCESS_KEY_ID: "test",
          AWS_SECRET_ACCESS_KEY: "test",
          AIW_LOG_LEVEL: "silent",
        },
      },
    );
    const spans = receiver.spans.filter((span) => span.traceId === traceIdOf(runId));
    expect(only(spans, /^process steps$/)).toMatchObject({ kind: 5, parentSpanId: rootOf(runId).spanId, links: [] });
    expect(receiver.metrics.some((metric) => metric.name === "messaging.process.duration")).toBe(true);
  } finally {
    rmSync(directory, { recursive: true, force: true });
    await world.stop();
  }
}, 60_000);

/** Loads and composes the step function in a process of its own; the modules of OpenTelemetry it loaded. */
const loadedBy = async (env: Record<string, string>): Promise<number> => {
  const program = `import { registerHooks } from "node:module";
    let seen = 0;
    registerHooks({ load: (url, context, next) => { if (url.includes("@opentelemetry")) seen += 1; return next(url, context); } });
    const { compose } = await import("@aiw/function-step/compose");
    const { close, deps } = compose(process.env);
    await deps.telemetry.flush();
    await close();
    console.log("LOADED" + seen);
    process.exit(0);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], {
    cwd: ROOT,
    env: {
      AIW_DATABASE_STEP_URL: "postgres://aiw:aiw@127.0.0.1:9/aiw",
      AIW_STEP_QUEUE_URL: "http://127.0.0.1:9/000000000000/steps",
      AIW_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      AIW_BUCKET: "trace-test",
      AIW_LOG_LEVEL: "silent",
      ...env,
    },
  });
  return Number(/LOADED(\d+)/.exec(stdout)?.[1]);
};

test("SEC-9 without a receiver no tracing library is loaded; with one it is", async () => {
  expect(await loadedBy({})).toBe(0);
  expect(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint })).toBeGreaterThan(0);
}, 60_000);
