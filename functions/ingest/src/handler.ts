import { jobMessage } from "@aiw/contract/runs";
import { environment, isFunction } from "@aiw/platform/deployed";
import { fp } from "@aiw/platform/fault";
import { eachMessage } from "@aiw/platform/messages";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { compose, type IngestComposition } from "./compose.ts";
import { runJob } from "./run-job.ts";

let composed: IngestComposition | undefined;

/** Imports and deletes uploads (UPL-1, UPL-3). */
export const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => {
  composed ??= compose(environment());
  const { deps } = composed;
  const answer = await eachMessage(event.Records, deps.ctx.log, async (body, { messageId }, log) => {
    const { jobId } = jobMessage.parse(body);
    const ctx = { ...deps.ctx, log, requestId: messageId };
    await fp("ingest.receive", () => runJob({ ...deps, ctx }, jobId));
  });
  if (isFunction) await fp("ingest.telemetry", async () => deps.telemetry?.flush());
  return answer;
};
