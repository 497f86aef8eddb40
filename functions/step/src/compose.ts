import { createGitConnector } from "@aiw/connectors/git";
import { createMcpConnector } from "@aiw/connectors/mcp";
import { createUploadsConnector } from "@aiw/connectors/uploads";
import type { Connector } from "@aiw/connectors/connector";
import { canonical, type EngineDeps, type EngineLimits } from "@aiw/engine/deps";
import { createGateways, OPENAI } from "@aiw/model/gateways";
import { createBucket } from "@aiw/platform/bucket";
import { connect, type Database } from "@aiw/platform/db";
import { createEgress } from "@aiw/platform/egress";
import { loadEnv } from "@aiw/platform/env";
import { createNotifier } from "@aiw/platform/listen";
import { createLog } from "@aiw/platform/log";
import { queueName, ringRuns } from "@aiw/platform/doorbell";
import { createQueue } from "@aiw/platform/queue";
import { createTelemetry } from "@aiw/platform/telemetry";
import { createVault } from "@aiw/platform/vault";
import { NATIVE_TOOLS } from "./native-tools.ts";

/** Everything the step function needs, made once per environment from its variables (OPS-6). */
export interface StepComposition {
  readonly deps: EngineDeps;
  /** Steps one message may carry a run on for. */
  readonly stepsPerMessage: number;
  /** Seconds the platform leaves one invocation. */
  readonly functionS: number;
  readonly db: Database;
  /** Name of the queue that steps come from. */
  readonly queue: string;
  /** Sends hints that are still queued; before the function returns (F12). */
  readonly flush: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Connections of one step environment: one for the step, one for heartbeat and events beside it, one for hints. */
const CONNECTIONS = 6;

export const compose = (source: Record<string, string | undefined>): StepComposition => {
  const env = loadEnv(source, ["AIW_DATABASE_STEP_URL", "AIW_STEP_QUEUE_URL", "AIW_BUCKET", "AIW_SECRET_KEY"]);
  const receiver = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const log = createLog({ level: env.AIW_LOG_LEVEL, traces: receiver !== undefined }).child({ function: "step" });
  const telemetry = createTelemetry({ endpoint: receiver, service: "aiw-step", environment: env.AIW_ENV, log });
  const db = connect({ url: env.AIW_DATABASE_STEP_URL, max: CONNECTIONS, applicationName: "aiw-step" });
  const endpoint = env.AIW_SQS_ENDPOINT ?? env.AWS_ENDPOINT_URL;
  const queue = createQueue({
    region: env.AWS_REGION,
    url: env.AIW_STEP_QUEUE_URL,
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  const bucket = createBucket({
    region: env.AWS_REGION,
    bucket: env.AIW_BUCKET,
    ...(env.AWS_ENDPOINT_URL === undefined ? {} : { endpoint: env.AWS_ENDPOINT_URL }),
  });
  const egress = { allowedHosts: env.AIW_GIT_ALLOWED_HOSTS, allowLocal: env.AIW_ALLOW_LOCAL };
  const git = createGitConnector({ egress, bucket });
  const uploads = createUploadsConnector({ bucket });
  const mcpEgress = createEgress({ allowedHosts: env.AIW_MCP_ALLOWED_HOSTS, allowLocal: env.AIW_MCP_ALLOW_LOCAL });
  const mcp = createMcpConnector({
    egress: mcpEgress,
    canonical,
    nativeTools: NATIVE_TOOLS.map(({ definition }) => definition),
  });
  const gateways = createGateways({
    environment: { baseUrl: env.OPENAI_BASE_URL ?? OPENAI, apiKey: env.OPENAI_API_KEY },
    allowedHosts: env.AIW_MODEL_ALLOWED_HOSTS,
    allowLocal: env.AIW_ALLOW_LOCAL,
    idleTimeoutMs: env.AIW_MODEL_IDLE_S * 1000,
    turnTimeoutMs: env.AIW_MODEL_TURN_S * 1000,
  });
  const notifier = createNotifier(db, "aiw_runs", { log });
  const limits: EngineLimits = {
    leaseS: env.AIW_LEASE_S,
    heartbeatS: env.AIW_HEARTBEAT_S,
    toolCallS: env.AIW_TOOL_CALL_S,
    pushS: env.AIW_PUSH_S,
    stepS: env.AIW_STEP_S,
    stepAttempts: env.AIW_STEP_ATTEMPTS,
    maxModelCalls: env.AIW_MAX_MODEL_CALLS,
    maxRunTokens: env.AIW_MAX_RUN_TOKENS,
    maxIdenticalCalls: env.AIW_MAX_IDENTICAL_CALLS,
    maxRunWallS: env.AIW_MAX_RUN_WALL_S,
    historyMaxTokens: env.AIW_HISTORY_MAX_TOKENS,
    contextWindowTokens: 128_000,
    toolResultMaxBytes: env.AIW_TOOL_RESULT_MAX_BYTES,
    executeWithinS: env.AIW_EXECUTE_WITHIN_S,
    maxRejections: env.AIW_MAX_REJECTIONS,
    deltaMs: 120,
    readsInParallel: 4,
  };
  const deps: EngineDeps = {
    db,
    log,
    vault: createVault(env.AIW_SECRET_KEY),
    connectors: new Map<string, Connector>([
      [git.kind, git],
      [mcp.kind, mcp],
      [uploads.kind, uploads],
    ]),
    gateways,
    limits,
    notify: notifier.notify,
    telemetry,
    ring: async (runs, under) => {
      // A wait beyond what the queue can hold is the sweeper's (F40).
      const now = runs.filter(({ delayMs }) => (delayMs ?? 0) <= 900_000);
      const ids = now.map(({ runId }) => runId);
      await ringRuns({ telemetry, queue: queueName(queue.url), under }, ids, async (messageOf) => {
        for (const { runId, teamId, delayMs } of now)
          await queue.send(messageOf(runId), { group: teamId, delayS: Math.ceil((delayMs ?? 0) / 1000) });
      });
    },
  };
  return {
    deps,
    stepsPerMessage: env.AIW_STEPS_PER_MESSAGE,
    functionS: env.AIW_FUNCTION_S,
    db,
    queue: queueName(queue.url),
    flush: notifier.flush,
    close: async () => {
      await notifier.flush();
      await telemetry.close();
      mcpEgress.close();
      uploads.close();
      gateways.close();
      queue.close();
      bucket.close();
      await db.close();
    },
  };
};
