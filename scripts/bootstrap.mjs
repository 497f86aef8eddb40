// Entry of every script in package.json. Without dependencies and for Node 20 or newer: it installs what the lockfile
// asks for, and hands over to the Node 24 that comes with it.
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { existsSync } from "node:fs";
import { installDependencies } from "./install.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NEEDED_NODE = 24;

/** What each command runs, as arguments of Node 24. */
const commands = {
  start: (rest) => [["scripts/build-web.mjs"], ["infra/local/start.ts", ...rest]],
  "start:localstack": (rest) => [["scripts/build-web.mjs"], ["infra/local/start.ts", "--localstack", ...rest]],
  dev: (rest) => [["infra/local/start.ts", "--dev", ...rest]],
  test: (rest) => [["scripts/test.mjs", ...rest]],
  "test:full": (rest) => [["scripts/test.mjs", "--all", ...rest]],
  "test:localstack": (rest) => [["scripts/test.mjs", "--localstack", ...rest]],
  check: (rest) => [["scripts/check.mjs", ...rest]],
  "check:infra": () => [["scripts/deploy.mjs", "check"]],
  deploy: (rest) => [["scripts/deploy.mjs", "deploy", ...rest]],
  sst: (rest) => [["scripts/deploy.mjs", "sst", ...rest]],
  bench: (rest) => [["tests/bench/run.ts", ...rest]],
  chaos: (rest) => [["tests/chaos/run.ts", ...rest]],
  db: (rest) => [["infra/local/db.ts", ...rest]],
};

async function main() {
  const [name = "", ...rest] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    console.error(`Unknown command "${name}". Known: ${Object.keys(commands).join(", ")}.`);
    return 2;
  }
  try {
    installDependencies(root);
    const node = findNode();
    for (const args of command(rest)) {
      const code = await execute(node, args);
      if (code !== 0) return code;
    }
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    // Whoever counts test results must not read silence as success.
    if (name.startsWith("test")) console.log("0 passed, 1 failed");
    return 1;
  }
}

function findNode() {
  const own = join(root, "node_modules", ".bin", "node");
  for (const candidate of existsSync(own) ? [own, process.execPath] : [process.execPath]) {
    const answer = spawnSync(candidate, ["--version"], { encoding: "utf8" });
    const major = Number(/^v(\d+)/.exec(answer.stdout ?? "")?.[1] ?? 0);
    if (major >= NEEDED_NODE) return candidate;
  }
  throw new Error(
    `This needs Node ${NEEDED_NODE} or newer. There is none to install for ${process.platform}-${process.arch}, ` +
      `and this one is ${process.version}: please install Node ${NEEDED_NODE} and run the command again.`,
  );
}

/** Runs one program to its end and returns its exit code; signals reach it exactly as they reached us. */
function execute(node, args) {
  const bin = join(root, "node_modules", ".bin");
  const environment = { ...process.env, PATH: `${bin}:${process.env.PATH ?? ""}` };
  const child = spawn(node, args, { cwd: root, env: environment, stdio: "inherit" });

  // Ctrl-C in a terminal reaches the whole group, the child included, and npm passes it on once more on top.
  const inTerminal = process.stdin.isTTY === true;
  let sent = false;
  const handlers = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
    const forward = () => {
      if (sent || (signal === "SIGINT" && inTerminal)) return;
      sent = true;
      child.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
    };
    process.on(signal, forward);
    return () => process.off(signal, forward);
  });
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`${args[0]} did not start: ${error.message}`)));
    child.once("exit", (code, signal) => {
      for (const remove of handlers) remove();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

process.exitCode = await main();
