import { spawnSync } from "node:child_process";

const checks = [
  ["types", "tsc", "-p", "."],
  ["types of the web app", "tsc", "-p", "web"],
  ["lint", "oxlint"],
  ["format", "oxfmt", "--check"],
  ["dead code", "knip", "--no-config-hints", "--no-progress"],
];

/** Runs every check to its end, so that one run shows everything there is to mend. */
let failures = 0;
for (const [name, tool, ...args] of checks) {
  const startedAt = Date.now();
  const result = spawnSync(tool, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", maxBuffer: 2 ** 28 });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1).padStart(5);
  const passed = result.status === 0;
  console.log(`${passed ? "ok  " : "FAIL"} ${seconds} s  ${name}`);
  if (passed) continue;
  failures += 1;
  console.log(result.error ? result.error.message : `${result.stdout}${result.stderr}`.trimEnd());
}
console.log(failures === 0 ? "All checks passed." : `${failures} of ${checks.length} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;
