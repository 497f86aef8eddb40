import { jobMessage } from "@aiw/contract/runs";
import { environment } from "@aiw/platform/deployed";
import { fp } from "@aiw/platform/fault";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { compose, type IngestComposition } from "./compose.ts";
import { runJob } from "./run-job.ts";

/** The platform freezes the process between two invocations. */
const isFunction = process.env["AWS_LAMBDA_FUNCTION_NAME"] !== undefined;

let composed: IngestComposition | undefined;

/**
 * Imports and deletes uploads (UPL-1, UPL-3). A message that cannot be read, or whose row could not be reached, fails alone and
 * comes again; in the end it lies with the dead letters (RUN-20).
 */
export const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => {
  composed ??= compose(environment());
  const { deps } = composed;
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of event.Records) {
    const { messageId } = record;
    const log = deps.ctx.log.child({ requestId: messageId });
    try {
      const message = jobMessage.parse(JSON.parse(record.body));
      await fp("ingest.receive", () =>
        runJob({ ...deps, ctx: { ...deps.ctx, log, requestId: messageId } }, message.jobId),
      );
    } catch (error) {
      log.error("an ingest message failed", { messageId, error });
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  if (isFunction) await fp("ingest.telemetry", async () => deps.telemetry?.flush());
  return { batchItemFailures };
};
