import type { System } from "@aiw/contract/actors";
import { createImporter, type Importer } from "@aiw/connectors/uploads";
import { createBucket, type Bucket } from "@aiw/platform/bucket";
import type { Ctx } from "@aiw/platform/ctx";
import { connect } from "@aiw/platform/db";
import { loadEnv } from "@aiw/platform/env";
import { createLog } from "@aiw/platform/log";
import { createTelemetry, type Telemetry } from "@aiw/platform/telemetry";

/** Everything the ingest function needs. */
export interface IngestDeps {
  readonly ctx: Ctx<System>;
  /** Traces and metrics (SEC-9); left out: none. */
  readonly telemetry?: Telemetry;
  readonly bucket: Bucket;
  readonly importer: Importer;
  readonly quotaBytes: number;
}

export interface IngestComposition {
  readonly deps: IngestDeps;
  readonly close: () => Promise<void>;
}

/** From the variables of the process, once. @throws EnvError */
export const compose = (source: Readonly<Record<string, string | undefined>>): IngestComposition => {
  const env = loadEnv(source, ["AIW_DATABASE_STEP_URL", "AIW_BUCKET"], { opensSecrets: false });
  const receiver = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const log = createLog({ level: env.AIW_LOG_LEVEL, traces: receiver !== undefined }).child({ function: "ingest" });
  const telemetry = createTelemetry({ endpoint: receiver, service: "aiw-ingest", environment: env.AIW_ENV, log });
  const db = connect({ url: env.AIW_DATABASE_STEP_URL, max: 2, applicationName: "aiw-ingest" });
  const bucket = createBucket({
    region: env.AWS_REGION,
    bucket: env.AIW_BUCKET,
    ...(env.AWS_ENDPOINT_URL === undefined ? {} : { endpoint: env.AWS_ENDPOINT_URL }),
  });
  const importer = createImporter();
  return {
    deps: {
      ctx: { actor: { kind: "system" }, db, log, requestId: "ingest" },
      telemetry,
      bucket,
      importer,
      quotaBytes: env.AIW_UPLOAD_QUOTA_BYTES,
    },
    close: async () => {
      await telemetry.close();
      importer.close();
      bucket.close();
      await db.close();
    },
  };
};
