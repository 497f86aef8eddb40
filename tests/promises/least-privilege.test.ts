import { randomBytes } from "node:crypto";
import * as approvals from "@aiw/core/approvals";
import * as sources from "@aiw/core/sources";
import * as uploads from "@aiw/core/uploads";
import { step } from "@aiw/engine/step";
import { compose as composeApi } from "@aiw/function-api/compose";
import { compose as composeIngest } from "@aiw/function-ingest/compose";
import { runJob as runImport } from "@aiw/function-ingest/run-job";
import { compose as composeJobs } from "@aiw/function-jobs/compose";
import { runJob } from "@aiw/function-jobs/run-job";
import { compose as composeStep } from "@aiw/function-step/compose";
import {
  CHECKED_AT_START,
  type FunctionName,
  FUNCTIONS,
  GIVEN_BY_THE_PLATFORM,
  NEVER_DEPLOYED,
  PLANS,
  SECRETS,
} from "@aiw/infra/functions";
import { type EnvName, envNames, loadEnv, onRead } from "@aiw/platform/env";
import { createBucket, ensureBucket } from "@aiw/platform/bucket";
import { createQueue, ensureQueues } from "@aiw/platform/queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AwsRecorder, recordAws } from "../kit/aws-recorder.ts";
import { startCloud } from "../kit/cloud.ts";
import { commitToMain, detailOf, waitingRequest } from "../kit/requests.ts";
import { decide } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

/**
 * The work of each function is played with its own composition; the calls it makes are read off the wire, its variables off the
 * environment it loads. What infra/functions.ts declares, and so what is deployed, is exactly that (OPS-4).
 */
const REGION = "eu-central-1";
const before = { ...process.env };
const recorders = new Map<FunctionName, AwsRecorder>();
const read = new Map<FunctionName, Set<EnvName>>(FUNCTIONS.map((name) => [name, new Set()]));
let world: World;
let cloud: Awaited<ReturnType<typeof startCloud>>;
let queues: Awaited<ReturnType<typeof ensureQueues<"steps" | "jobs" | "ingest">>>;

beforeAll(async () => {
  [world, cloud] = await Promise.all([startWorld(), startCloud()]);
  queues = await ensureQueues(cloud.endpoint, REGION, [
    { name: "steps", visibilityS: 30 },
    { name: "jobs", visibilityS: 30 },
    { name: "ingest", visibilityS: 30 },
  ]);
  await ensureBucket(cloud.endpoint, REGION, "bucket");
  for (const name of FUNCTIONS) recorders.set(name, await recordAws(cloud.endpoint));
  await playApi();
  await playStepAndJobs();
  await playSweep();
}, 120_000);
afterAll(async () => {
  process.env = before;
  for (const recorder of recorders.values()) await recorder.stop();
  await Promise.all([world.stop(), cloud.stop()]);
});

const variablesOf = (name: FunctionName): Record<string, string> => {
  const endpoint = recorders.get(name)?.endpoint ?? "";
  return {
    AIW_ENV: "test",
    AIW_LOG_LEVEL: "silent",
    AIW_DATABASE_API_URL: world.database.apiUrl,
    AIW_DATABASE_STEP_URL: world.database.stepUrl,
    AIW_STEP_QUEUE_URL: queues.steps.url,
    AIW_JOBS_QUEUE_URL: queues.jobs.url,
    AIW_INGEST_QUEUE_URL: queues.ingest.url,
    AIW_SECRET_KEY: world.vaultKey,
    AIW_BUCKET: "bucket",
    AIW_SQS_ENDPOINT: endpoint,
    AWS_ENDPOINT_URL: endpoint,
    AIW_GIT_ALLOWED_HOSTS: `127.0.0.1:${world.git.port}`,
    AIW_ALLOW_LOCAL: "true",
    OPENAI_API_KEY: "sk-test-gateway-key",
    OPENAI_BASE_URL: world.gateway.url,
  };
};

/** Whatever is taken from an environment that is loaded meanwhile counts as read by this function. */
const reading = <T>(name: FunctionName, work: () => T): T => {
  const stop = onRead((variable) => void read.get(name)?.add(variable));
  try {
    return work();
  } finally {
    stop();
  }
};

const playApi = async (): Promise<void> => {
  const { deps, close } = reading("api", () =>
    composeApi(variablesOf("api"), { streams: { listens: false, pollMs: 250 } }),
  );
  // Asked for each time, because every gateway has an address of its own.
  reading("api", () => deps.modelGuard("https://models.example.com/v1")).close();
  await deps.ringStep({ teamId: world.teamId, runIds: ["0193b2a0-0000-7000-8000-000000000001"] });
  await deps.ringJob("0193b2a0-0000-7000-8000-000000000002");
  for (const [name, check] of Object.entries(deps.checks)) if (name !== "migrations") await check();
  await deps.ringIngest("0193b2a0-0000-7000-8000-000000000003");
  await playUpload(deps.uploads);
  for (const name of ["steps", "jobs", "ingest"] as const) {
    const dead = createQueue({ region: REGION, url: queues[name].deadLetterUrl, endpoint: cloud.endpoint });
    await dead.send({ v: 1, letter: name });
    const [letter] = await deps.deadLetters[name].list(10);
    expect(await deps.deadLetters[name].settle(letter?.id ?? "", "redrive", async () => undefined)).toBe(true);
    dead.close();
  }
  await close();
};

/** A file is announced and sent to the address that the API signed, imported, and deleted again. */
const playUpload = async (edges: Parameters<typeof uploads.create>[2]): Promise<void> => {
  const ctx = await world.member("owner");
  await uploads.connect(ctx, { name: "Uploads", confirmed: true });
  const body = "region;amount\nNorth;1\n";
  const { upload, target } = await uploads.create(ctx, { name: "sales.csv", sizeBytes: body.length }, edges);
  expect((await fetch(target.url, { method: target.method, headers: target.headers, body })).status).toBe(200);
  const { jobId } = await uploads.complete(ctx, upload.id);
  const ingest = reading("ingest", () => composeIngest(variablesOf("ingest")));
  await runImport(ingest.deps, jobId ?? "");
  expect((await uploads.list(ctx, edges)).items).toMatchObject([{ status: "ready" }]);
  await runImport(ingest.deps, await uploads.remove(ctx, upload.id));
  await ingest.close();
};

const playStepAndJobs = async (): Promise<void> => {
  const steps = reading("step", () => composeStep(variablesOf("step")));
  const background = reading("jobs", () => composeJobs(variablesOf("jobs")));
  // Steps of the world are those of the deployed composition: it fetches, keeps the copy, asks, writes and rings.
  const { runId, request } = await waitingRequest({
    ...world,
    drive: async (id) => {
      for (let n = 0; n < 20 && (await world.row(id)).status === "queued"; n += 1)
        await step(steps.deps, { v: 1, runId: id });
      return world.row(id);
    },
  });
  // Another file changes, so that the look at the target has a new copy to keep.
  commitToMain(world, "NOTES.md", "noted\n");
  await world.shift(61);
  const { jobId } = await approvals.view(world.as("approver"), [world.workspaceId], request.id, world.deps.vault);
  expect(jobId).not.toBeNull();
  await runJob(background.deps, jobId ?? "");
  expect(await detailOf(world, "approver", request.id)).toMatchObject({ stale: false });
  const tested = await sources.requestTest(await world.member("owner"), world.sourceId);
  await runJob(background.deps, tested.id);
  await background.deps.ring([{ runId, teamId: world.teamId }]);
  await decide(world, "approver", request, "approved");
  for (let n = 0; n < 20 && (await world.row(runId)).status === "queued"; n += 1)
    await step(steps.deps, { v: 1, runId });
  expect(await world.row(runId)).toMatchObject({ status: "completed" });
  await Promise.all([steps.close(), background.close()]);
};

const LIMITS = {
  maxFileBytes: 1_000,
  quotaBytes: 1_000_000,
  sign: async () => ({ url: "https://bucket.example.com", method: "PUT" as const, headers: {} }),
};

const playSweep = async (): Promise<void> => {
  await world.ask("nobody rings for this");
  await sources.requestTest(await world.member("owner"), world.sourceId);
  const own = await world.member("owner");
  const waiting = await uploads.create(own, { name: "left.csv", sizeBytes: 1 }, LIMITS);
  await uploads.remove(own, waiting.upload.id);
  const stray = createBucket({ region: REGION, bucket: "bucket", endpoint: cloud.endpoint });
  await stray.put(`uploads/${world.workspaceId}/0193b2a0-0000-7000-8000-000000000009/original`, Buffer.from("x"));
  stray.close();
  // Longer than a doorbell may take, and than the last look at objects that belong to nobody.
  await world.shift(90_000);
  process.env = { ...before, ...variablesOf("sweep") };
  const { sweepOnce } = await import("@aiw/function-sweep/handler");
  await reading("sweep", () => sweepOnce());
};

const declaredCalls = (name: FunctionName) =>
  Object.fromEntries(
    Object.entries(PLANS[name].calls).map(([resource, actions]) => [resource, [...actions].toSorted()]),
  );
const seenCalls = (name: FunctionName) =>
  Object.fromEntries(
    [...(recorders.get(name)?.seen ?? [])].map(([resource, actions]) => [resource, [...actions].toSorted()]),
  );

test.each([...FUNCTIONS])("OPS-4 %s may do on each resource what it was seen to do, and nothing else", (name) => {
  expect(Object.keys(seenCalls(name)).length).toBeGreaterThan(0);
  expect(declaredCalls(name)).toEqual(seenCalls(name));
});

test.each([...FUNCTIONS])("OPS-4 %s is given the variables it reads, and no others", (name) => {
  const local = new Set<EnvName>([...NEVER_DEPLOYED, ...GIVEN_BY_THE_PLATFORM, ...CHECKED_AT_START]);
  // A function has no subscription of its own.
  local.add("AIW_DATABASE_LISTEN_URL");
  const seen = [...(read.get(name) ?? [])].filter((variable) => !local.has(variable)).toSorted();
  expect(seen.length).toBeGreaterThan(3);
  expect([...PLANS[name].variables].toSorted()).toEqual(seen);
});

test.each([...FUNCTIONS])("OPS-4 N87 %s starts in production with what it is given, secrets included", (name) => {
  const values: Record<string, string> = {
    AIW_ENV: "production",
    AIW_PUBLIC_URL: "https://ai.example.com",
    AIW_DATABASE_API_URL: "postgres://aiw_api:x@db.internal/aiw",
    AIW_DATABASE_STEP_URL: "postgres://aiw_step:x@db.internal/aiw",
    AIW_SECRET_KEY: randomBytes(32).toString("base64"),
    AIW_BUCKET: "aiw-production",
    AIW_STEP_QUEUE_URL: "https://sqs.eu-central-1.amazonaws.com/1/steps",
    AIW_JOBS_QUEUE_URL: "https://sqs.eu-central-1.amazonaws.com/1/jobs",
    AIW_INGEST_QUEUE_URL: "https://sqs.eu-central-1.amazonaws.com/1/ingest",
    OPENAI_API_KEY: "sk-x",
  };
  const given = Object.fromEntries(
    [...PLANS[name].variables, ...CHECKED_AT_START].flatMap((variable) =>
      values[variable] === undefined ? [] : [[variable, values[variable]]],
    ),
  );
  const opensSecrets = PLANS[name].variables.includes("AIW_SECRET_KEY");
  expect(() => loadEnv(given, [], { opensSecrets })).not.toThrow();
  for (const secret of SECRETS) expect(envNames).toContain(secret);
});
