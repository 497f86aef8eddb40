import type { Human } from "@aiw/contract/actors";
import type { Drift } from "@aiw/contract/drift";
import { Problem } from "@aiw/contract/problem";
import type { RequestStatus } from "@aiw/contract/runs";
import type { ApprovalDetail } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import { fp } from "@aiw/platform/fault";
import { sha256Hex } from "@aiw/policy/freeze";
import { reveal } from "@aiw/policy/reveal";
import { askCheck } from "./drift.ts";
import { effectsOf, isIncident } from "./receipt.ts";
import { mayAskAgain, renewalOf } from "./request-again.ts";
import type { Opener } from "./sealed.ts";
import { standing } from "./standing.ts";
import { subjectOf } from "./subject.ts";
import { type ApprovalViewer, COLUMNS, FROM, isElsewhere, mayView, type Row, toSummary, widen } from "./views.ts";

interface DetailRow extends Row {
  snapshot_hash: string;
  definition_hash: string;
  policy_version: number;
  args_text: string;
  masked: boolean;
  preview: string;
  preconditions: string;
  explanation: string;
  stopped: boolean;
  model_note: string | null;
  message: string | null;
  execute_before: Date | null;
  executing_at: Date | null;
  attempt: number;
  ended_at: Date | null;
  executed_hash: string | null;
  reconciled: boolean;
  settled_by: ApprovalDetail["settledBy"];
  result: string | null;
  facts: Record<string, unknown> | null;
  stale_reason: string | null;
  stale_facts: Drift | null;
  checked_at: Date | null;
  preparing: boolean;
  predecessor_id: string | null;
  predecessor: {
    readonly id: string;
    readonly number: number;
    readonly args: string;
    readonly preview: string;
    readonly preconditions: string;
    readonly staleReason: string | null;
    readonly drift: Drift | null;
  } | null;
  successor_id: string | null;
  taken: boolean;
}

const mayRequestAgain = (row: DetailRow, viewer: ApprovalViewer): boolean => {
  const request = { ...row, invalidReason: row.invalid_reason, stale: row.stale_at !== null };
  const how = renewalOf(request);
  if (how === null || row.successor_id !== null || row.preparing) return false;
  if (how === "in_a_new_run" && (row.chat_id === null || row.taken || row.masked)) return false;
  return mayAskAgain(request, row.viewer_role, row.requester_id === viewer.userId, viewer.isGlobalApprover);
};

/**
 * The same for somebody who looks at it: an open request's target is looked at again meanwhile (APR-19), and who may decide it is
 * told beforehand when an approval would end it (F48).
 * @returns also the job to ring, if there is one
 */
export const view = async (
  ctx: Ctx<Human>,
  scope: readonly string[],
  approvalId: string,
  vault: Opener,
): Promise<{ readonly item: ApprovalDetail; readonly jobId: string | null }> => {
  const item = await detail(ctx, scope, approvalId);
  if (item.status !== "pending") return { item, jobId: null };
  const { userId } = ctx.actor;
  return fp("approval.ask_check", () =>
    transaction(ctx.db, { workspaces: [item.workspaceId], userId }, async (tx) => {
      const executes = item.decidable && item.responseLabel === null;
      const overtaken = executes ? await standing(tx, item.workspaceId, approvalId, vault) : null;
      return { item: { ...item, overtaken }, jobId: await askCheck(tx, item, userId) };
    }),
  );
};

/** One request with the real change, for those who may see it; everybody else gets not_found. */
export const detail = async (ctx: Ctx<Human>, scope: readonly string[], approvalId: string): Promise<ApprovalDetail> =>
  transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
    const viewer = { userId: ctx.actor.userId, isGlobalApprover: ctx.actor.isGlobalApprover };
    const [seen] = await tx<{ workspace_id: string }[]>`select workspace_id from approvals where id = ${approvalId}`;
    if (seen === undefined || isElsewhere(ctx.actor, seen.workspace_id)) throw new Problem("not_found");
    await widen(tx, scope, viewer, seen.workspace_id);
    const [row] = await tx<DetailRow[]>`
      select ${COLUMNS(tx, viewer.userId)}, a.snapshot_hash, a.definition_hash, a.policy_version, coalesce(a.shown::json ->> 'args', a.args_text) as args_text,
             coalesce(a.shown::json ->> 'preview', a.preview) as preview, coalesce(a.shown::json ->> 'preconditions', a.preconditions) as preconditions,
             a.shown is not null as masked,
             a.explanation, a.model_note, a.message, a.execute_before, a.executing_at, a.attempt, a.ended_at, a.executed_hash, a.reconciled, a.result, a.facts, a.predecessor_id,
             a.stale_reason, a.stale_facts, a.checked_at, a.status = 'pending' and a.again_asked_at is not null as preparing,
             (select json_build_object('id', p.id, 'number', p.number, 'args', coalesce(p.shown::json ->> 'args', p.args_text),
                'preview', coalesce(p.shown::json ->> 'preview', p.preview), 'preconditions', coalesce(p.shown::json ->> 'preconditions', p.preconditions),
                'staleReason', p.stale_reason, 'drift', p.stale_facts) from approvals p where p.id = a.predecessor_id) as predecessor,
             exists (select from tool_calls t where t.predecessor_id = a.id) as taken,
             (select jsonb_build_object('by', jsonb_build_object('id', s.id, 'name', s.name, 'displayName', s.display_name), 'comment', a.reconcile_comment)
                from users s where s.id = a.reconciled_by) as settled_by,
             a.status in ('pending', 'approved') and a.risk_class in ('write_external', 'destructive') and
               (w.writes_stopped_at is not null or exists (select from platform_settings where writes_stopped_at is not null)) as stopped,
             (select x.id from approvals x where x.predecessor_id = a.id) as successor_id
        from ${FROM(tx)} where a.id = ${approvalId}`;
    if (row === undefined || !mayView(row, viewer)) throw new Problem("not_found");
    const votes = await tx<
      {
        user_id: string;
        name: string;
        display_name: string;
        vote: "approved" | "rejected";
        at: Date;
        reason: string | null;
        channel: string;
        seen: boolean;
        key_name: string | null;
      }[]
    >`
      select v.user_id, u.name, u.display_name, v.vote, v.at, v.reason, v.channel, v.seen_hash is not null as seen, k.name as key_name
        from approval_votes v join users u on u.id = v.user_id left join api_keys k on k.id = v.api_key_id
        where v.approval_id = ${approvalId} order by v.at`;
    const siblings = await tx<{ id: string; number: number; title: string; status: RequestStatus }[]>`
      select x.id, x.number, x.title, x.status from approvals x join tool_calls c on c.id = coalesce(x.staged_call_id, x.tool_call_id)
        where x.tool_call_id <> ${row.tool_call_id} and (c.run_id, c.step) =
          (select t.run_id, t.step from tool_calls t, approvals o where o.id = ${approvalId} and t.id = coalesce(o.staged_call_id, o.tool_call_id))
          and not exists (select from approvals s where s.predecessor_id = x.id and s.tool_call_id = x.tool_call_id)
        order by c.position`;
    const preview = JSON.parse(row.preview) as ApprovalDetail["preview"];
    const effects = row.status === "executed" ? effectsOf(preview.predicted, row.facts) : [];
    const subject = subjectOf(row.preview);
    return {
      ...toSummary(row, viewer),
      ...(subject === undefined ? {} : { subject }),
      snapshotHash: row.snapshot_hash,
      definitionHash: row.definition_hash,
      policyVersion: row.policy_version,
      args: row.args_text,
      argsBytes: Buffer.byteLength(row.args_text),
      argsHash: sha256Hex(row.args_text),
      masked: row.masked,
      hiddenCharacters: reveal(row.args_text).hidden,
      preview,
      preconditions: JSON.parse(row.preconditions) as Record<string, unknown>,
      explanation: JSON.parse(row.explanation) as ApprovalDetail["explanation"],
      stopped: row.stopped,
      modelNote: row.model_note,
      message: row.message,
      executingAt: row.executing_at?.toISOString() ?? null,
      executeBefore: row.execute_before?.toISOString() ?? null,
      attempt: row.attempt,
      executedAt: row.status === "executed" ? (row.ended_at?.toISOString() ?? null) : null,
      executedHash: row.executed_hash,
      reconciled: row.reconciled,
      settledBy: row.settled_by,
      result: row.result,
      facts: row.facts,
      effects,
      incident: isIncident(row.snapshot_hash, row.executed_hash, effects),
      staleReason: row.stale_reason,
      drift: row.stale_facts,
      overtaken: null,
      checkedAt: row.checked_at?.toISOString() ?? null,
      preparing: row.preparing,
      predecessorId: row.predecessor_id,
      predecessor:
        row.predecessor === null
          ? null
          : {
              ...row.predecessor,
              preview: JSON.parse(row.predecessor.preview) as ApprovalDetail["preview"],
              preconditions: JSON.parse(row.predecessor.preconditions) as Record<string, unknown>,
            },
      successorId: row.successor_id,
      siblings: [...siblings],
      votes: votes.map((v) => ({
        by: { id: v.user_id, name: v.name, displayName: v.display_name },
        vote: v.vote,
        at: v.at.toISOString(),
        reason: v.reason,
        channel: v.channel,
        seenHash: v.seen,
        key: v.key_name,
      })),
      mayRequestAgain: mayRequestAgain(row, viewer),
    };
  });
