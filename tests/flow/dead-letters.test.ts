import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jobMessage, stepMessage } from "@aiw/contract/runs";
import * as deadLetters from "@aiw/core/dead-letters";
import { step } from "@aiw/engine/step";
import { startEmulator, type Emulator } from "@aiw/infra/local/emulator";
import { run, type Runner } from "@aiw/infra/local/runner";
import { createDeadLetters, type DeadLetters } from "@aiw/platform/dead-letters";
import { createLog, registerSecret } from "@aiw/platform/log";
import { createQueue, ensureQueues, type Queue } from "@aiw/platform/queue";
import { topic } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

const REGION = "eu-central-1";
const SECRET = `tok-${randomUUID()}`;
let world: World;
let emulator: Emulator;
let directory: string;
let steps: Queue;
let letters: { steps: DeadLetters; jobs: DeadLetters; ingest: DeadLetters };
let runner: Runner;
beforeAll(async () => {
  registerSecret(SECRET);
  directory = mkdtempSync(join(tmpdir(), "aiw-letters-"));
  emulator = await startEmulator({ dataDir: directory });
  world = await startWorld();
  const made = await ensureQueues(emulator.endpoint, REGION, [
    { name: "steps", visibilityS: 1, maxReceiveCount: 2 },
    { name: "jobs", visibilityS: 1, maxReceiveCount: 2 },
    { name: "ingest", visibilityS: 1, maxReceiveCount: 2 },
  ]);
  const place = (url: string) => ({ endpoint: emulator.endpoint, region: REGION, url });
  steps = createQueue(place(made.steps.url));
  letters = {
    steps: createDeadLetters(place(made.steps.url)),
    jobs: createDeadLetters(place(made.jobs.url)),
    ingest: createDeadLetters(place(made.ingest.url)),
  };
  runner = run(
    {
      name: "steps",
      queueUrl: made.steps.url,
      endpoint: emulator.endpoint,
      region: REGION,
      visibilityS: 1,
      concurrency: 2,
      handler: async ({ Records: [record] }) => {
        await step(world.deps, stepMessage.parse(JSON.parse(record?.body ?? "")));
        return { batchItemFailures: [] };
      },
    },
    createLog({ level: "silent" }),
  );
});
afterAll(async () => {
  await runner.stop();
  steps.close();
  letters.steps.close();
  letters.jobs.close();
  letters.ingest.close();
  await world.stop();
  await emulator.stop();
  rmSync(directory, { recursive: true, force: true });
});

const admin = () => world.as("admin");
const seen = async () => (await deadLetters.list(admin(), letters)).items;
const audited = async (): Promise<unknown[]> =>
  world.admin.sql`select event, actor_id, data from audit_events where event like 'dead_letter.%' order by id`.then(
    (rows) => rows.map((r) => ({ ...r })),
  );

test("RUN-20 F35 messages that cannot be read, and those of a later version, end with the dead letters; an unknown run is dropped; other runs go on", async () => {
  const t = topic();
  world.script.push(t, { text: "fine" });
  const { runId } = await world.ask(t);
  await steps.send({ v: 2, runId: randomUUID(), token: SECRET });
  await steps.send({ hello: "<script>" });
  await steps.send({ v: 1, runId: randomUUID() });
  await steps.send({ v: 1, runId });
  await expect.poll(async () => (await seen()).length, { timeout: 15_000 }).toBe(2);
  await expect.poll(() => world.row(runId), { timeout: 5000 }).toMatchObject({ status: "completed" });
  const items = await seen();
  expect(items.map((i) => i.reason).toSorted()).toEqual(["unknown_version", "unreadable"]);
  for (const item of items) {
    expect(item).toMatchObject({ queue: "steps", sentAt: expect.any(String) as string });
    expect(item.body).not.toContain(SECRET);
  }
  // Looking takes nothing away and hides nothing.
  expect((await seen()).map((i) => i.id).toSorted()).toEqual(items.map((i) => i.id).toSorted());
});

test("RUN-20 ADM-1 a letter is sent once more or taken away by a platform admin alone; both are audited without its body", async () => {
  const items = await seen();
  const [unreadable] = items.filter((i) => i.reason === "unreadable");
  const [later] = items.filter((i) => i.reason === "unknown_version");
  if (unreadable === undefined || later === undefined) throw new Error("the letters are not there");
  const remove = { queue: "steps", messageId: unreadable.id } as const;
  for (const role of ["owner", "global", "outsider"] as const) {
    await expect(deadLetters.list(world.as(role), letters)).rejects.toMatchObject({ code: "forbidden" });
    await expect(deadLetters.settle(world.as(role), letters, remove, "remove")).rejects.toMatchObject({
      code: "forbidden",
    });
  }
  await deadLetters.settle(admin(), letters, remove, "remove");
  await expect(deadLetters.settle(admin(), letters, remove, "remove")).rejects.toMatchObject({ code: "not_found" });
  await deadLetters.settle(admin(), letters, { queue: "steps", messageId: later.id }, "redrive");
  // It still is of a later version, so it comes back under a name of its own.
  await expect.poll(async () => (await seen()).map((i) => i.reason), { timeout: 15_000 }).toEqual(["unknown_version"]);
  expect((await seen())[0]?.id).not.toBe(later.id);
  const rows = await audited();
  expect(rows).toMatchObject([
    {
      event: "dead_letter.removed",
      actor_id: world.people.admin.userId,
      data: { queue: "steps", reason: "unreadable" },
    },
    { event: "dead_letter.redriven", data: { queue: "steps", reason: "unknown_version" } },
  ]);
  expect(JSON.stringify(rows)).not.toContain("script");
});

test("RUN-20 F31 a sound message that died is redriven without harm, however often: its run was done long ago", async () => {
  const t = topic();
  world.script.push(t, { text: "once" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  const before = await world.row(runId);
  const jobs = await letters.jobs.list(10);
  expect(jobs).toEqual([]);
  expect(jobMessage.safeParse({ v: 1, jobId: randomUUID() }).success).toBe(true);
  for (let n = 0; n < 3; n += 1) await steps.send({ v: 1, runId });
  await expect
    .poll(async () => (await steps.depth()).ready + (await steps.depth()).inFlight, { timeout: 10_000 })
    .toBe(0);
  expect(await world.row(runId)).toEqual(before);
});
