/// <reference path="./.sst/platform/config.d.ts" />
import { LISTEN_VARIABLE, parameterName, parametersOf, variablesOf } from "../variables.ts";
import { grantsOf, type Parts, wiredOf } from "./functions.ts";

/**
 * The same API as a small service that is always there: it holds every stream in one process and subscribes to the database, so
 * that nobody polls (OPS-4). For teams with many open pages.
 */
export const service = (parts: Parts): void => {
  const { stage, vpc, router } = parts;
  const listen = parameterName(stage.name, LISTEN_VARIABLE);
  const container = new sst.aws.Service("Streams", {
    cluster: new sst.aws.Cluster("Cluster", { vpc }),
    architecture: "x86_64",
    cpu: "0.25 vCPU",
    memory: "1 GB",
    // One process holds the streams of everybody; a second one comes when it works hard.
    scaling: { min: 1, max: 4, cpuUtilization: 60 },
    image: { context: ".packed/service" },
    environment: {
      ...variablesOf("api", stage, wiredOf(parts)),
      [LISTEN_VARIABLE]: `ssm:${listen}`,
      AIW_HOST: "0.0.0.0",
      AIW_PORT: "3000",
    },
    permissions: grantsOf("api", parts, [...parametersOf("api", stage.name), listen]),
    loadBalancer: {
      rules: [{ listen: "80/http", forward: "3000/http" }],
      health: { "3000/http": { path: "/healthz", interval: "10 seconds" } },
    },
    logging: { retention: "1 month" },
  });
  router.route("/api", container.url, { readTimeout: "60 seconds" });
};
