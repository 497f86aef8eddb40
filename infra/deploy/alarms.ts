/// <reference path="./.sst/platform/config.d.ts" />
import type { Stage } from "../stage.ts";
import type { Functions } from "./functions.ts";
import type { Queues } from "./queues.ts";

/** Seconds the oldest message of a queue may wait before somebody is told. */
const OLDEST_S = 300;
/** Errors of one function within five minutes. */
const ERRORS = 5;

/** Tells people of dead letters, of queues that are not emptied, of functions that fail, and of a database that fills up. */
export const alarms = (stage: Stage, queues: Queues, functions: Functions, db: sst.aws.Postgres): void => {
  const topic = new aws.sns.Topic("Alarms", { name: `aiw-${stage.name}-alarms` });
  new aws.sns.TopicSubscription("AlarmMail", { topic: topic.arn, protocol: "email", endpoint: stage.alarmEmail });
  const watch = (name: string, args: Partial<aws.cloudwatch.MetricAlarmArgs>) =>
    new aws.cloudwatch.MetricAlarm(name, {
      comparisonOperator: "GreaterThanOrEqualToThreshold",
      evaluationPeriods: 1,
      period: 300,
      treatMissingData: "notBreaching",
      alarmActions: [topic.arn],
      ...args,
    });
  for (const [name, { queue, dead }] of Object.entries(queues)) {
    const of = (q: sst.aws.Queue, metricName: string) => ({
      namespace: "AWS/SQS",
      metricName,
      statistic: "Maximum",
      dimensions: { QueueName: q.nodes.queue.name },
    });
    watch(`${name}DeadLetters`, { ...of(dead, "ApproximateNumberOfMessagesVisible"), threshold: 1 });
    watch(`${name}Oldest`, { ...of(queue, "ApproximateAgeOfOldestMessage"), threshold: OLDEST_S });
  }
  for (const [name, fn] of Object.entries(functions)) {
    const of = (metricName: string) => ({
      namespace: "AWS/Lambda",
      metricName,
      statistic: "Sum",
      dimensions: { FunctionName: fn.name },
    });
    watch(`${name}Errors`, { ...of("Errors"), threshold: ERRORS });
    watch(`${name}Throttles`, { ...of("Throttles"), threshold: ERRORS });
  }
  watch("DatabaseSpace", {
    namespace: "AWS/RDS",
    metricName: "FreeStorageSpace",
    statistic: "Minimum",
    dimensions: { DBInstanceIdentifier: db.id },
    comparisonOperator: "LessThanThreshold",
    threshold: 2 * 1024 ** 3,
  });
};
