import * as jobs from "@aiw/core/jobs";
import { fp } from "@aiw/platform/fault";
import type { IngestDeps } from "./compose.ts";
import { importUpload } from "./import-upload.ts";
import { removeUpload } from "./remove-upload.ts";

/** Longer than fetching, importing and storing may take together, so that two processes never hold the same job. */
const LEASE_S = 300;

/** Does the work of one job, if it is to be done. A second message for the same job finds nothing to do. */
export const runJob = async (deps: IngestDeps, jobId: string): Promise<void> => {
  const job = await fp("ingest.claim", () => jobs.claim(deps.ctx, jobId, LEASE_S, jobs.JOB_KINDS.ingest));
  if (job === null) return;
  return jobs.observed(deps.ctx, deps.telemetry, job, (ctx) => work({ ...deps, ctx }, job));
};

const work = async (
  deps: IngestDeps,
  job: jobs.ClaimedJob<(typeof jobs.JOB_KINDS)["ingest"][number]>,
): Promise<void> => {
  switch (job.kind) {
    case "upload_import":
      return importUpload(deps, job);
    case "upload_removal":
      return removeUpload(deps, job);
  }
};
