/// <reference path="./.sst/platform/config.d.ts" />
import { FEED, type FunctionName, PLANS, type ResourceName } from "../functions.ts";
import type { Stage } from "../stage.ts";
import { parametersOf, variablesOf } from "../variables.ts";
import type { Queues } from "./queues.ts";

export interface Parts {
  readonly stage: Stage;
  readonly vpc: sst.aws.Vpc;
  readonly storage: sst.aws.Bucket;
  readonly queues: Queues;
  readonly router: sst.aws.Router;
}

/** Where `npm run deploy` has put the packed functions, seen from here. */
const PACKED = ".packed";

export type Functions = Readonly<Record<FunctionName, sst.aws.Function>>;

/** Every function with exactly what infra/functions.ts says of it. */
export const functions = (parts: Parts): Functions => {
  const duckdb = new aws.lambda.LayerVersion("DuckDb", {
    layerName: `aiw-${parts.stage.name}-duckdb`,
    code: new $util.asset.FileArchive(`${PACKED}/duckdb`),
    compatibleRuntimes: ["nodejs24.x"],
    compatibleArchitectures: ["x86_64"],
  });
  const make = (name: FunctionName) => one(name, parts, duckdb.arn);
  const made = {
    api: make("api"),
    step: make("step"),
    jobs: make("jobs"),
    ingest: make("ingest"),
    sweep: make("sweep"),
  };
  for (const [name, plan] of Object.entries(PLANS)) {
    const { trigger } = plan;
    const fn = made[name as FunctionName];
    if (trigger.kind === "queue") feed(parts.queues[trigger.queue].queue, name, fn, parts.stage);
    if (trigger.kind === "schedule")
      new sst.aws.CronV2("Clock", { schedule: "rate(1 minute)", function: fn, retries: 0 });
  }
  return made;
};

const one = (name: FunctionName, parts: Parts, duckdb: $util.Output<string>): sst.aws.Function => {
  const { stage, vpc, router } = parts;
  const plan = PLANS[name];
  const fn = new sst.aws.Function(`${name[0]?.toUpperCase()}${name.slice(1)}`, {
    runtime: "nodejs24.x",
    architecture: "x86_64",
    bundle: `${PACKED}/${name}`,
    handler: `${name}.handler`,
    memory: `${plan.memoryMb} MB`,
    storage: `${plan.diskMb} MB`,
    timeout: `${plan.timeoutS} seconds`,
    vpc,
    environment: variablesOf(name, stage, wiredOf(parts)),
    permissions: grantsOf(name, parts, parametersOf(name, stage.name)),
    layers: plan.duckdb ? [duckdb] : [],
    logging: { retention: "1 month", format: "json" },
    ...(plan.trigger.kind === "url" && stage.streams === "function"
      ? { streaming: true, url: { authorization: "none" as const, router: { instance: router, path: "/api" } } }
      : {}),
  });
  new aws.lambda.FunctionRecursionConfig(`${name}Loop`, { functionName: fn.name, recursiveLoop: plan.recursiveLoop });
  return fn;
};

/** What only the deployment knows. */
export const wiredOf = ({ stage, storage, queues }: Parts): Record<string, $util.Input<string>> => ({
  AIW_ENV: "production",
  AIW_PUBLIC_URL: `https://${stage.domain}`,
  AIW_BUCKET: storage.name,
  AIW_STEP_QUEUE_URL: queues.steps.queue.url,
  AIW_JOBS_QUEUE_URL: queues.jobs.queue.url,
  AIW_INGEST_QUEUE_URL: queues.ingest.queue.url,
});

/** The calls a function makes, each on the one resource it makes them on, and its own secrets. */
export const grantsOf = (name: FunctionName, parts: Parts, parameters: readonly string[]) => [
  ...Object.entries(PLANS[name].calls).map(([resource, actions]) => ({
    actions: [...actions],
    resources: arnsOf(resource as ResourceName, parts),
  })),
  ...fedFrom(name, parts).map((queue) => ({ actions: [...FEED], resources: [queue.arn] })),
  { actions: ["ssm:GetParameters"], resources: parameters.map(parameterArn) },
];

const fedFrom = (name: FunctionName, { queues }: Parts): sst.aws.Queue[] => {
  const { trigger } = PLANS[name];
  return trigger.kind === "queue" ? [queues[trigger.queue].queue] : [];
};

const arnsOf = (resource: ResourceName, { storage, queues }: Parts): $util.Output<string>[] => {
  if (resource === "bucket") return [storage.arn, $interpolate`${storage.arn}/*`];
  const [name, dead] = resource.split("-") as [keyof Queues, string | undefined];
  return [(dead === undefined ? queues[name].queue : queues[name].dead).arn];
};

const parameterArn = (name: string): $util.Output<string> =>
  $interpolate`arn:aws:ssm:${aws.getRegionOutput().region}:${aws.getCallerIdentityOutput().accountId}:parameter${name}`;

/** One message an invocation, failures reported one by one (OPS-3); no more at once than the database has connections for. */
const feed = (queue: sst.aws.Queue, name: string, fn: sst.aws.Function, stage: Stage): void => {
  queue.subscribe(fn.arn, {
    batch: { size: 1, partialResponses: true },
    transform: {
      eventSourceMapping: (args) => {
        args.scalingConfig = { maximumConcurrency: name === "step" ? stage.stepConcurrency : 2 };
      },
    },
  });
};
