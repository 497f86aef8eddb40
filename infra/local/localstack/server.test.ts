import { createServer, type Server } from "node:http";
import { afterEach, expect, test } from "vitest";
import { startLocalStack } from "./server.ts";

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** Something that answers every request with this body; its address. */
const answering = (body: string): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer((_, response) => void response.end(body));
    open.push(server);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
    });
  });

const start = (environment: Record<string, string>) =>
  startLocalStack({ cacheDir: "never-made", environment, say: () => undefined });

test("OPS-2 a LocalStack that runs already is used and left running", async () => {
  const endpoint = await answering('{"services": {"sqs": "running", "s3": "available"}, "version": "4.14.0"}');
  const cloud = await start({ AWS_ENDPOINT_URL: endpoint });
  expect(cloud.endpoint).toBe(endpoint);
  await cloud.stop();
  expect((await fetch(endpoint)).status).toBe(200);
});

test("OPS-2 what cannot be used is said in a sentence that tells what to do", async () => {
  await expect(start({ AWS_ENDPOINT_URL: "http://127.0.0.1:1" })).rejects.toThrow(
    "no LocalStack answers at http://127.0.0.1:1 (AWS_ENDPOINT_URL); start it there, or unset the variable",
  );
  await expect(start({ AWS_ENDPOINT_URL: "nowhere" })).rejects.toThrow("is no address");
  await expect(start({ AWS_ENDPOINT_URL: await answering("<html>") })).rejects.toThrow("is no LocalStack");
  await expect(
    start({ AWS_ENDPOINT_URL: await answering('{"services": {"sqs": "running", "s3": "disabled"}}') }),
  ).rejects.toThrow("runs without s3; start it with SERVICES=sqs,s3");
});
