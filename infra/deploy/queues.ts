/// <reference path="./.sst/platform/config.d.ts" />
import type { QueueName } from "../functions.ts";

/** Deliveries of a message before it lies with the dead letters (RUN-20); the local stack has the same. */
const DELIVERIES = 5;

export type Queues = Readonly<Record<QueueName, { readonly queue: sst.aws.Queue; readonly dead: sst.aws.Queue }>>;

/** Each queue with its dead letters, which are kept for two weeks. A message stays hidden as long as its function may take. */
export const queues = (): Queues => ({
  steps: pair("StepsQueue"),
  jobs: pair("JobsQueue"),
  ingest: pair("IngestQueue"),
});

const pair = (name: string) => {
  const dead = new sst.aws.Queue(`${name}Dead`, {
    transform: { queue: { messageRetentionSeconds: 1_209_600, sqsManagedSseEnabled: true } },
  });
  const queue = new sst.aws.Queue(name, {
    visibilityTimeout: "900 seconds",
    dlq: { queue: dead.arn, retry: DELIVERIES },
    transform: { queue: { sqsManagedSseEnabled: true } },
  });
  return { queue, dead };
};
