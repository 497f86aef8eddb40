import type { TestReport } from "@aiw/connectors/connector";
import * as jobs from "@aiw/core/jobs";
import * as sources from "@aiw/core/sources";
import { deadline } from "@aiw/platform/deadline";
import { fp } from "@aiw/platform/fault";
import type { JobsDeps } from "./compose.ts";

const TEST_LIMIT_MS = 45_000;

/** Tests the connection of a source and records what came out (SRC-2). */
export async function testSource(deps: JobsDeps, job: jobs.ClaimedJob): Promise<void> {
  const { ctx } = deps;
  const source = await fp("test.load", () => sources.forTest(ctx, job));
  if (source === null) {
    await fp("test.gone", () => jobs.fail(ctx, job, "not_found"));
    return;
  }
  let report: TestReport;
  try {
    report = await fp("job.test", () => test(deps, source));
  } catch (error) {
    ctx.log.error("a connection test failed by itself", { jobId: job.id, sourceId: source.id, error });
    await fp("test.fail", () => jobs.fail(ctx, job, "internal"));
    return;
  }
  await fp("test.record", () => sources.recordTest(ctx, job, source, toResult(report)));
}

async function test(deps: JobsDeps, source: sources.SourceToTest): Promise<TestReport> {
  const connector = deps.connectors.get(source.kind);
  if (connector === undefined) throw new Error(`there is no connector for ${source.kind}`);
  const { secret: sealed, secretContext } = source;
  const secret = sealed === null ? null : await fp("test.secret", () => deps.vault.open(sealed, secretContext));
  return connector.testConnection({ ...source, secret }, deadline(TEST_LIMIT_MS));
}

const toResult = (report: TestReport): sources.TestResult => ({
  ok: report.ok,
  stages: report.stages.map(({ stage, ok, code, facts }) => ({
    stage,
    ok,
    ...(code === undefined ? {} : { code }),
    ...(facts === undefined ? {} : { facts }),
  })),
  warnings: [...report.warnings],
});
