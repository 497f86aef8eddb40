import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "@aiw/infra/local/emulator";
import type { Emulator } from "@aiw/infra/local/emulator";
import { BucketKeyError, createBucket, ensureBucket } from "@aiw/platform/bucket";
import { createQueue, ensureQueues } from "@aiw/platform/queue";
import { LOCALSTACK, startCloud } from "../kit/cloud.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const region = "eu-central-1";
let emulator: Emulator;

beforeAll(async () => {
  emulator = await startCloud();
});
afterAll(async () => {
  await emulator.stop();
});

async function makeQueue(name: string, visibilityS = 30, maxReceiveCount = 5) {
  const made = await ensureQueues(emulator.endpoint, region, [{ name, visibilityS, maxReceiveCount }]);
  const urls = made[name];
  if (urls === undefined) throw new Error("no queue");
  const at = (url: string) => createQueue({ endpoint: emulator.endpoint, region, url });
  return { queue: at(urls.url), dead: at(urls.deadLetterUrl) };
}

describe.skipIf(LOCALSTACK !== undefined)("OPS-1 the emulator", () => {
  test("OPS-1 listens on loopback only", async () => {
    const { hostname, port } = new URL(emulator.endpoint);
    expect(hostname).toBe("127.0.0.1");
    // The same port can still be taken on another address of the machine.
    const other = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === "IPv4" && !one.internal);
    const address = other?.address ?? "127.0.0.2";
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(Number(port), address, resolve));
    await new Promise((resolve) => server.close(resolve));
  });

  test("OPS-1 objects survive a restart", async () => {
    const folder = await mkdtemp(join(tmpdir(), "aiw-emulator-"));
    const before = await startEmulator({ dataDir: folder });
    await ensureBucket(before.endpoint, region, "aiw-kept");
    await createBucket({ endpoint: before.endpoint, region, bucket: "aiw-kept" }).put(
      "a/b",
      new Uint8Array([1, 2]),
      "text/plain",
    );
    await before.stop();
    const after = await startEmulator({ dataDir: folder });
    await ensureBucket(after.endpoint, region, "aiw-kept");
    expect(await createBucket({ endpoint: after.endpoint, region, bucket: "aiw-kept" }).get("a/b")).toEqual(
      new Uint8Array([1, 2]),
    );
    await after.stop();
    await rm(folder, { recursive: true });
  });
});

describe("OPS-3 queue", () => {
  test("OPS-3 messages arrive with their count and are gone when removed", async () => {
    const { queue } = await makeQueue("plain");
    await queue.send({ runId: "r1" }, { group: "team-1" });
    expect(await queue.sendMany(Array.from({ length: 12 }, (_, index) => ({ body: { index } })))).toEqual([]);
    const seen: unknown[] = [];
    while (seen.length < 13) {
      const messages = await queue.receive({ max: 10, waitS: 1, visibilityS: 30 });
      for (const message of messages) {
        expect(message.receiveCount).toBe(1);
        seen.push(JSON.parse(message.body));
        await queue.remove(message.receipt);
      }
    }
    expect(seen).toContainEqual({ runId: "r1" });
    expect(await queue.depth()).toEqual({ ready: 0, inFlight: 0, delayed: 0 });
  });

  test("OPS-3 a message that is not removed comes again and ends in the dead letters after the last delivery", async () => {
    const { queue, dead } = await makeQueue("failing", 30, 2);
    await queue.send({ poison: true });
    for (const count of [1, 2]) {
      const [message] = await queue.receive({ max: 1, waitS: 2, visibilityS: 30 });
      expect(message?.receiveCount).toBe(count);
      await queue.extend(message?.receipt ?? "", 0);
    }
    expect(await queue.receive({ max: 1, waitS: 0, visibilityS: 30 })).toEqual([]);
    const [letter] = await dead.receive({ max: 1, waitS: 2, visibilityS: 30 });
    expect(JSON.parse(letter?.body ?? "{}")).toEqual({ poison: true });
  });

  test("OPS-3 delays the real service would refuse are refused here, unusable groups are left out", async () => {
    const { queue } = await makeQueue("delays");
    for (const delayS of [-1, 901, 1.5, Number.NaN])
      await expect(queue.send({}, { delayS })).rejects.toThrow(RangeError);
    await queue.send({}, { delayS: 900, group: "x".repeat(129) });
    await queue.send({}, { delayS: 900, group: "with space" });
    expect(await queue.depth()).toMatchObject({ ready: 0, delayed: 2 });
  });

  test("OPS-1 creating the queues again keeps them", async () => {
    const { queue } = await makeQueue("again");
    await queue.send({ kept: true });
    const same = await makeQueue("again");
    expect(same.queue.url).toBe(queue.url);
    expect((await same.queue.depth()).ready).toBe(1);
  });

  test("OPS-2 queues that are there with other settings are kept and get the new ones", async () => {
    const { queue } = await makeQueue("changed", 30, 5);
    await queue.send({ kept: true });
    const { queue: changed, dead } = await makeQueue("changed", 20, 1);
    const [message] = await changed.receive({ max: 1, waitS: 2, visibilityS: 20 });
    expect(JSON.parse(message?.body ?? "{}")).toEqual({ kept: true });
    await changed.extend(message?.receipt ?? "", 0);
    expect(await changed.receive({ max: 1, waitS: 1, visibilityS: 20 })).toEqual([]);
    expect((await dead.receive({ max: 1, waitS: 2, visibilityS: 20 })).length).toBe(1);
  });
});

describe("bucket", () => {
  test("objects are put, read, looked at, listed and deleted; what is missing is null", async () => {
    await ensureBucket(emulator.endpoint, region, "aiw-test");
    await ensureBucket(emulator.endpoint, region, "aiw-test");
    const bucket = createBucket({ endpoint: emulator.endpoint, region, bucket: "aiw-test" });
    expect([await bucket.get("no/such"), await bucket.head("no/such")]).toEqual([null, null]);
    const bytes = Buffer.from([0, 255, 10]);
    for (const key of ["w/1/a", "w/1/b", "w/2/c"]) await bucket.put(key, bytes, "text/csv");
    await bucket.put("w/1/empty", new Uint8Array());
    expect(Buffer.from((await bucket.get("w/1/a")) ?? [])).toEqual(bytes);
    expect(await bucket.head("w/1/a")).toEqual({ sizeBytes: 3, contentType: "text/csv" });
    expect((await bucket.list("w/1/")).map(({ key }) => key)).toEqual(["w/1/a", "w/1/b", "w/1/empty"]);
    await bucket.delete("w/1/a");
    await bucket.delete("w/1/a");
    expect(await bucket.get("w/1/a")).toBeNull();
  });

  test("SEC-1 keys that could lead elsewhere are refused before anything is sent", async () => {
    const bucket = createBucket({ endpoint: "http://127.0.0.1:1", region, bucket: "aiw-test" });
    for (const key of [
      "",
      "/a",
      "a/",
      "a//b",
      "../a",
      "a/../b",
      "a/./b",
      "a\\b",
      "a\u0000",
      "a b",
      "a?x",
      "ä",
      "x".repeat(901),
    ]) {
      await expect(bucket.get(key)).rejects.toBeInstanceOf(BucketKeyError);
      await expect(bucket.put(key, new Uint8Array())).rejects.toBeInstanceOf(BucketKeyError);
    }
    await expect(async () => bucket.list("../")).rejects.toBeInstanceOf(BucketKeyError);
  });
});
