/**
 * The functions of the local stack in a process of their own: steps and jobs from their queues, the sweeper every two
 * seconds. It can be killed at any moment; the supervisor starts another and the rows go on (RUN-4, RUN-6).
 */
import { handler as ingest } from "@aiw/function-ingest/handler";
import { handler as jobs } from "@aiw/function-jobs/handler";
import { handler as step } from "@aiw/function-step/handler";
import { sweepOnce } from "@aiw/function-sweep/handler";
import { loadEnv } from "@aiw/platform/env";
import { guardProcess } from "@aiw/platform/guard";
import { createLog } from "@aiw/platform/log";
import { flushTelemetry } from "@aiw/platform/telemetry";
import { run } from "./runner.ts";

const SWEEP_EVERY_MS = 2000;

const env = loadEnv(process.env, [
  "AIW_STEP_QUEUE_URL",
  "AIW_JOBS_QUEUE_URL",
  "AIW_INGEST_QUEUE_URL",
  "AIW_SQS_ENDPOINT",
]);
const log = createLog({ level: env.AIW_LOG_LEVEL }).child({ process: "worker" });
const common = { endpoint: env.AIW_SQS_ENDPOINT, region: env.AWS_REGION, visibilityS: env.AIW_QUEUE_VISIBILITY_S };
const runners = [
  run({ ...common, name: "step", queueUrl: env.AIW_STEP_QUEUE_URL, concurrency: 8, handler: step }, log),
  run({ ...common, name: "jobs", queueUrl: env.AIW_JOBS_QUEUE_URL, concurrency: 4, handler: jobs }, log),
  // An import takes memory: one at a time.
  run({ ...common, name: "ingest", queueUrl: env.AIW_INGEST_QUEUE_URL, concurrency: 1, handler: ingest }, log),
];

let stopping = false;
const sweeping = (async () => {
  while (!stopping) {
    await sweepOnce().catch((error: unknown) => log.warn("a sweep failed", { error }));
    await new Promise((resolve) => setTimeout(resolve, SWEEP_EVERY_MS));
  }
})();

const stop = async (): Promise<void> => {
  if (stopping) return;
  stopping = true;
  await Promise.all(runners.map((r) => r.stop()));
  await sweeping;
  await flushTelemetry();
  process.exit(0);
};
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
// The supervisor is gone (killed): without it there is no queue and nobody to stop this process.
process.on("disconnect", () => process.exit(1));
guardProcess(log, () => undefined);
process.send?.("ready");
