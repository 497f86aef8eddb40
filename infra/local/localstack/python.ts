import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Emulator } from "../emulator.ts";
import { untilReady } from "./health.ts";
import type { LocalStackOptions } from "./server.ts";

const NAMES = ["python3.14", "python3.13", "python3.12", "python3", "python"];
const requirements = fileURLToPath(new URL("./requirements.txt", import.meta.url));
const launcher = fileURLToPath(new URL("./run.py", import.meta.url));

/** LocalStack could not be installed because the package index was not to be reached. */
export class IndexUnreachable extends Error {
  override readonly name = "IndexUnreachable";
}

/** A Python that LocalStack runs on (3.12 or newer, with venv), in PATH or kept by pyenv; or null. */
export const findPython = (): string | null =>
  [...NAMES, ...keptByPyenv()].find(
    (program) =>
      spawnSync(program, ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))"], {
        stdio: "ignore",
        timeout: 10_000,
      }).status === 0,
  ) ?? null;

const keptByPyenv = (): string[] => {
  const versions = join(process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv"), "versions");
  if (!existsSync(versions)) return [];
  return readdirSync(versions)
    .toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }))
    .map((version) => join(versions, version, "bin", "python3"));
};

/** LocalStack from its Python package in an environment of its own, on a free port of this machine. */
export const startInPython = async (options: LocalStackOptions & { readonly python: string }): Promise<Emulator> => {
  const home = await install(options);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const files = join(options.cacheDir, `files-${port}`);
  let output = "";
  const child = spawn(join(home, "bin", "python"), [launcher], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: options.cacheDir,
      LANG: "C.UTF-8",
      SERVICES: "sqs,s3",
      STRICT_SERVICE_LOADING: "1",
      EAGER_SERVICE_LOADING: "1",
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      // Queue addresses that need no name of the internet to be resolved.
      SQS_ENDPOINT_STRATEGY: "path",
      LOCALSTACK_HOST: `127.0.0.1:${port}`,
      FILESYSTEM_ROOT: files,
      DISABLE_EVENTS: "1",
      SKIP_SSL_CERT_DOWNLOAD: "1",
      DNS_ADDRESS: "0",
    },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => (output = `${output}${part}`.slice(-4000)));
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async (): Promise<void> => {
    await ended(child);
    process.off("exit", kill);
    rmSync(files, { recursive: true, force: true });
  };
  try {
    await untilReady(endpoint, () =>
      child.exitCode === null && child.signalCode === null ? null : `LocalStack ended at its start:\n${output.trim()}`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
};

/** Milliseconds it may take to end by itself. It keeps nothing that could be lost. */
const GRACE_MS = 3000;

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await gone;
  clearTimeout(timer);
};

/** The folder of the environment that holds exactly the pinned packages; made at the first start, and anew when the pins change. */
const install = async (options: LocalStackOptions & { readonly python: string }): Promise<string> => {
  const pins = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const home = join(options.cacheDir, `python-${pins}`);
  const done = join(home, "installed");
  if (existsSync(done)) return home;
  options.say("LocalStack is installed for Python, about 250 MB, once ...");
  // What an interrupted installation left is no base for another.
  rmSync(home, { recursive: true, force: true });
  mkdirSync(options.cacheDir, { recursive: true });
  await command(options.python, ["-m", "venv", home]);
  await command(join(home, "bin", "python"), [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-input",
    "--no-deps",
    "--requirement",
    requirements,
  ]);
  writeFileSync(done, "");
  return home;
};

const command = (program: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (part: string) => (errors = `${errors}${part}`.slice(-4000)));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(failure(errors));
    });
  });

const failure = (errors: string): Error => {
  const last = errors.trim().split("\n").at(-1) ?? "";
  return /connection|timed out|resolution|ProxyError|SSLError|unreachable|No matching distribution/i.test(errors)
    ? new IndexUnreachable(`LocalStack could not be installed, the Python package index cannot be reached: ${last}`)
    : new Error(`LocalStack could not be installed: ${last}`);
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
