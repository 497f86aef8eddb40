import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildWeb } from "./build-web.mjs";

const cacheDir = join(dirname(import.meta.dirname), ".cache", "localstack");

/**
 * Runs the tests (further arguments go to vitest) and ends with a line of its own, `N passed, N failed`, for machines
 * that only read the end. What could not even start counts as failed.
 */
async function main(args) {
  const all = args.includes("--all");
  const cloud = args.includes("--localstack") ? await startLocalStackForTests() : undefined;
  if (cloud === null) {
    console.log("0 passed, 0 failed");
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), "aiw-test-"));
  try {
    // The browser tests open the built product.
    const buildFailures = buildWeb() === 0 ? 0 : 1;
    const report = join(folder, "report.json");
    const rest = args.filter((arg) => !["--all", "--localstack"].includes(arg));
    const code = await vitest([...rest, `--outputFile.json=${report}`], all, cloud?.endpoint);
    const { passed, failed } = count(report, code);
    console.log(`${passed} passed, ${failed + buildFailures} failed`);
    return failed + buildFailures === 0 ? 0 : 1;
  } finally {
    await cloud?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The LocalStack of this run; null, said loudly, where it cannot be had because no package index is reached (OPS-2). */
async function startLocalStackForTests() {
  const { startLocalStack } = await import("../infra/local/localstack/server.ts");
  const { IndexUnreachable } = await import("../infra/local/localstack/python.ts");
  try {
    return await startLocalStack({ environment: process.env, cacheDir, say: (line) => console.log(line) });
  } catch (error) {
    if (!(error instanceof IndexUnreachable)) throw error;
    const bar = "!".repeat(100);
    console.error(`${bar}\nSKIPPED: nothing was tested on LocalStack. ${error.message}\n${bar}`);
    return null;
  }
}

function vitest(args, all, endpoint) {
  const environment = {
    ...process.env,
    ...(all ? { AIW_TEST_FULL: "1" } : {}),
    ...(endpoint === undefined ? {} : { AIW_TEST_CLOUD: endpoint }),
  };
  const child = spawn("vitest", ["run", "--reporter=default", "--reporter=json", ...args], {
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`The test runner did not start: ${error.message}`);
      resolve(1);
    });
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** A file that breaks before its first test, and an error outside every test, are failures that no test carries. */
function count(report, code) {
  let passed = 0;
  let failed = 0;
  try {
    const results = JSON.parse(readFileSync(report, "utf8"));
    passed = results.numPassedTests;
    const brokenFiles = results.testResults.filter(
      (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
    );
    failed = results.numFailedTests + brokenFiles.length;
  } catch {
    return { passed: 0, failed: 1 };
  }
  const nothingRan = passed === 0 && failed === 0;
  return { passed, failed: failed === 0 && (code !== 0 || nothingRan) ? 1 : failed };
}

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : String(error));
  console.log("0 passed, 1 failed");
  return 1;
});
