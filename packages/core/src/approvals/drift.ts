import type { System } from "@aiw/contract/actors";
import type { Drift } from "@aiw/contract/drift";
import type { JsonObject } from "@aiw/contract/tools";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Database, type Tx } from "@aiw/platform/db";
import { fp } from "@aiw/platform/fault";
import type { ClaimedJob } from "../jobs/claim.ts";
import { drop, scopeOf } from "../jobs/finish.ts";

/** How often the sweeper has a waiting request looked at, and how often somebody who opens its page may (APR-19). Seconds. */
const SWEEP_EVERY_S = 300;
const VIEW_EVERY_S = 60;
/** Looks that one sweep opens. */
const PER_SWEEP = 20;

/**
 * APR-19: somebody looks at an open request, so its target is looked at too: a job, because the API asks nothing outside.
 * At most one a minute for a request, whoever looks. In a transaction that may see the request.
 * @returns the job to ring; null: it was looked at just now, or is not open
 */
export const askCheck = async (
  tx: Tx,
  approval: { readonly id: string; readonly workspaceId: string },
  userId: string,
): Promise<string | null> => {
  await tx`select set_config('aiw.workspaces', ${approval.workspaceId}, true)`;
  const asked = await tx`
    update approvals set check_asked_at = aiw_now()
      where id = ${approval.id} and status = 'pending' and expires_at > aiw_now() and source_id is not null
        and coalesce(check_asked_at, created_at) <= aiw_now() - make_interval(secs => ${VIEW_EVERY_S}) returning id`;
  if (asked.length === 0) return null;
  const [job] = await tx<{ id: string }[]>`
    insert into jobs (workspace_id, kind, subject_id, created_by, rung_at)
      values (${approval.workspaceId}, 'approval_check', ${approval.id}, ${userId}, aiw_now())
      on conflict (workspace_id, kind, subject_id) where status in ('queued', 'running') do nothing returning id`;
  return job?.id ?? null;
};

/** APR-19: opens the looks that are due, oldest first and bounded. For the sweeper. @returns jobs to ring */
export const openChecks = async (db: Database): Promise<string[]> =>
  transaction(db, "unscoped", async (tx) => {
    const rows = await tx<{ job_id: string }[]>`
      select job_id from approvals_check_due_v1(${SWEEP_EVERY_S}::integer, ${PER_SWEEP}::integer)`;
    return rows.map((row) => row.job_id);
  });

/** An open request as a look at its target needs it; the secret is still sealed. */
export interface RequestToCheck {
  readonly requesterId: string;
  readonly teamId: string;
  readonly runId: string;
  readonly form: string;
  readonly preconditions: string;
  readonly pin: JsonObject | null;
  readonly source: {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly config: JsonObject;
    readonly secret: string | null;
    readonly secretContext: string;
  };
  /** For tools that a server brought: their row. */
  readonly tool: {
    readonly id: string;
    readonly wireName: string;
    readonly wire: JsonObject;
    readonly hash: string;
    readonly instructionsHash: string | null;
    readonly settings: JsonObject;
  } | null;
}

interface Row {
  requester_id: string;
  team_id: string;
  run_id: string;
  form: string;
  preconditions: string;
  pin: JsonObject | null;
  source: RequestToCheck["source"];
  tool_kind: string;
  risk_class: string;
  tool_id: string;
  wire_name: string;
  definition: string;
  definition_hash: string;
  instructions_hash: string | null;
  settings: JsonObject;
}

/** What the job looks at; null when the request is not open any more, or its tool freezes nothing that could be compared. */
export const forCheck = async (ctx: Ctx<System>, job: ClaimedJob): Promise<RequestToCheck | null> => {
  const [row] = await fp("approval.check_load", () =>
    transaction(
      ctx.db,
      scopeOf(job),
      (tx) => tx<Row[]>`
      select a.requester_id, r.team_id, a.run_id, a.form, a.preconditions, r.pins -> a.source_id::text as pin,
             json_build_object('id', s.id, 'name', s.name, 'kind', s.kind, 'config', s.config, 'secret', s.secret, 'secretContext', s.secret_context) as source,
             t.kind as tool_kind, a.risk_class, t.id as tool_id, t.wire_name, t.definition, t.definition_hash, t.instructions_hash, t.settings
        from approvals a join runs r on r.id = a.run_id join connected_sources s on s.id = a.source_id join tools t on t.id = a.tool_id
       where a.id = ${job.subjectId} and a.status = 'pending' and a.expires_at > aiw_now() and a.shown is null`,
    ),
  );
  if (row === undefined || (row.tool_kind === "native" && row.risk_class === "read")) return null;
  return {
    requesterId: row.requester_id,
    teamId: row.team_id,
    runId: row.run_id,
    form: row.form,
    preconditions: row.preconditions,
    pin: row.pin,
    source: row.source,
    tool:
      row.tool_kind === "native"
        ? null
        : {
            id: row.tool_id,
            wireName: row.wire_name,
            wire: JSON.parse(row.definition) as JsonObject,
            hash: row.definition_hash,
            instructionsHash: row.instructions_hash,
            settings: row.settings,
          },
  };
};

/** What a look saw. `unknown`: the target could not be asked, which says nothing about the request. */
export type Seen =
  | { readonly kind: "current" }
  | { readonly kind: "changed"; readonly text: string; readonly drift: Drift | null }
  | { readonly kind: "unknown" };

const MAX_TEXT = 1000;

/** As long as the sentence at most, and such as the database holds (M4). */
const stored = ({ code, facts }: Drift): JsonObject => ({
  code,
  facts: Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key,
      value.slice(0, MAX_TEXT).toWellFormed().replaceAll("\0", "\ufffd"),
    ]),
  ),
});

/**
 * Records what a look saw and forgets its job, in one transaction; the flag is told and audited when it changes.
 * @returns the run whose request changed; null: nothing did
 */
export const recordCheck = async (
  ctx: Ctx<System>,
  job: ClaimedJob,
  seen: Seen,
  runId: string | null,
): Promise<string | null> =>
  fp("approval.check_record", () =>
    transaction(ctx.db, scopeOf(job), async (tx) => {
      if (!(await drop(tx, job)) || seen.kind === "unknown") return null;
      const fault = seen.kind === "changed" ? seen.text.slice(0, MAX_TEXT).toWellFormed() : null;
      const [row] = await tx<{ changed: boolean }[]>`
        select approval_checked_v1(${job.subjectId}::uuid, ${fault}) as changed`;
      const facts = seen.kind === "changed" && seen.drift !== null ? tx.json(stored(seen.drift)) : null;
      await tx`update approvals set stale_facts = ${facts} where id = ${job.subjectId} and status = 'pending' and stale_facts is distinct from ${facts}::jsonb`;
      return row?.changed === true ? runId : null;
    }),
  );
