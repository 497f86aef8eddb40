import { fork, type ChildProcess } from "node:child_process";
import type { Log } from "@aiw/platform/log";

export interface Supervisor {
  /** Ends the worker at once, as a crash would. */
  readonly kill: () => void;
  readonly pid: () => number | undefined;
  stop(): Promise<void>;
}

/** Milliseconds a worker may take to finish what it does before it is ended. */
const GRACE_MS = 5000;

/** Runs a module as a process of its own and starts another whenever it ends by itself, as a platform of functions would. */
export const startSupervisor = async (
  module: URL,
  environment: Record<string, string | undefined>,
  log: Log,
): Promise<Supervisor> => {
  let stopping = false;
  let child: ChildProcess;
  let failures = 0;

  const launch = (): Promise<void> =>
    new Promise((resolve, reject) => {
      child = fork(module, { env: environment, stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: [] });
      const started = performance.now();
      child.once("message", () => {
        failures = 0;
        resolve();
      });
      child.once("error", reject);
      child.once("exit", (code, signal) => {
        if (stopping) return;
        log.warn("the worker ended; another is started", { code, signal });
        failures = performance.now() - started > 10_000 ? 0 : failures + 1;
        if (failures > 5) reject(new Error(`the worker ends right after its start (code ${code ?? signal ?? "?"})`));
        // A worker that fails at once is not started in a tight loop.
        setTimeout(
          () =>
            void (stopping || launch().catch((error: unknown) => log.error("the worker cannot be started", { error }))),
          Math.min(5000, 100 * 2 ** failures),
        );
      });
    });
  await launch();
  return {
    kill: () => void child.kill("SIGKILL"),
    pid: () => child.pid,
    stop: async () => {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
};
