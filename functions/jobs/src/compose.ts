import type { System } from "@aiw/contract/actors";
import type { Connector } from "@aiw/connectors/connector";
import { createGitConnector } from "@aiw/connectors/git";
import { createBucket } from "@aiw/platform/bucket";
import type { Ctx } from "@aiw/platform/ctx";
import { connect } from "@aiw/platform/db";
import { loadEnv } from "@aiw/platform/env";
import { createLog } from "@aiw/platform/log";
import { createVault, type Vault } from "@aiw/platform/vault";

/** Everything the jobs function needs. */
export interface JobsDeps {
  readonly ctx: Ctx<System>;
  readonly vault: Vault;
  /** By kind of source. */
  readonly connectors: ReadonlyMap<string, Connector>;
}

export interface JobsComposition {
  readonly deps: JobsDeps;
  readonly close: () => Promise<void>;
}

const CONNECTIONS = 3;

/** From the variables of the process, once. @throws EnvError */
export const compose = (source: Readonly<Record<string, string | undefined>>): JobsComposition => {
  const env = loadEnv(source, ["AIW_DATABASE_STEP_URL", "AIW_BUCKET", "AIW_SECRET_KEY"]);
  const log = createLog({ level: env.AIW_LOG_LEVEL }).child({ function: "jobs" });
  const db = connect({ url: env.AIW_DATABASE_STEP_URL, max: CONNECTIONS, applicationName: "aiw-jobs" });
  const bucket = createBucket({
    region: env.AWS_REGION,
    bucket: env.AIW_BUCKET,
    ...(env.AWS_ENDPOINT_URL === undefined ? {} : { endpoint: env.AWS_ENDPOINT_URL }),
  });
  const egress = { allowedHosts: env.AIW_GIT_ALLOWED_HOSTS, allowLocal: env.AIW_ALLOW_LOCAL };
  const git = createGitConnector({ egress, bucket });
  return {
    deps: {
      ctx: { actor: { kind: "system" }, db, log, requestId: "jobs" },
      vault: createVault(env.AIW_SECRET_KEY),
      connectors: new Map([[git.kind, git]]),
    },
    close: async () => {
      bucket.close();
      await db.close();
    },
  };
};
