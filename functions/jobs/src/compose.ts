import type { System } from "@aiw/contract/actors";
import type { Connector } from "@aiw/connectors/connector";
import { createGitConnector, GIT_TOOLS } from "@aiw/connectors/git";
import { createMcpConnector } from "@aiw/connectors/mcp";
import { createUploadsConnector, UPLOAD_TOOLS } from "@aiw/connectors/uploads";
import type { Woken } from "@aiw/core/mcp-servers";
import { canonical } from "@aiw/core/tools";
import { createGateways, OPENAI, type Gateways } from "@aiw/model/gateways";
import { createBucket } from "@aiw/platform/bucket";
import type { Ctx } from "@aiw/platform/ctx";
import { connect } from "@aiw/platform/db";
import { createEgress } from "@aiw/platform/egress";
import { loadEnv } from "@aiw/platform/env";
import { createNotifier } from "@aiw/platform/listen";
import { createLog } from "@aiw/platform/log";
import { queueName, ringRuns } from "@aiw/platform/doorbell";
import { createQueue } from "@aiw/platform/queue";
import { createTelemetry, type Telemetry } from "@aiw/platform/telemetry";
import { createVault, type Vault } from "@aiw/platform/vault";

/** Everything the jobs function needs. */
export interface JobsDeps {
  readonly ctx: Ctx<System>;
  /** Traces and metrics (SEC-9); left out: none. */
  readonly telemetry?: Telemetry;
  readonly vault: Vault;
  /** By kind of source. */
  readonly connectors: ReadonlyMap<string, Connector>;
  readonly gateways: Pick<Gateways, "open">;
  /** Doorbells of runs, after the commit; never rejects: the sweeper rings again (RUN-5). */
  readonly ring: (runs: readonly Woken[]) => Promise<void>;
  /** Tells the streams that something about these runs changed (RUN-11); never rejects. */
  readonly hint: (runIds: readonly string[]) => Promise<void>;
}

export interface JobsComposition {
  readonly deps: JobsDeps;
  readonly close: () => Promise<void>;
}

const CONNECTIONS = 3;
/** Less than a job is held for. */
const GATEWAY_LIMIT_MS = 45_000;
const RUNS_CHANNEL = "aiw_runs";

/** From the variables of the process, once. @throws EnvError */
export const compose = (source: Readonly<Record<string, string | undefined>>): JobsComposition => {
  const env = loadEnv(source, ["AIW_DATABASE_STEP_URL", "AIW_STEP_QUEUE_URL", "AIW_BUCKET", "AIW_SECRET_KEY"]);
  const receiver = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const log = createLog({ level: env.AIW_LOG_LEVEL, traces: receiver !== undefined }).child({ function: "jobs" });
  const telemetry = createTelemetry({ endpoint: receiver, service: "aiw-jobs", environment: env.AIW_ENV, log });
  const db = connect({ url: env.AIW_DATABASE_STEP_URL, max: CONNECTIONS, applicationName: "aiw-jobs" });
  const bucket = createBucket({
    region: env.AWS_REGION,
    bucket: env.AIW_BUCKET,
    ...(env.AWS_ENDPOINT_URL === undefined ? {} : { endpoint: env.AWS_ENDPOINT_URL }),
  });
  const egress = { allowedHosts: env.AIW_GIT_ALLOWED_HOSTS, allowLocal: env.AIW_ALLOW_LOCAL };
  const git = createGitConnector({ egress, bucket });
  const uploads = createUploadsConnector({ bucket });
  const mcpEgress = createEgress({ allowedHosts: env.AIW_MCP_ALLOWED_HOSTS, allowLocal: env.AIW_MCP_ALLOW_LOCAL });
  const mcp = createMcpConnector({ egress: mcpEgress, canonical, nativeTools: [...GIT_TOOLS, ...UPLOAD_TOOLS] });
  const gateways = createGateways({
    environment: { baseUrl: env.OPENAI_BASE_URL ?? OPENAI, apiKey: env.OPENAI_API_KEY },
    allowedHosts: env.AIW_MODEL_ALLOWED_HOSTS,
    allowLocal: env.AIW_ALLOW_LOCAL,
    idleTimeoutMs: GATEWAY_LIMIT_MS,
    turnTimeoutMs: GATEWAY_LIMIT_MS,
  });
  const notifier = createNotifier(db, RUNS_CHANNEL, { log });
  const endpoint = env.AIW_SQS_ENDPOINT ?? env.AWS_ENDPOINT_URL;
  const steps = createQueue({
    region: env.AWS_REGION,
    url: env.AIW_STEP_QUEUE_URL,
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  return {
    deps: {
      ctx: { actor: { kind: "system" }, db, log, requestId: "jobs" },
      telemetry,
      vault: createVault(env.AIW_SECRET_KEY),
      connectors: new Map<string, Connector>([
        [git.kind, git],
        [mcp.kind, mcp],
        [uploads.kind, uploads],
      ]),
      gateways,
      ring: async (runs) => {
        try {
          const ids = runs.map(({ runId }) => runId);
          await ringRuns({ telemetry, queue: queueName(steps.url) }, ids, (messageOf) =>
            steps.sendMany(runs.map(({ runId, teamId }) => ({ body: messageOf(runId), group: teamId }))),
          );
        } catch (error) {
          log.warn("runs could not be rung; the sweeper will", { error });
        }
      },
      hint: (runIds) => {
        for (const runId of runIds) notifier.notify(runId);
        return notifier.flush();
      },
    },
    close: async () => {
      await telemetry.close();
      mcpEgress.close();
      uploads.close();
      gateways.close();
      steps.close();
      bucket.close();
      await db.close();
    },
  };
};
