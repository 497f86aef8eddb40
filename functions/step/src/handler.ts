import { stepMessage } from "@aiw/contract/runs";
import { step } from "@aiw/engine/step";
import { fp } from "@aiw/platform/fault";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { compose, type StepComposition } from "./compose.ts";

/** The platform freezes the process between two invocations. */
const isFunction = process.env["AWS_LAMBDA_FUNCTION_NAME"] !== undefined;

let composed: StepComposition | undefined;

/**
 * The step function: one message, one step (RUN-3). A message that cannot be read fails alone and ends in the dead-letter
 * queue (RUN-20); one that names nothing to do is dropped. A step that fails is retried by its own row, so its message is
 * done; only what kept the row from being written (no database) asks for redelivery.
 */
export const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => {
  composed ??= compose(process.env);
  const { deps, goOn, flush, queue } = composed;
  const started = performance.now();
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of event.Records) {
    const { messageId, attributes } = record;
    const log = deps.log.child({ requestId: messageId });
    try {
      const message = stepMessage.parse(JSON.parse(record.body));
      let taken = 0;
      const mayGoOn = (): boolean => (taken += 1) < goOn.steps && performance.now() - started < goOn.withinMs;
      const sentAtMs = Number(attributes?.SentTimestamp);
      const delivery = { queue, messageId, ...(sentAtMs > 0 ? { sentAtMs } : {}) };
      await fp("sqs.receive", () => step({ ...deps, log }, message, mayGoOn, delivery));
    } catch (error) {
      log.error("a step message failed", { messageId, runId: runIdOf(record.body), error });
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  await fp("step.flush", flush);
  // What a frozen environment still holds may be lost: it goes out before the answer (SEC-9).
  if (isFunction) await fp("step.telemetry", async () => deps.telemetry?.flush());
  return { batchItemFailures };
};

/** The run a message names, for a line in the log, where it can be read. */
const runIdOf = (body: string): string | undefined => /"runId":"([0-9a-f-]{36})"/.exec(body)?.[1];
