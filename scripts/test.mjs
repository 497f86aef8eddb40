import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWeb } from "./build-web.mjs";

/**
 * Runs the tests (further arguments go to vitest) and ends with a line of its own, `N passed, N failed`, for machines
 * that only read the end. What could not even start counts as failed.
 */
async function main(args) {
  const all = args.includes("--all");
  const folder = mkdtempSync(join(tmpdir(), "aiw-test-"));
  try {
    // The browser tests open the built product.
    const buildFailures = buildWeb() === 0 ? 0 : 1;
    const report = join(folder, "report.json");
    const code = await vitest([...args.filter((arg) => arg !== "--all"), `--outputFile.json=${report}`], all);
    const { passed, failed } = count(report, code);
    console.log(`${passed} passed, ${failed + buildFailures} failed`);
    return failed + buildFailures === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function vitest(args, all) {
  const environment = { ...process.env, ...(all ? { AIW_TEST_FULL: "1" } : {}) };
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

process.exitCode = await main(process.argv.slice(2));
