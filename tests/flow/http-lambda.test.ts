import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../kit/postgres.ts";

let database: TestDatabase;
const before = { ...process.env };
beforeAll(async () => {
  database = await createDatabase();
  Object.assign(process.env, {
    AIW_ENV: "test",
    AIW_LOG_LEVEL: "silent",
    AIW_DATABASE_API_URL: database.apiUrl,
    AIW_SECRET_KEY: randomBytes(32).toString("base64"),
    AIW_STEP_QUEUE_URL: "http://127.0.0.1:9/steps",
    AIW_JOBS_QUEUE_URL: "http://127.0.0.1:9/jobs",
  });
});
afterAll(async () => {
  process.env = before;
  await database.drop();
});

test("OPS-8: as a function with streamed answers the API serves the same routes, headers and problems", async () => {
  const heads: { statusCode: number; headers: Record<string, string> }[] = [];
  // What the runtime puts there.
  Reflect.set(globalThis, "awslambda", {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (stream: unknown, head: (typeof heads)[number]) => {
        heads.push(head);
        return stream;
      },
    },
  });
  const { handler } = await import("@aiw/function-api/handler");
  const invoke = async (
    method: string,
    path: string,
  ): Promise<{ status: number; headers: Record<string, string>; body: unknown }> => {
    let text = "";
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        text += chunk.toString();
        done();
      },
    });
    const event = {
      version: "2.0",
      routeKey: "$default",
      rawPath: path,
      rawQueryString: "",
      isBase64Encoded: false,
      headers: { host: "ai.example.com" },
      requestContext: {
        domainName: "ai.example.com",
        http: { method, path, sourceIp: "203.0.113.7", userAgent: "test", protocol: "HTTP/1.1" },
      },
    };
    await Reflect.apply(handler, undefined, [event, sink, {}]);
    const head = heads.at(-1);
    return { status: head?.statusCode ?? 0, headers: head?.headers ?? {}, body: JSON.parse(text) };
  };
  expect(await invoke("GET", "/healthz")).toMatchObject({ status: 200, body: { ok: true } });
  const config = await invoke("GET", "/api/config");
  expect(config).toMatchObject({ status: 200, body: { demo: false, demoLogins: [] } });
  expect(config.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(await invoke("GET", "/api/me")).toMatchObject({ status: 401, body: { code: "not_signed_in" } });
});
