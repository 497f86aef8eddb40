import { createStrangers } from "@aiw/core/identity";
import { reachDatabase, requireSchema } from "@aiw/core/health";
import { createBucket } from "@aiw/platform/bucket";
import { connect } from "@aiw/platform/db";
import { createEgress, createModelEgress } from "@aiw/platform/egress";
import { type EnvWith, loadEnv } from "@aiw/platform/env";
import { createNotifier } from "@aiw/platform/listen";
import { createLog, registerSecret } from "@aiw/platform/log";
import { createDeadLetters } from "@aiw/platform/dead-letters";
import { queueName, ringRuns } from "@aiw/platform/doorbell";
import { createPresigner } from "@aiw/platform/presign";
import { createQueue } from "@aiw/platform/queue";
import { createTelemetry } from "@aiw/platform/telemetry";
import { createVault } from "@aiw/platform/vault";
import manifest from "../package.json" with { type: "json" };
import type { ApiDeps, ApiSettings } from "./deps.ts";
import { createLoginGuard, type LoginLimits } from "./http/login-guard.ts";
import { createHub, type HubOptions, RUNS_CHANNEL } from "./stream/hub.ts";

/** Everything the API needs, made once per process from its variables (OPS-6). */
export interface ApiComposition {
  readonly deps: ApiDeps;
  /** After the server: ends streams, sends what is queued, closes connections. */
  readonly close: () => Promise<void>;
}

export interface ComposeOptions {
  /** Folder of the built web app, where it is served from here. */
  readonly webRoot?: string;
  /** How streams are kept where it is not one process that holds them all; see `createHub`. */
  readonly streams?: { readonly listens: boolean } & Pick<HubOptions, "pollMs" | "maxStreamMs" | "restMs">;
  readonly loginLimits?: LoginLimits;
  /** What the sign-in page calls the people of a demonstration: user name and role. */
  readonly demoLogins?: readonly { readonly name: string; readonly role: string }[];
}

/** Connections of one API process; streams hold none (F80). */
const CONNECTIONS = 12;
/** Calls a minute with one key from one address, and with all keys. */
const KEY_LIMITS: LoginLimits = { perName: 240, inAll: 6_000 };
const LOGIN_LIMITS: LoginLimits = { perName: 30, inAll: 600 };

const NEEDED = [
  "AIW_DATABASE_API_URL",
  "AIW_SECRET_KEY",
  "AIW_STEP_QUEUE_URL",
  "AIW_JOBS_QUEUE_URL",
  "AIW_INGEST_QUEUE_URL",
  "AIW_BUCKET",
] as const;
type ApiEnv = EnvWith<(typeof NEEDED)[number]>;

/** @throws EnvError */
export const compose = (
  source: Readonly<Record<string, string | undefined>>,
  options: ComposeOptions = {},
): ApiComposition => {
  const env = loadEnv(source, NEEDED);
  if (env.AIW_DEMO_PASSWORD !== undefined) registerSecret(env.AIW_DEMO_PASSWORD);
  const receiver = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const log = createLog({ level: env.AIW_LOG_LEVEL, traces: receiver !== undefined }).child({ function: "api" });
  const telemetry = createTelemetry({ endpoint: receiver, service: "aiw-api", environment: env.AIW_ENV, log });
  const db = connect({ url: env.AIW_DATABASE_API_URL, max: CONNECTIONS, applicationName: "aiw-api" });
  const endpoint = env.AIW_SQS_ENDPOINT ?? env.AWS_ENDPOINT_URL;
  const place = (url: string) => ({ region: env.AWS_REGION, url, ...(endpoint === undefined ? {} : { endpoint }) });
  const at = (url: string) => createQueue(place(url));
  const deadLetters = {
    steps: createDeadLetters(place(env.AIW_STEP_QUEUE_URL)),
    jobs: createDeadLetters(place(env.AIW_JOBS_QUEUE_URL)),
    ingest: createDeadLetters(place(env.AIW_INGEST_QUEUE_URL)),
  };
  const steps = at(env.AIW_STEP_QUEUE_URL);
  const jobs = at(env.AIW_JOBS_QUEUE_URL);
  const ingest = at(env.AIW_INGEST_QUEUE_URL);
  const bucket = createBucket({
    region: env.AWS_REGION,
    bucket: env.AIW_BUCKET,
    ...(env.AWS_ENDPOINT_URL === undefined ? {} : { endpoint: env.AWS_ENDPOINT_URL }),
  });
  const browserEndpoint = env.AIW_BUCKET_PUBLIC_URL ?? env.AWS_ENDPOINT_URL;
  const presigner = createPresigner({
    region: env.AWS_REGION,
    bucket: env.AIW_BUCKET,
    ...(browserEndpoint === undefined ? {} : { endpoint: browserEndpoint }),
  });
  const egress = createEgress({ allowedHosts: env.AIW_GIT_ALLOWED_HOSTS, allowLocal: env.AIW_ALLOW_LOCAL });
  const mcpEgress = createEgress({ allowedHosts: env.AIW_MCP_ALLOWED_HOSTS, allowLocal: env.AIW_MCP_ALLOW_LOCAL });
  const notifier = createNotifier(db, RUNS_CHANNEL, { log });
  const limits = { sessionIdleS: env.AIW_SESSION_IDLE_S, sessionMaxS: env.AIW_SESSION_MAX_S };
  const { listens, ...streams } = options.streams ?? { listens: true };
  const hub = createHub({
    db,
    log,
    limits,
    ...(listens ? { listenUrl: env.AIW_DATABASE_LISTEN_URL ?? env.AIW_DATABASE_API_URL } : {}),
    ...streams,
  });
  const tolerant = async (what: string, send: () => Promise<unknown>): Promise<void> => {
    try {
      await send();
    } catch (error) {
      log.warn(`${what} could not be rung; the sweeper will`, { error });
    }
  };
  const deps: ApiDeps = {
    db,
    log,
    telemetry,
    hub,
    deadLetters,
    egress,
    mcpEgress,
    modelGuard: (url) =>
      createModelEgress(url, { allowedHosts: env.AIW_MODEL_ALLOWED_HOSTS, allowLocal: env.AIW_ALLOW_LOCAL }),
    vault: createVault(env.AIW_SECRET_KEY),
    signIn: { ...limits, demoPassword: env.AIW_DEMO_PASSWORD, strangers: createStrangers() },
    loginGuard: createLoginGuard(options.loginLimits ?? LOGIN_LIMITS),
    keyGuard: createLoginGuard(KEY_LIMITS),
    settings: settingsOf(env, options, presigner.origin),
    ringStep: ({ teamId, runIds }, under) =>
      tolerant("a run", () =>
        ringRuns({ telemetry, queue: queueName(steps.url), under }, runIds, (messageOf) =>
          steps.sendMany(runIds.map((runId) => ({ body: messageOf(runId), group: teamId }))),
        ),
      ),
    ringJob: (jobId) => tolerant("a job", () => jobs.send({ v: 1, jobId })),
    ringIngest: (jobId) => tolerant("an import", () => ingest.send({ v: 1, jobId })),
    uploads: { sign: presigner.put, maxFileBytes: env.AIW_UPLOAD_MAX_BYTES, quotaBytes: env.AIW_UPLOAD_QUOTA_BYTES },
    hint: (runIds) => {
      for (const runId of runIds) notifier.notify(runId);
      return notifier.flush();
    },
    checks: {
      database: () => reachDatabase(db),
      migrations: () => requireSchema(db),
      queue: async () => void (await Promise.all([steps.depth(), jobs.depth(), ingest.depth()])),
      bucket: async () => void (await bucket.list("readiness")),
    },
    ...(options.webRoot === undefined ? {} : { webRoot: options.webRoot }),
  };
  return {
    deps,
    close: async () => {
      await hub.close();
      await notifier.flush();
      await telemetry.close();
      egress.close();
      mcpEgress.close();
      steps.close();
      jobs.close();
      deadLetters.steps.close();
      ingest.close();
      deadLetters.jobs.close();
      deadLetters.ingest.close();
      presigner.close();
      bucket.close();
      await db.close();
    },
  };
};

function settingsOf(env: ApiEnv, options: ComposeOptions, storageOrigin: string): ApiSettings {
  const publicUrl = env.AIW_PUBLIC_URL;
  return {
    config: {
      version: manifest.version,
      demo: env.AIW_DEMO_PASSWORD !== undefined,
      demoModel: env.AIW_MODEL.startsWith("demo-"),
      currency: env.AIW_CURRENCY,
    },
    demoRoles: new Map(options.demoLogins?.map(({ name, role }) => [name, role])),
    version: { version: manifest.version, environment: env.AIW_ENV },
    ...(publicUrl === undefined ? {} : { publicOrigin: new URL(publicUrl).origin }),
    storageOrigin,
    secureCookies: publicUrl?.startsWith("https://") ?? false,
    approvalTtlS: env.AIW_APPROVAL_TTL_S,
    maxToolRounds: env.AIW_MAX_TOOL_ROUNDS,
    maxToolRoundsLimit: env.AIW_MAX_TOOL_ROUNDS_LIMIT,
    executeWithinS: env.AIW_EXECUTE_WITHIN_S,
    limits: {
      modelCalls: env.AIW_MAX_MODEL_CALLS,
      runTokens: env.AIW_MAX_RUN_TOKENS,
      runWallS: env.AIW_MAX_RUN_WALL_S,
      toolResultBytes: env.AIW_TOOL_RESULT_MAX_BYTES,
      identicalCalls: env.AIW_MAX_IDENTICAL_CALLS,
    },
  };
}
