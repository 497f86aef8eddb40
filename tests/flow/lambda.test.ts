import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packFunction, type PackedFunction, packLayer, packService } from "@aiw/infra/bundle";
import { FUNCTIONS, type FunctionName, PLANS } from "@aiw/infra/functions";
import { type Environment, startEnvironment } from "@aiw/infra/local/lambda/environment";
import { EVENT_LIMIT_BYTES } from "@aiw/infra/local/lambda/runtime-api";
import { ensureBucket } from "@aiw/platform/bucket";
import { createPresigner, type Presigner } from "@aiw/platform/presign";
import { createQueue, ensureQueues, type Queue } from "@aiw/platform/queue";
import type { SQSEvent } from "aws-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Emulator } from "@aiw/infra/local/emulator";
import { startCloud } from "../kit/cloud.ts";
import { startWorld, type World } from "../kit/world.ts";
import { type Api, type Client, startApi } from "./http-fixture.ts";
import { addRun, addWaiting, claim, commit, stream } from "./http-records.ts";

/**
 * Each function as it is deployed: packed, loaded by a runtime in a process of its own under the deployed Node, fed by the
 * platform's interface, frozen between two invocations (OPS-3). AIW_TEST_RUNTIME names another runtime, such as the vendor's own.
 */
const MB = 1024 * 1024;
const runtime = process.env["AIW_TEST_RUNTIME"] ?? "";
let directory: string;
let layer: string;
let world: World;
let api: Api;
let cloud: Emulator;
let queues: Awaited<ReturnType<typeof ensureQueues<"steps" | "jobs" | "ingest">>>;
let steps: Queue;
let presigner: Presigner;
const packed = new Map<FunctionName, PackedFunction>();
const open = new Set<Environment>();
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "aiw-lambda-"));
  for (const name of FUNCTIONS) packed.set(name, await packFunction(name, directory));
  layer = packLayer(directory).nodePath;
  cloud = await startCloud();
  const place = { region: "eu-central-1", bucket: "packed-functions", endpoint: cloud.endpoint };
  await ensureBucket(cloud.endpoint, place.region, place.bucket);
  presigner = createPresigner(place);
  [world, api] = await Promise.all([startWorld(), startApi({ uploads: { sign: presigner.put } })]);
  queues = await ensureQueues(cloud.endpoint, "eu-central-1", [
    { name: "steps", visibilityS: 30 },
    { name: "jobs", visibilityS: 30 },
    { name: "ingest", visibilityS: 30 },
  ]);
  steps = createQueue({ region: "eu-central-1", url: queues.steps.url, endpoint: cloud.endpoint });
});
afterAll(async () => {
  await Promise.all([...open].map((environment) => environment.stop()));
  steps.close();
  presigner.close();
  await Promise.all([world.stop(), api.stop(), cloud.stop()]);
  rmSync(directory, { recursive: true, force: true });
});

const start = async (name: FunctionName, variables: Record<string, string> = {}): Promise<Environment> => {
  const environment = await startEnvironment({
    taskRoot: packed.get(name)?.directory ?? "",
    handler: `${name}.handler`,
    memoryMb: PLANS[name].memoryMb,
    variables: {
      AIW_ENV: "test",
      AIW_LOG_LEVEL: "error",
      AIW_DATABASE_API_URL: api.database.apiUrl,
      AIW_DATABASE_STEP_URL: world.database.stepUrl,
      AIW_STEP_QUEUE_URL: queues.steps.url,
      AIW_JOBS_QUEUE_URL: queues.jobs.url,
      AIW_INGEST_QUEUE_URL: queues.ingest.url,
      ...(PLANS[name].duckdb ? { NODE_PATH: layer } : {}),
      AIW_SECRET_KEY: world.vaultKey,
      AIW_BUCKET: "packed-functions",
      AIW_SQS_ENDPOINT: cloud.endpoint,
      AWS_ENDPOINT_URL: cloud.endpoint,
      AIW_ALLOW_LOCAL: "true",
      OPENAI_API_KEY: "sk-test-gateway-key",
      OPENAI_BASE_URL: world.gateway.url,
      ...variables,
    },
    ...(runtime === "" ? {} : { runtime: [runtime, `${name}.handler`] }),
  });
  open.add(environment);
  return environment;
};

const message = (
  queue: string,
  body: object | string,
  messageId: string = randomUUID(),
): SQSEvent["Records"][number] => ({
  messageId,
  receiptHandle: "receipt",
  body: typeof body === "string" ? body : JSON.stringify(body),
  attributes: {
    ApproximateReceiveCount: "1",
    SentTimestamp: String(Date.now()),
    SenderId: "AIDAEXAMPLE",
    ApproximateFirstReceiveTimestamp: String(Date.now()),
  },
  messageAttributes: {},
  md5OfBody: "",
  eventSource: "aws:sqs",
  eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${queue}`,
  awsRegion: "eu-central-1",
});

const request = (
  method: string,
  path: string,
  client?: Client,
  headers: Record<string, string> = {},
  body?: string,
) => ({
  version: "2.0",
  routeKey: "$default",
  rawPath: path.split("?")[0],
  rawQueryString: path.split("?")[1] ?? "",
  cookies: client === undefined ? [] : [client.cookie],
  headers: { host: "localhost", origin: "http://localhost", ...headers },
  requestContext: {
    accountId: "anonymous",
    apiId: "local",
    domainName: "localhost",
    http: { method, path: path.split("?")[0], protocol: "HTTP/1.1", sourceIp: "203.0.113.7", userAgent: "test" },
    requestId: randomUUID(),
    routeKey: "$default",
    stage: "$default",
    time: "01/Dec/2026:00:00:00 +0000",
    timeEpoch: Date.now(),
  },
  ...(body === undefined ? {} : { body: Buffer.from(body).toString("base64") }),
  isBase64Encoded: body !== undefined,
});

/** Messages in the step queue, those that wait for their time included. */
const depth = async (): Promise<number> => {
  const { ready, delayed } = await steps.depth();
  return ready + delayed;
};

const jsonOf = (body: Buffer): unknown => JSON.parse(body.toString());

test("OPS-3 the tests run under the Node version of the deployed runtime", () => {
  expect(process.versions.node.split(".")[0]).toBe("24");
});

test.each([...FUNCTIONS])(
  "OPS-3 %s is packed below 15 MB and loads alone within 700 ms, with its variables and nothing else of this repository",
  async (name) => {
    const { bytes, zippedBytes } = packed.get(name) ?? { bytes: Infinity, zippedBytes: Infinity };
    const starts: { readonly initMs: number; readonly initCpuMs: number }[] = [];
    let peakMb: number | undefined;
    for (let n = 0; n < 3; n += 1) {
      const environment = await start(name);
      starts.push(environment);
      peakMb = environment.peakMb();
      await environment.stop();
      open.delete(environment);
    }
    const mb = (n: number): string => (n / MB).toFixed(1);
    const each = (of: "initMs" | "initCpuMs"): string => starts.map((one) => Math.round(one[of])).join(", ");
    console.log(
      `${name}: ${mb(bytes)} MB, ${mb(zippedBytes)} MB zipped; cold start ${each("initMs")} ms, of it computing ${each("initCpuMs")} ms; ${peakMb ?? "?"} MB of ${PLANS[name].memoryMb}`,
    );
    expect(zippedBytes).toBeLessThan(15 * MB);
    // What others do on this machine makes a start slow, never fast, and is not counted as computing.
    expect(Math.min(...starts.map(({ initCpuMs }) => initCpuMs))).toBeLessThan(700);
    expect(peakMb ?? 0).toBeLessThan(PLANS[name].memoryMb * 0.6);
  },
);

test("OPS-6 a function that lacks a variable fails at its first event and says which", async () => {
  const environment = await start("sweep", { AIW_JOBS_QUEUE_URL: "" });
  const { error } = await environment.invoke({}, { timeoutMs: 5_000 });
  expect(error?.message).toContain("AIW_JOBS_QUEUE_URL: is needed here and not set");
});

test("RUN-20 OPS-3 the packed step function drops what names nothing, and fails an unreadable message alone", async () => {
  const step = await start("step");
  const invoked = await step.invoke(
    {
      Records: [
        message("steps", { v: 1, runId: randomUUID() }, "nothing"),
        message("steps", "{not json", "garbage"),
        message("steps", { v: 2, runId: randomUUID() }, "newer"),
      ],
    },
    { timeoutMs: 60_000 },
  );
  expect(invoked.error).toBeNull();
  expect(jsonOf(invoked.body)).toEqual({
    batchItemFailures: [{ itemIdentifier: "garbage" }, { itemIdentifier: "newer" }],
  });
});

test("OPS-3 RUN-3 the packed step function answers a message by a run that goes on through the queue, also after it was frozen", async () => {
  const step = await start("step");
  world.script.push("answer, please", { text: "Done by the packed function." });
  const { runId } = await world.ask("answer, please");
  const invoked = await step.invoke({ Records: [message("steps", { v: 1, runId })] }, { timeoutMs: 60_000 });
  expect(jsonOf(invoked.body)).toEqual({ batchItemFailures: [] });
  expect(await world.row(runId)).toMatchObject({ status: "completed" });
  world.script.push("once more", { text: "And again." });
  const second = await world.ask("once more");
  await step.invoke({ Records: [message("steps", { v: 1, runId: second.runId })] }, { timeoutMs: 60_000 });
  expect(await world.row(second.runId)).toMatchObject({ status: "completed" });
  expect(step.peakMb() ?? 0).toBeLessThan(PLANS.step.memoryMb * 0.6);
});

test("RUN-23 a step stops and hands over before the platform's limit, whatever its own wall says", async () => {
  const step = await start("step", { AIW_STEP_S: "780" });
  world.script.push("a model that never answers", { text: "half an ans", streamFault: "hang" });
  const { runId } = await world.ask("a model that never answers");
  const invoked = await step.invoke({ Records: [message("steps", { v: 1, runId })] }, { timeoutMs: 23_000 });
  expect(invoked.error).toBeNull();
  expect(jsonOf(invoked.body)).toEqual({ batchItemFailures: [] });
  expect(invoked.ms).toBeLessThan(20_000);
  expect(await world.row(runId)).toMatchObject({ status: "queued", attempts: 1 });
  await expect.poll(depth).toBeGreaterThan(0);
});

test("RUN-3 RUN-23 one message carries a run as many steps on as its stage allows, and no further than another one has its full time", async () => {
  const turns = [{ calls: [{ name: "nothing", arguments: {} }] }, { text: "done" }];
  const stepsOf = async (runId: string): Promise<number> => (await world.row(runId)).step;
  const invoke = async (variables: Record<string, string>, timeoutMs: number): Promise<string> => {
    const t = `steps ${randomUUID()}`;
    world.script.push(t, ...turns);
    const { runId } = await world.ask(t);
    const step = await start("step", variables);
    await step.invoke({ Records: [message("steps", { v: 1, runId })] }, { timeoutMs });
    return runId;
  };
  const short = {
    AIW_STEP_S: "20",
    AIW_MODEL_TURN_S: "10",
    AIW_MODEL_IDLE_S: "5",
    AIW_TOOL_CALL_S: "10",
    AIW_PUSH_S: "10",
  };
  const all = await invoke({ ...short, AIW_STEPS_PER_MESSAGE: "10" }, 60_000);
  expect(await world.row(all)).toMatchObject({ status: "completed", step: 3 });
  expect(await stepsOf(await invoke({ ...short, AIW_STEPS_PER_MESSAGE: "2" }, 60_000))).toBe(2);
  expect(await stepsOf(await invoke(short, 60_000))).toBe(1);
  // The platform's time is all that the first step may take: the next one comes by a message of its own.
  expect(await stepsOf(await invoke({ AIW_STEPS_PER_MESSAGE: "10", AIW_STEP_S: "780" }, 60_000))).toBe(1);
});

test("RUN-23 a step is not begun when the platform leaves no time for it: its message comes again", async () => {
  const step = await start("step");
  const { runId } = await world.ask("too late");
  const invoked = await step.invoke({ Records: [message("steps", { v: 1, runId }, "late")] }, { timeoutMs: 15_000 });
  expect(jsonOf(invoked.body)).toEqual({ batchItemFailures: [{ itemIdentifier: "late" }] });
  expect(await world.row(runId)).toMatchObject({ status: "queued", attempts: 0 });
});

test("OPS-3 the packed jobs and sweep functions take their events", async () => {
  const jobs = await start("jobs");
  const invoked = await jobs.invoke(
    { Records: [message("jobs", { v: 1, jobId: randomUUID() }), message("jobs", "[]", "unreadable")] },
    { timeoutMs: 60_000 },
  );
  expect(jsonOf(invoked.body)).toEqual({ batchItemFailures: [{ itemIdentifier: "unreadable" }] });
  const sweep = await start("sweep");
  const scheduled = {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: "000000000000",
    time: "2026-12-01T00:00:00Z",
    region: "eu-central-1",
    resources: [],
    detail: {},
  };
  await world.ask("nobody rings");
  await world.shift(120);
  const before = await depth();
  // One scheduled minute is used up to its 54th second; the platform ends this one after the first round.
  const { error } = await sweep.invoke(scheduled, { timeoutMs: 4_000 });
  expect(error?.type).toBe("Sandbox.Timedout");
  expect(await depth()).toBeGreaterThan(before);
});

test("OPS-3 UPL-1 the packed ingest function imports a file with DuckDB from its layer, in a process of its own", async () => {
  const owner = await api.signIn("owner");
  const base = `/api/workspaces/${api.workspaceId}`;
  await owner.call("POST", `${base}/upload-sources`, { name: "Uploads", confirmed: true });
  const body = "region;amount\nNorth;1.234,50\nSouth;10,00\n";
  const announced = await owner.call("POST", `${base}/uploads`, { name: "sales.csv", sizeBytes: body.length });
  const { target, upload } = announced.body;
  await fetch(target.url, { method: target.method, headers: target.headers, body });
  await owner.call("POST", `${base}/uploads/${upload.id}/complete`);
  const [job] = await api.admin.sql`select id from jobs where kind like 'upload%'`;
  const ingest = await start("ingest", { AIW_DATABASE_STEP_URL: api.database.stepUrl });
  const invoked = await ingest.invoke(
    { Records: [message("ingest", { v: 1, jobId: job?.["id"] })] },
    { timeoutMs: 60_000 },
  );
  expect(jsonOf(invoked.body)).toEqual({ batchItemFailures: [] });
  const listed = await owner.call("GET", `${base}/uploads`);
  expect(listed.body.items).toMatchObject([{ name: "sales.csv", status: "ready", rows: 2 }]);
});

test("OPS-3 OPS-8 the packed API streams status and headers before the body, with problems and cookies as over HTTP", async () => {
  const environment = await start("api");
  const health = await environment.invoke(request("GET", "/healthz"), { timeoutMs: 60_000 });
  expect(health).toMatchObject({ streamed: true, head: { statusCode: 200 }, error: null });
  expect(health.head?.headers["content-security-policy"]).toContain("default-src 'none'");
  const config = await environment.invoke(request("GET", "/api/config"), { timeoutMs: 60_000 });
  expect(jsonOf(config.body)).toMatchObject({ demo: false, demoLogins: [] });
  const refused = await environment.invoke(request("GET", "/api/me"), { timeoutMs: 60_000 });
  expect(refused.head?.statusCode).toBe(401);
  expect(jsonOf(refused.body)).toMatchObject({ code: "not_signed_in" });
  const member = await api.signIn("member");
  const me = await environment.invoke(request("GET", "/api/me", member), { timeoutMs: 60_000 });
  expect(me.head?.statusCode).toBe(200);
});

test("OPS-4 OPS-11 a stream of a function polls without a subscription, and is neither compressed nor kept on the way", async () => {
  const environment = await start("api");
  const member = await api.signIn("member");
  const { runId } = await addRun(api, api.workspaceId, "member");
  const fence = await claim(api, runId);
  let text = "";
  let at = 0;
  const running = environment.invoke(
    request("GET", `/api/runs/${runId}/events`, member, { "accept-encoding": "gzip" }),
    {
      timeoutMs: 90_000,
      onChunk: (chunk) => {
        text += chunk.toString();
        if (at === 0 && text.includes("through the poll")) at = performance.now();
      },
    },
  );
  await expect.poll(() => text).toContain("retry:");
  const began = performance.now();
  await stream(api, api.workspaceId, runId, fence, ["through the poll"]);
  await expect.poll(() => at, { timeout: 10_000 }).toBeGreaterThan(0);
  console.log(`an event reached the reader after ${Math.round(at - began)} ms`);
  const listening = await api.admin.sql`select 1 from pg_stat_activity
    where datname = current_database() and application_name like 'aiw-%' and query ilike 'listen%'`;
  expect(listening).toHaveLength(0);
  await commit(api, api.workspaceId, runId, fence, {
    status: "completed",
    endReason: "answered",
    events: [{ type: "message.completed", data: { step: 1, text: "through the poll", final: true } }],
  });
  const { head } = await running;
  expect(head?.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  });
  expect(head?.headers["content-encoding"]).toBeUndefined();
});

test("OPS-4 the stream of a run that waits for a person, and the inbox, hold no environment: they end and name when to come back", async () => {
  const environment = await start("api");
  const member = await api.signIn("member");
  const { runId } = await addWaiting(api, api.workspaceId, "member");
  const path = `/api/runs/${runId}/events`;
  const first = await environment.invoke(request("GET", path, member), { timeoutMs: 60_000 });
  const frames = first.body.toString();
  const ids = [...frames.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  expect(ids.length).toBeGreaterThan(0);
  expect(frames.endsWith('retry: 5000\nevent: rest\ndata: {"ms":5000}\n\n')).toBe(true);
  // The browser comes back and says where it was: nothing is told twice, and it rests again.
  const resumed = await environment.invoke(request("GET", path, member, { "last-event-id": String(ids.at(-1)) }), {
    timeoutMs: 60_000,
  });
  expect(resumed.body.toString()).toBe('retry: 2000\n\nretry: 5000\nevent: rest\ndata: {"ms":5000}\n\n');
  const inbox = await environment.invoke(request("GET", "/api/inbox/events", member), { timeoutMs: 60_000 });
  expect(inbox.body.toString()).toContain('"type":"approvals"');
  expect(inbox.body.toString()).toContain('event: rest\ndata: {"ms":10000}');
});

test("OPS-3 an event above 6 MB is refused before a function sees it, and a message above 256 KB is not sent", async () => {
  const environment = await start("api");
  const tooLarge = request("POST", "/api/login", undefined, {}, "x".repeat(EVENT_LIMIT_BYTES));
  await expect(environment.invoke(tooLarge, { timeoutMs: 5_000 })).rejects.toThrow(/above 6 MB/);
  await expect(steps.send({ text: "x".repeat(256 * 1024) })).rejects.toThrow(/256 KB/);
});

test("OPS-4 the packed service serves the same API, subscribes to the database, and ends in order when it is told to", async () => {
  const service = spawn(process.execPath, ["service.mjs"], {
    cwd: await packService(directory),
    env: {
      AIW_HOST: "127.0.0.1",
      AIW_PORT: "0",
      AIW_DATABASE_API_URL: api.database.apiUrl,
      AIW_DATABASE_LISTEN_URL: api.database.apiUrl,
      AIW_SECRET_KEY: world.vaultKey,
      AIW_STEP_QUEUE_URL: queues.steps.url,
      AIW_JOBS_QUEUE_URL: queues.jobs.url,
      AIW_INGEST_QUEUE_URL: queues.ingest.url,
      AIW_BUCKET: "packed-functions",
      AWS_ENDPOINT_URL: cloud.endpoint,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
    },
  });
  let said = "";
  service.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await expect.poll(() => said, { timeout: 15_000 }).toContain("serving");
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? "";
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const member = await api.signIn("member");
  const inbox = await fetch(`${url}/api/inbox/events`, { headers: { cookie: member.cookie } });
  await expect
    .poll(
      () =>
        api.admin.sql`select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen%'`.then(
          (rows) => rows.length,
        ),
      { timeout: 10_000 },
    )
    .toBeGreaterThan(0);
  await inbox.body?.cancel();
  const ended = new Promise((resolve) => service.once("exit", resolve));
  service.kill("SIGTERM");
  expect(await ended).toBe(0);
});
