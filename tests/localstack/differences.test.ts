import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmulator, type Emulator } from "@aiw/infra/local/emulator";
import { ensureBucket } from "@aiw/platform/bucket";
import { createQueue, ensureQueues } from "@aiw/platform/queue";
import { dataFolder } from "../kit/stack.ts";
import { LOCALSTACK } from "../kit/cloud.ts";

/**
 * OPS-2: where the embedded emulator and LocalStack part, written down in docs/localstack.md. A line that is no longer true
 * of one of the two fails here, so that nobody builds on what only one of them does.
 */
const REGION = "eu-central-1";
const BUCKET = "aiw-differences";

const folder = dataFolder();
let emulator: Emulator;
const endpoints = (): Record<"emulator" | "localstack", string> => ({
  emulator: emulator.endpoint,
  localstack: LOCALSTACK ?? "",
});
beforeAll(async () => {
  emulator = await startEmulator({ dataDir: folder.path });
  for (const endpoint of Object.values(endpoints())) await ensureBucket(endpoint, REGION, BUCKET);
});
afterAll(async () => {
  await emulator.stop();
  folder.end();
});

const authorization = (service: string): string =>
  `AWS4-HMAC-SHA256 Credential=test/20260101/${REGION}/${service}/aws4_request, SignedHeaders=host, Signature=0`;

/** A request of the queue service's JSON protocol. */
const sqs = async (endpoint: string, action: string, body: object): Promise<{ status: number; body: string }> => {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": `AmazonSQS.${action}`,
      authorization: authorization("sqs"),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.text() };
};

const put = async (endpoint: string, key: string, bytes: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${endpoint}/${BUCKET}/${key}`, {
    method: "PUT",
    headers: { authorization: authorization("s3"), ...headers },
    body: bytes,
  });
  await response.body?.cancel();
  return response.status;
};

/** Asks both the same; the answers stand side by side in the test. */
const both = async <T>(
  ask: (endpoint: string, name: string) => Promise<T>,
): Promise<{ emulator: T; localstack: T }> => {
  const { emulator: here, localstack } = endpoints();
  return { emulator: await ask(here, "emulator"), localstack: await ask(localstack, "localstack") };
};

const queueAt = async (endpoint: string, name: string): Promise<{ url: string; deadLetterUrl: string }> => {
  const { [name]: made } = await ensureQueues(endpoint, REGION, [{ name, visibilityS: 1, maxReceiveCount: 1 }]);
  if (made === undefined) throw new Error("the queue was not made");
  return made;
};

test("OPS-2 a conditional write that must not overwrite is refused by LocalStack alone", async () => {
  const seen = await both(async (endpoint) => [
    await put(endpoint, "once", "first"),
    await put(endpoint, "once", "second", { "if-none-match": "*" }),
  ]);
  expect(seen).toEqual({ emulator: [200, 200], localstack: [200, 412] });
});

test("OPS-2 bytes that are not those of the checksum are refused by LocalStack alone", async () => {
  const wrong = createHash("md5").update("other bytes").digest("base64");
  expect(await both((endpoint) => put(endpoint, "sum", "bytes", { "content-md5": wrong }))).toEqual({
    emulator: 200,
    localstack: 400,
  });
});

test("OPS-2 a delay that the cloud refuses is taken by both, so our own code refuses it", async () => {
  const seen = await both(async (endpoint) => {
    const { url } = await queueAt(endpoint, "differences-delay");
    return (await sqs(endpoint, "SendMessage", { QueueUrl: url, MessageBody: "{}", DelaySeconds: 901 })).status;
  });
  expect(seen).toEqual({ emulator: 200, localstack: 200 });
  for (const endpoint of Object.values(endpoints())) {
    const { url } = await queueAt(endpoint, "differences-delay");
    const queue = createQueue({ endpoint, region: REGION, url });
    await expect(queue.send({}, { delayS: 901 })).rejects.toThrow(RangeError);
    queue.close();
  }
});

test("OPS-2 RUN-20 the service's own way back from the dead letters is there at LocalStack alone", async () => {
  const seen = await both(async (endpoint) => {
    const { deadLetterUrl } = await queueAt(endpoint, "differences-redrive");
    const arn = await sqs(endpoint, "GetQueueAttributes", { QueueUrl: deadLetterUrl, AttributeNames: ["QueueArn"] });
    const SourceArn = /arn:aws:sqs:[^"]+/.exec(arn.body)?.[0];
    return (await sqs(endpoint, "StartMessageMoveTask", { SourceArn })).status;
  });
  expect(seen).toEqual({ emulator: 400, localstack: 200 });
});

test("OPS-2 RUN-19 the group of a message comes back with it at LocalStack alone; the rows decide, not the group", async () => {
  const seen = await both(async (endpoint) => {
    const { url } = await queueAt(endpoint, "differences-group");
    await sqs(endpoint, "SendMessage", { QueueUrl: url, MessageBody: "{}", MessageGroupId: "team-1" });
    const { body } = await sqs(endpoint, "ReceiveMessage", {
      QueueUrl: url,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ["All"],
    });
    return body.includes("team-1");
  });
  expect(seen).toEqual({ emulator: false, localstack: true });
});

test("OPS-2 UPL-1 a browser of another origin may send an upload to both, with the headers that are signed, and reads nothing", async () => {
  const seen = await both(async (endpoint) => {
    const ask = async (method: string): Promise<boolean> => {
      const response = await fetch(`${endpoint}/${BUCKET}/uploads/once`, {
        method: "OPTIONS",
        headers: {
          origin: "http://localhost:3000",
          "access-control-request-method": method,
          "access-control-request-headers": "content-type,if-none-match",
        },
      });
      await response.body?.cancel();
      const methods = response.headers.get("access-control-allow-methods") ?? "";
      return response.ok && response.headers.has("access-control-allow-origin") && methods.includes(method);
    };
    return { put: await ask("PUT"), delete: await ask("DELETE") };
  });
  expect(seen).toEqual({ emulator: { put: true, delete: false }, localstack: { put: true, delete: false } });
});
