/// <reference path="./.sst/platform/config.d.ts" />
import { parameterName } from "../variables.ts";
import type { Stage } from "../stage.ts";

/** The private network: functions and database inside, one way out, and a small machine for whoever administers the database. */
export const network = (stage: Stage) => new sst.aws.Vpc("Network", { nat: stage.nat, bastion: true });

/** PostgreSQL, encrypted, backed up for two weeks, reached from the network alone and over TLS only. */
export const database = (stage: Stage, vpc: sst.aws.Vpc) =>
  new sst.aws.Postgres("Database", {
    vpc,
    version: "17",
    database: "aiw",
    username: "aiw_admin",
    instance: stage.databaseInstance,
    storage: "20 GB",
    multiAz: stage.databaseStandby,
    transform: {
      instance: {
        storageEncrypted: true,
        backupRetentionPeriod: 14,
        deletionProtection: stage.isProduction,
        copyTagsToSnapshot: true,
        autoMinorVersionUpgrade: true,
      },
      parameterGroup: (args) => {
        args.parameters = [{ name: "rds.force_ssl", value: "1" }];
      },
    },
  });

/**
 * Secrets as encrypted parameters; functions are given their names (SEC-4). Passwords and key are made once and kept in the
 * encrypted state; the gateway's key is set with `sst secret set GatewayKey`.
 */
export const secrets = (stage: Stage, db: sst.aws.Postgres) => {
  const password = (name: string) => new random.RandomPassword(name, { length: 40, special: false }).result;
  const address = (role: string, secret: $util.Output<string>) =>
    $interpolate`postgres://${role}:${secret}@${db.host}:${db.port}/${db.database}?sslmode=require`;
  const api = password("ApiPassword");
  const key = new random.RandomBytes("SecretKey", { length: 32 }, { protect: stage.isProduction });
  const values = {
    AIW_DATABASE_ADMIN_URL: address("aiw_admin", db.password),
    AIW_DATABASE_API_URL: address("aiw_api", api),
    AIW_DATABASE_LISTEN_URL: address("aiw_api", api),
    AIW_DATABASE_STEP_URL: address("aiw_step", password("StepPassword")),
    AIW_SECRET_KEY: key.base64,
    OPENAI_API_KEY: new sst.Secret("GatewayKey").value,
  };
  for (const [variable, value] of Object.entries(values)) {
    new aws.ssm.Parameter(`Secret${variable}`, {
      name: parameterName(stage.name, variable),
      type: "SecureString",
      value: $util.secret(value),
    });
  }
};

/** Objects: encrypted, over TLS only, older versions kept for a month; browsers may send what the API has signed. */
export const bucket = (stage: Stage) => {
  const storage = new sst.aws.Bucket("Storage", {
    enforceHttps: true,
    versioning: true,
    cors: {
      allowMethods: ["PUT"],
      allowOrigins: [`https://${stage.domain}`],
      allowHeaders: ["*"],
      maxAge: "10 minutes",
    },
  });
  new aws.s3.BucketServerSideEncryptionConfiguration("StorageEncryption", {
    bucket: storage.name,
    rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "aws:kms" }, bucketKeyEnabled: true }],
  });
  new aws.s3.BucketLifecycleConfiguration("StorageLifecycle", {
    bucket: storage.name,
    rules: [
      {
        id: "old-versions",
        status: "Enabled",
        filter: { prefix: "" },
        noncurrentVersionExpiration: { noncurrentDays: 30 },
        abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
      },
    ],
  });
  return storage;
};
