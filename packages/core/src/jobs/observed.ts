import type { System } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import type { Telemetry } from "@aiw/platform/telemetry";
import type { ClaimedJob } from "./claim.ts";

/**
 * Does a job in a trace of its own, with a context whose lines name the job and its workspace (SEC-9). The trace has the
 * job's id.
 */
export function observed(
  ctx: Ctx<System>,
  telemetry: Telemetry | undefined,
  job: ClaimedJob,
  work: (ctx: Ctx<System>) => Promise<void>,
): Promise<void> {
  const workspaceId = job.workspaceId ?? undefined;
  const named = { ...ctx, log: ctx.log.child({ jobId: job.id, workspaceId }) };
  if (telemetry?.on !== true) return work(named);
  const span = telemetry.apart(`job ${job.kind}`, {
    id: job.id,
    kind: "consumer",
    attributes: {
      "messaging.system": "aws_sqs",
      "messaging.operation.type": "process",
      "messaging.operation.name": "process",
      "aiw.job.id": job.id,
      "aiw.job.kind": job.kind,
      "aiw.workspace.id": workspaceId,
    },
  });
  return work(named)
    .catch((error: unknown) => {
      span.fail(error);
      throw error;
    })
    .finally(() => span.end());
}
