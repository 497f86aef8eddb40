import { openChecks } from "@aiw/core/approvals";
import { JOB_KINDS, ringDue as ringDueJobs } from "@aiw/core/jobs";
import { openDue } from "@aiw/core/mcp-servers";
import { sweep, type SweepDeps, type SweepReport } from "@aiw/engine/sweep";
import { createBucket } from "@aiw/platform/bucket";
import { connect } from "@aiw/platform/db";
import { environment } from "@aiw/platform/deployed";
import { loadEnv } from "@aiw/platform/env";
import { createNotifier } from "@aiw/platform/listen";
import { createLog } from "@aiw/platform/log";
import { createDeadLetters } from "@aiw/platform/dead-letters";
import { queueName, ringRuns } from "@aiw/platform/doorbell";
import { createQueue } from "@aiw/platform/queue";
import { createTelemetry } from "@aiw/platform/telemetry";
import { measureBacklog } from "./measure.ts";
import { fp } from "@aiw/platform/fault";
import { tidyUploads } from "./tidy-uploads.ts";

interface Composition {
  readonly round: () => Promise<SweepReport>;
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T | null>;
  readonly flush: () => Promise<void>;
  /** Sends traces and figures; before the function returns. */
  readonly flushTelemetry: () => Promise<void>;
}

const compose = (source: Record<string, string | undefined>): Composition => {
  const env = loadEnv(
    source,
    ["AIW_DATABASE_STEP_URL", "AIW_STEP_QUEUE_URL", "AIW_JOBS_QUEUE_URL", "AIW_INGEST_QUEUE_URL", "AIW_BUCKET"],
    { opensSecrets: false },
  );
  const receiver = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const log = createLog({ level: env.AIW_LOG_LEVEL, traces: receiver !== undefined }).child({ function: "sweep" });
  const telemetry = createTelemetry({ endpoint: receiver, service: "aiw-sweep", environment: env.AIW_ENV, log });
  const db = connect({ url: env.AIW_DATABASE_STEP_URL, max: 3, applicationName: "aiw-sweep" });
  const endpoint = env.AIW_SQS_ENDPOINT ?? env.AWS_ENDPOINT_URL;
  const place = (url: string) => ({ region: env.AWS_REGION, url, ...(endpoint === undefined ? {} : { endpoint }) });
  const at = (url: string) => createQueue(place(url));
  const steps = at(env.AIW_STEP_QUEUE_URL);
  const jobs = at(env.AIW_JOBS_QUEUE_URL);
  const ingest = at(env.AIW_INGEST_QUEUE_URL);
  const bucket = createBucket({
    region: env.AWS_REGION,
    bucket: env.AIW_BUCKET,
    ...(env.AWS_ENDPOINT_URL === undefined ? {} : { endpoint: env.AWS_ENDPOINT_URL }),
  });
  const forIngest = new Set<string>(JOB_KINDS.ingest);
  const notifier = createNotifier(db, "aiw_runs", { log });
  const deps: SweepDeps = {
    db,
    log,
    telemetry,
    notify: notifier.notify,
    stepAttempts: env.AIW_STEP_ATTEMPTS,
    doorbellGraceS: Math.ceil(env.AIW_DOORBELL_GRACE_S),
    ring: async (runs) => {
      const ids = runs.map(({ runId }) => runId);
      await ringRuns({ telemetry, queue: queueName(steps.url) }, ids, (messageOf) =>
        steps.sendMany(runs.map(({ runId, teamId }) => ({ body: messageOf(runId), group: teamId }))),
      );
    },
  };
  const measure = measureBacklog(db, telemetry, log, () => [
    createDeadLetters(place(env.AIW_STEP_QUEUE_URL)),
    createDeadLetters(place(env.AIW_JOBS_QUEUE_URL)),
    createDeadLetters(place(env.AIW_INGEST_QUEUE_URL)),
  ]);
  return {
    round: async () => {
      const report = await sweep(deps);
      const opened = await fp("sweep.open_jobs", () => openDue(db));
      const checks = await fp("sweep.open_checks", () => openChecks(db));
      const due = await fp("sweep.due_jobs", () => ringDueJobs(db, deps.doorbellGraceS));
      const mine = due.filter(({ kind }) => !forIngest.has(kind)).map(({ id }) => id);
      for (const jobId of [...opened, ...checks, ...mine]) await fp("sweep.ring_job", () => jobs.send({ v: 1, jobId }));
      for (const { id: jobId } of due.filter(({ kind }) => forIngest.has(kind)))
        await fp("sweep.ring_ingest", () => ingest.send({ v: 1, jobId }));
      await tidyUploads({ db, bucket, log });
      await fp("sweep.measure", measure);
      if (report.recovered + report.expired + report.rung + report.failures > 0) log.info("swept", { ...report });
      return report;
    },
    exclusive: async (work) => {
      const connection = await fp("sweep.connect", () => db.sql.reserve());
      try {
        const [row] = await fp(
          "sweep.lock",
          async () =>
            connection<{ mine: boolean }[]>`select pg_try_advisory_lock(hashtextextended('aiw:sweep', 0)) as mine`,
        );
        if (row?.mine !== true) return null;
        return await work();
      } finally {
        await fp("sweep.unlock", async () => connection`select pg_advisory_unlock_all()`);
        connection.release();
      }
    },
    flush: notifier.flush,
    flushTelemetry: telemetry.flush,
  };
};

let composed: Composition | undefined;
const composition = (): Composition => (composed ??= compose(environment()));

/** One round, for the local stack's two-second rhythm (RUN-5). */
export const sweepOnce = async (): Promise<SweepReport> => {
  const { round, flush } = composition();
  const report = await fp("sweep.round", round);
  await fp("sweep.flush", flush);
  return report;
};

/** Seconds between two rounds of one scheduled minute, and how long the minute is used (RUN-5). */
const EVERY_S = 5;
const UNTIL_S = 54;

/** The scheduled function: a round every five seconds of its minute, under a lock, so that two never sweep side by side. */
export const handler = async (): Promise<void> => {
  const { exclusive, flushTelemetry } = composition();
  const end = performance.now() + UNTIL_S * 1000;
  await exclusive(async () => {
    for (let next = performance.now(); next < end; next += EVERY_S * 1000) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
      await sweepOnce();
    }
  });
  await fp("sweep.telemetry", flushTelemetry);
};
