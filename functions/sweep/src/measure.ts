import { backlog } from "@aiw/core/health";
import type { DeadLetters } from "@aiw/platform/dead-letters";
import type { Database } from "@aiw/platform/db";
import type { Log } from "@aiw/platform/log";
import type { Telemetry } from "@aiw/platform/telemetry";

const EVERY_MS = 15_000;

/**
 * Records what waits and what died (SEC-9), at most every 15 s however often it is called; without telemetry it asks
 * nobody. Never rejects: a figure that is missing is no reason not to sweep.
 */
export function measureBacklog(
  db: Database,
  telemetry: Telemetry,
  log: Log,
  openDeadLetters: () => readonly DeadLetters[],
): () => Promise<void> {
  if (!telemetry.on) return async () => undefined;
  const queues = openDeadLetters();
  let last = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - last < EVERY_MS) return;
    last = performance.now();
    try {
      const { approvals, oldestRunS } = await backlog(db);
      telemetry.metric("aiw.approvals.waiting", approvals);
      telemetry.metric("aiw.queue.oldest", Math.max(0, oldestRunS));
      const counts = await Promise.all(queues.map((queue) => queue.count()));
      telemetry.metric(
        "aiw.dead_letters",
        counts.reduce((sum, count) => sum + count, 0),
      );
    } catch (error) {
      log.warn("the backlog could not be measured", { error });
    }
  };
}
