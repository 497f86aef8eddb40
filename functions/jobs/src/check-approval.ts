import type { CallContext } from "@aiw/connectors/connector";
import * as approvals from "@aiw/core/approvals";
import type * as jobs from "@aiw/core/jobs";
import { deadline } from "@aiw/platform/deadline";
import { fp } from "@aiw/platform/fault";
import type { JobsDeps } from "./compose.ts";

const CHECK_LIMIT_MS = 40_000;
/** A look answers with a sentence, never with content. */
const MAX_RESULT_BYTES = 4_096;

/** APR-19: looks at the target of a request that waits, by the tool's own recheck, and records what is different there. */
export async function checkApproval(deps: JobsDeps, job: jobs.ClaimedJob): Promise<void> {
  const { ctx } = deps;
  const request = await fp("check.load", () => approvals.forCheck(ctx, job));
  const seen = request === null ? { kind: "unknown" as const } : await look(deps, job, request);
  const runId = await fp("check.record", () => approvals.recordCheck(ctx, job, seen, request?.runId ?? null));
  if (runId !== null) await fp("check.hint", () => deps.hint([runId]));
}

async function look(deps: JobsDeps, job: jobs.ClaimedJob, request: approvals.RequestToCheck): Promise<approvals.Seen> {
  const connector = deps.connectors.get(request.source.kind);
  if (connector === undefined) return { kind: "unknown" };
  try {
    const context = await fp("check.secret", () => contextOf(deps, job, request));
    const outcome = await fp("check.look", () =>
      connector.recheck(request.form, JSON.parse(request.preconditions), context),
    );
    return outcome.ok ? { kind: "current" } : { kind: "changed", text: outcome.text, drift: outcome.drift ?? null };
  } catch (error) {
    deps.ctx.log.warn("the target of a request could not be looked at", { approvalId: job.subjectId, error });
    return { kind: "unknown" };
  }
}

async function contextOf(
  deps: JobsDeps,
  job: jobs.ClaimedJob,
  { source, tool, pin, ...request }: approvals.RequestToCheck,
): Promise<CallContext> {
  const { secret: sealed, secretContext, ...facts } = source;
  return {
    userId: request.requesterId,
    workspaceId: job.workspaceId ?? "",
    teamId: request.teamId,
    runId: request.runId,
    source: { ...facts, secret: sealed === null ? null : await deps.vault.open(sealed, secretContext) },
    pin,
    signal: deadline(CHECK_LIMIT_MS),
    timeoutMs: CHECK_LIMIT_MS,
    maxResultBytes: MAX_RESULT_BYTES,
    ...(tool === null ? {} : { tool }),
  };
}
