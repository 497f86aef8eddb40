import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunction, FUNCTIONS } from "@aiw/infra/bundle";
import { createDatabase, type TestDatabase } from "../kit/postgres.ts";

const run = promisify(execFile);
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
let directory: string;
let database: TestDatabase;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "aiw-bundles-"));
  // What is compiled is shipped as installed.
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  database = await createDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

/** Loads a bundle in a clean process of the runtime's Node and evaluates an expression of `m`, the module. */
const inCleanProcess = async (file: string, expression: string): Promise<unknown> => {
  const program = `globalThis.awslambda = { streamifyResponse: (f) => f, HttpResponseStream: { from: (s) => s } };
    const m = await import(${JSON.stringify(file)}); console.log("RESULT" + JSON.stringify(await (${expression}))); process.exit(0);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], {
    env: {
      AIW_DATABASE_API_URL: database.apiUrl,
      AIW_DATABASE_STEP_URL: database.stepUrl,
      AIW_STEP_QUEUE_URL: "http://127.0.0.1:9/000000000000/steps",
      AIW_JOBS_QUEUE_URL: "http://127.0.0.1:9/000000000000/jobs",
      AIW_INGEST_QUEUE_URL: "http://127.0.0.1:9/000000000000/ingest",
      AIW_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      AIW_BUCKET: "bundle-test",
      OPENAI_API_KEY: "sk-bundle-test",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AIW_LOG_LEVEL: "silent",
    },
  });
  return JSON.parse(/RESULT(.*)/.exec(stdout)?.[1] ?? "null");
};

test("OPS-3 the tests run under the Node version of the deployed runtime", () => {
  expect(process.versions.node.split(".")[0]).toBe("24");
});

test.each(FUNCTIONS)("OPS-3 the bundle of %s is built and loads in a clean process", async (name) => {
  const { file, bytes } = await bundleFunction(name, directory);
  expect(bytes).toBeLessThan(15 * 1024 * 1024);
  expect(await inCleanProcess(file, "typeof m.handler")).toBe("function");
});

test("RUN-20 OPS-3 the bundled step function drops what names nothing, and fails an unreadable message alone", async () => {
  const { file } = await bundleFunction("step", directory);
  const records = [
    { messageId: "nothing", body: JSON.stringify({ v: 1, runId: randomUUID() }) },
    { messageId: "garbage", body: "{not json" },
    { messageId: "newer", body: JSON.stringify({ v: 2, runId: randomUUID() }) },
  ];
  expect(await inCleanProcess(file, `m.handler({ Records: ${JSON.stringify(records)} })`)).toEqual({
    batchItemFailures: [{ itemIdentifier: "garbage" }, { itemIdentifier: "newer" }],
  });
});
