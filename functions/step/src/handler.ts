import { stepMessage } from "@aiw/contract/runs";
import { step } from "@aiw/engine/step";
import { fp } from "@aiw/platform/fault";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { compose, type StepComposition } from "./compose.ts";

let composed: StepComposition | undefined;

/**
 * The step function: one message, one step (RUN-3). A message that cannot be read fails alone and ends in the dead-letter
 * queue (RUN-20); one that names nothing to do is dropped. A step that fails is retried by its own row, so its message is
 * done; only what kept the row from being written (no database) asks for redelivery.
 */
export const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => {
  composed ??= compose(process.env);
  const { deps, goOn, flush } = composed;
  const started = performance.now();
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of event.Records) {
    try {
      const message = stepMessage.parse(JSON.parse(record.body));
      let taken = 0;
      const mayGoOn = (): boolean => (taken += 1) < goOn.steps && performance.now() - started < goOn.withinMs;
      await fp("sqs.receive", () => step(deps, message, mayGoOn));
    } catch (error) {
      deps.log.error("a step message failed", { messageId: record.messageId, error });
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  await fp("step.flush", flush);
  return { batchItemFailures };
};
