import type { Member, System } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject } from "@aiw/contract/tools";
import type { Job, Source } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import type { ClaimedJob } from "../jobs/claim.ts";
import { finish, scopeOf } from "../jobs/finish.ts";
import { open } from "../jobs/open.ts";

/**
 * Asks for a connection test (SRC-2). While one is under way the same click finds it. The caller rings the job.
 * @throws Problem forbidden | not_found
 */
export async function requestTest(ctx: Ctx<Member>, sourceId: string): Promise<Job> {
  await requireAdmin(ctx);
  const { workspaceId, userId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    const found =
      await tx`select id from sources where id = ${sourceId} and workspace_id = ${workspaceId} and removed_at is null`;
    if (found.length === 0) throw new Problem("not_found");
    return open(tx, { workspaceId, kind: "source_test", subjectId: sourceId, createdBy: userId });
  });
}

/** A source as its test needs it; the secret is still sealed. */
export interface SourceToTest {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly config: JsonObject;
  readonly secret: string | null;
  /** What the secret was sealed for. */
  readonly secretContext: string;
}

/** What the job tests; null when the source was removed meanwhile. */
export async function forTest(ctx: Ctx<System>, job: ClaimedJob): Promise<SourceToTest | null> {
  const [row] = await transaction(
    ctx.db,
    scopeOf(job),
    (tx) => tx<SourceToTest[]>`
    select id, name, kind, config, secret, secret_context as "secretContext" from connected_sources
     where id = ${job.subjectId} and workspace_id = ${job.workspaceId}`,
  );
  return row ?? null;
}

export type TestResult = NonNullable<Source["lastTest"]>;

/**
 * Records the result and ends the job, in one transaction. Nothing happens when the job is not this attempt's any more;
 * a result for credentials that were replaced meanwhile is not recorded with the source.
 */
export async function recordTest(
  ctx: Ctx<System>,
  job: ClaimedJob,
  tested: Pick<SourceToTest, "id" | "secret">,
  result: TestResult,
): Promise<boolean> {
  return transaction(ctx.db, scopeOf(job), async (tx) => {
    const failed = result.stages.find((stage) => !stage.ok);
    if (!(await finish(tx, job, { errorCode: null }))) return false;
    const rows = await tx`
      update sources set status = ${result.ok ? "tested" : "failed"}, last_test_at = aiw_now(), last_test = ${tx.json(toJson(result))}
       where id = ${tested.id} and removed_at is null
         and exists (select from connected_sources c where c.id = sources.id and c.secret is not distinct from ${tested.secret}) returning id`;
    if (rows.length === 0) return true;
    await audit.write(tx, {
      workspaceId: job.workspaceId,
      actor: audit.human(job.createdBy),
      event: "source.tested",
      objectKind: "source",
      objectId: tested.id,
      source: "job",
      data: { ok: result.ok, stage: failed?.stage ?? null, code: failed?.code ?? null, warnings: result.warnings },
    });
    return true;
  });
}

/** The report without what JSON does not have. */
const toJson = (result: TestResult): JsonObject => JSON.parse(JSON.stringify(result)) as JsonObject;
