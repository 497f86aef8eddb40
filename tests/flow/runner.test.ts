import type { SQSEvent } from "aws-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Emulator } from "@aiw/infra/local/emulator";
import { run, type Runner } from "@aiw/infra/local/runner";
import { createLog } from "@aiw/platform/log";
import { createQueue, ensureQueues, type Queue } from "@aiw/platform/queue";
import { startCloud } from "../kit/cloud.ts";

const REGION = "eu-central-1";
let emulator: Emulator;
beforeAll(async () => {
  process.env["AWS_ACCESS_KEY_ID"] ??= "test";
  process.env["AWS_SECRET_ACCESS_KEY"] ??= "test";
  emulator = await startCloud();
});
afterAll(async () => {
  await emulator.stop();
});

interface Wired {
  readonly queue: Queue;
  readonly dead: Queue;
  readonly runner: Runner;
  readonly seen: { body: string; count: number }[];
}

const wire = async (
  name: string,
  handler: (body: string, event: SQSEvent) => Promise<boolean>,
  concurrency = 4,
): Promise<Wired> => {
  const { [name]: made } = await ensureQueues(emulator.endpoint, REGION, [
    { name, visibilityS: 1, maxReceiveCount: 2 },
  ]);
  if (made === undefined) throw new Error("the queue was not made");
  const open = (url: string) => createQueue({ endpoint: emulator.endpoint, region: REGION, url });
  const seen: Wired["seen"] = [];
  const runner = run(
    {
      name,
      queueUrl: made.url,
      endpoint: emulator.endpoint,
      region: REGION,
      visibilityS: 1,
      concurrency,
      handler: async (event) => {
        const [record] = event.Records;
        if (record === undefined || event.Records.length !== 1) throw new Error("the batch size is one");
        seen.push({ body: record.body, count: Number(record.attributes.ApproximateReceiveCount) });
        const ok = await handler(record.body, event);
        return { batchItemFailures: ok ? [] : [{ itemIdentifier: record.messageId }] };
      },
    },
    createLog({ level: "silent" }),
  );
  return { queue: open(made.url), dead: open(made.deadLetterUrl), runner, seen };
};

const bodies = (w: Wired): unknown[] => w.seen.map((s) => JSON.parse(s.body) as unknown);

test("OPS-3 a message is handed over alone and removed when its invocation succeeded", async () => {
  const w = await wire("done", async () => true);
  await w.queue.send({ n: 1 });
  await w.queue.send({ n: 2 });
  await expect.poll(() => w.seen.length).toBe(2);
  await w.runner.stop();
  expect(bodies(w)).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }]));
  expect(await w.queue.depth()).toMatchObject({ ready: 0, inFlight: 0 });
});

test("OPS-3 F34 a failed invocation gets its message back after the visibility time, and in the end it lies with the dead letters", async () => {
  const w = await wire("poison", async (body) => !body.includes("bad"));
  await w.queue.send({ n: "bad" });
  await w.queue.send({ n: "good" });
  await expect.poll(() => w.dead.depth().then((d) => d.ready), { timeout: 10_000 }).toBe(1);
  await w.runner.stop();
  expect(w.seen.filter((s) => s.body.includes("bad")).map((s) => s.count)).toEqual([1, 2]);
  expect(w.seen.filter((s) => s.body.includes("good"))).toHaveLength(1);
  const [letter] = await w.dead.receive({ max: 1, waitS: 1, visibilityS: 5 });
  expect(JSON.parse(letter?.body ?? "null")).toEqual({ n: "bad" });
});

test("OPS-3 an invocation that throws is a failed one", async () => {
  const w = await wire("throws", async () => {
    throw new Error("on purpose");
  });
  await w.queue.send({ n: 1 });
  await expect.poll(() => w.seen.length, { timeout: 5000 }).toBe(2);
  await w.runner.stop();
});

test("OPS-3 no more invocations run at once than the function allows", async () => {
  let now = 0;
  let most = 0;
  const w = await wire(
    "bounded",
    async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return true;
    },
    2,
  );
  await Promise.all(Array.from({ length: 12 }, (_, n) => w.queue.send({ n })));
  await expect.poll(() => w.seen.length).toBe(12);
  await w.runner.stop();
  expect(most).toBeLessThanOrEqual(2);
});
