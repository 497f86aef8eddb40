import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Invoked, type InvokeOptions, startRuntimeApi } from "./runtime-api.ts";

export interface EnvironmentOptions {
  /** Folder with the function as it is packed. */
  readonly taskRoot: string;
  /** `file.export` in it, without ending. */
  readonly handler: string;
  readonly memoryMb: number;
  /** Exactly the variables the function is deployed with, credentials apart. */
  readonly variables: Readonly<Record<string, string>>;
  /** The program and its arguments that load and call the handler; default is `runtime.ts` beside this file. */
  readonly runtime?: readonly string[];
}

/** One execution environment: a process that holds one function, frozen between two invocations. */
export interface Environment {
  /** Milliseconds from the start of the process until it asked for its first event: the cold start without the sandbox. */
  readonly initMs: number;
  /** Milliseconds of computing in it, all threads together; the same as `initMs` where the system does not tell. */
  readonly initCpuMs: number;
  readonly invoke: (event: unknown, options: InvokeOptions) => Promise<Invoked>;
  /** The most memory it had so far, in megabytes; undefined where the system does not tell. */
  readonly peakMb: () => number | undefined;
  readonly stop: () => Promise<void>;
}

const OWN_RUNTIME = [fileURLToPath(new URL("./runtime.ts", import.meta.url))];

/** Starts a function as the platform does. @throws Error with what it reported when it cannot be loaded */
export const startEnvironment = async (options: EnvironmentOptions): Promise<Environment> => {
  const api = await startRuntimeApi();
  const began = performance.now();
  const child = spawn(process.execPath, [...(options.runtime ?? OWN_RUNTIME)], {
    cwd: options.taskRoot,
    // Nothing of the surroundings: what a function needs must be among its variables.
    env: {
      PATH: process.env["PATH"],
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_FUNCTION_NAME: `aiw-${options.handler}`,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(options.memoryMb),
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/aiw-${options.handler}`,
      AWS_LAMBDA_LOG_STREAM_NAME: "local",
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      LAMBDA_TASK_ROOT: options.taskRoot,
      _HANDLER: options.handler,
      NODE_OPTIONS: `--max-old-space-size=${Math.floor(options.memoryMb * 0.9)}`,
      ...options.variables,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.once("close", (code, signal) => api.abandon("Runtime.ExitError", `ended with ${signal ?? code}: ${said}`));
  const stop = async (): Promise<void> => {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
    await gone;
    await api.close();
  };
  try {
    await api.ready;
  } catch (error) {
    await stop();
    throw error;
  }
  const initMs = performance.now() - began;
  const initCpuMs = cpuOf(child.pid) ?? initMs;
  child.kill("SIGSTOP");
  return {
    initMs,
    initCpuMs,
    invoke: async (event, how) => {
      child.kill("SIGCONT");
      const invoked = await api.invoke(event, how);
      // Beyond its time the platform ends the whole environment; otherwise nothing runs on after the answer.
      child.kill(invoked.error?.type === "Sandbox.Timedout" ? "SIGKILL" : "SIGSTOP");
      return invoked;
    },
    peakMb: () => peakOf(child.pid),
    stop,
  };
};

const peakOf = (pid: number | undefined): number | undefined => {
  if (process.platform !== "linux" || pid === undefined) return undefined;
  const kb = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return kb === undefined ? undefined : Math.round(Number(kb) / 1024);
};

/** User and system time, in hundredths of a second as Linux counts them. */
const cpuOf = (pid: number | undefined): number | undefined => {
  if (process.platform !== "linux" || pid === undefined) return undefined;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
