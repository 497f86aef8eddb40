import type { Log } from "./log.ts";

const DRAIN_LIMIT_MS = 5_000;

/**
 * Last line of defence of a process: an uncaught exception or unhandled rejection (a database driver can throw from a
 * timer when its backend dies) is logged, `onFatal` gets at most 5 s to finish what runs, then the process exits with 1.
 * Leases and doorbells make the work go on elsewhere, so a clean exit is safer than going on in an unknown state.
 */
export function guardProcess(log: Log, onFatal: () => Promise<void> | void): void {
  let dying = false;
  const die = (kind: string, error: unknown): void => {
    log.error("the process ends after an unexpected error", { kind, error });
    if (dying) return;
    dying = true;
    // Not unref'd: it also ends a process whose drain never settles.
    setTimeout(() => process.exit(1), DRAIN_LIMIT_MS);
    void drain(log, onFatal).then(() => process.exit(1));
  };
  process.on("uncaughtException", (error) => die("uncaughtException", error));
  process.on("unhandledRejection", (reason) => die("unhandledRejection", reason));
}

async function drain(log: Log, onFatal: () => Promise<void> | void): Promise<void> {
  try {
    await onFatal();
  } catch (error) {
    log.error("draining failed", { error });
  }
}
