import * as jobs from "@aiw/core/jobs";
import { fp } from "@aiw/platform/fault";
import type { JobsDeps } from "./compose.ts";
import { importModels, testModel } from "./ask-gateway.ts";
import { checkApproval } from "./check-approval.ts";
import { discoverTools } from "./discover-tools.ts";
import { testSource } from "./test-source.ts";

/** Longer than any of them may take, so that two processes never hold the same job. */
const LEASE_S = 60;

/**
 * Does the work of one job, if it is to be done. A second message for the same job finds nothing to do. What goes wrong here
 * and not at the server ends the job as failed, so that the person can ask again.
 */
export async function runJob(deps: JobsDeps, jobId: string): Promise<void> {
  const job = await fp("job.claim", () => jobs.claim(deps.ctx, jobId, LEASE_S, jobs.JOB_KINDS.jobs));
  if (job === null) return;
  return jobs.observed(deps.ctx, deps.telemetry, job, (ctx) => work({ ...deps, ctx }, job));
}

const work = async (deps: JobsDeps, job: jobs.ClaimedJob<(typeof jobs.JOB_KINDS)["jobs"][number]>): Promise<void> => {
  switch (job.kind) {
    case "source_test":
      return testSource(deps, job);
    case "approval_check":
      return fp("job.check", () => checkApproval(deps, job));
    case "tool_discovery":
      return discoverTools(deps, job);
    case "model_test":
      return testModel(deps, job);
    case "model_import":
      return importModels(deps, job);
  }
};
