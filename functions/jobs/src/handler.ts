import { jobMessage } from "@aiw/contract/runs";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { compose, type JobsComposition } from "./compose.ts";
import { runJob } from "./run-job.ts";
import { environment, isFunction } from "@aiw/platform/deployed";
import { fp } from "@aiw/platform/fault";
import { eachMessage } from "@aiw/platform/messages";

let composed: JobsComposition | undefined;

/** Short outside work that a click asked for. */
export const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => {
  composed ??= compose(environment());
  const { deps } = composed;
  const answer = await eachMessage(event.Records, deps.ctx.log, async (body, { messageId }, log) => {
    const { jobId } = jobMessage.parse(body);
    const ctx = { ...deps.ctx, log, requestId: messageId };
    await fp("job.receive", () => runJob({ ...deps, ctx }, jobId));
  });
  if (isFunction) await fp("job.telemetry", async () => deps.telemetry?.flush());
  return answer;
};
