import { Problem } from "@aiw/contract/problem";
import type { Human } from "@aiw/contract/actors";
import type { RequestStatus } from "@aiw/contract/runs";
import type { ApprovalDetail, ApprovalSummary } from "@aiw/contract/views";
import { reveal } from "@aiw/policy/reveal";
import { sha256Hex } from "@aiw/policy/freeze";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import { subjectOf, withSubjects } from "./subject.ts";

export interface ApprovalViewer {
  readonly userId: string;
  readonly isGlobalApprover: boolean;
}

interface Row {
  id: string;
  number: number;
  workspace_id: string;
  workspace_name: string | null;
  run_id: string;
  chat_id: string | null;
  tool_call_id: string;
  tool_id: string;
  title: string;
  source_name: string | null;
  risk_class: ApprovalSummary["riskClass"];
  requester_id: string;
  requester_name: string;
  requester_display: string;
  level: ApprovalSummary["level"];
  four_eyes: boolean;
  staged_from: string | null;
  status: RequestStatus;
  invalid_reason: ApprovalSummary["invalidReason"];
  stale_at: Date | null;
  allowed_by_policy: boolean;
  created_at: Date;
  expires_at: Date | null;
  decided_by: string | null;
  decider_name: string | null;
  decider_display: string | null;
  decided_at: Date | null;
  decision_reason: string | null;
  past: boolean;
  viewer_role: string | null;
}

const COLUMNS = (tx: Tx, userId: string) => tx`
  a.id, a.number, a.workspace_id, w.name as workspace_name, a.run_id, a.chat_id, a.tool_call_id, a.tool_id, a.title, s.name as source_name,
  a.risk_class, a.requester_id, q.name as requester_name, q.display_name as requester_display, a.level, a.four_eyes,
  (select c.run_id from tool_calls c where c.id = a.staged_call_id) as staged_from, a.status,
  a.invalid_reason, a.stale_at, a.allowed_by_policy, a.created_at, a.expires_at, a.decided_by, d.name as decider_name,
  d.display_name as decider_display, a.decided_at, a.decision_reason, coalesce(a.expires_at <= (select aiw_now()), false) as past,
  (select m.role from memberships m where m.workspace_id = a.workspace_id and m.user_id = ${userId}) as viewer_role`;

const FROM = (tx: Tx) => tx`
  approvals a left join workspaces w on w.id = a.workspace_id left join sources s on s.id = a.source_id
    join users q on q.id = a.requester_id left join users d on d.id = a.decided_by`;

/** APR-4: past its time a request is expired for everybody, published or not. */
const statusOf = (r: Row): RequestStatus => (r.status === "pending" && r.past ? "expired" : r.status);

/** The same rule as `approval_decide_v1`, for showing the buttons; the database decides (APR-5, APR-15). */
const whyNot = (r: Row, viewer: ApprovalViewer): ApprovalSummary["notDecidable"] => {
  const status = statusOf(r);
  if (status === "expired") return "expired";
  if (status !== "pending") return "decided";
  const right =
    r.level === "global_approver" ? viewer.isGlobalApprover : r.viewer_role === "admin" || r.viewer_role === "approver";
  if (!right) return "approver_missing";
  if (r.four_eyes && r.requester_id === viewer.userId) return "four_eyes";
  return r.stale_at === null ? null : "stale";
};

const toSummary = (r: Row, viewer: ApprovalViewer): ApprovalSummary => {
  const notDecidable = whyNot(r, viewer);
  return {
    id: r.id,
    number: r.number,
    workspaceId: r.workspace_id,
    workspaceName: r.workspace_name ?? "",
    runId: r.run_id,
    chatId: r.chat_id,
    toolCallId: r.tool_call_id,
    tool: r.tool_id,
    title: r.title,
    sourceName: r.source_name,
    riskClass: r.risk_class,
    requester: { id: r.requester_id, name: r.requester_name, displayName: r.requester_display },
    level: r.level,
    fourEyes: r.four_eyes,
    stagedFromRunId: r.staged_from,
    status: statusOf(r),
    invalidReason: r.invalid_reason,
    stale: r.stale_at !== null,
    allowedByPolicy: r.allowed_by_policy,
    createdAt: r.created_at.toISOString(),
    expiresAt: r.expires_at?.toISOString() ?? null,
    decidedBy:
      r.decided_by === null
        ? null
        : { id: r.decided_by, name: r.decider_name ?? "", displayName: r.decider_display ?? "" },
    decidedAt: r.decided_at?.toISOString() ?? null,
    decisionReason: r.decision_reason,
    selfApproval: r.decided_by !== null && r.decided_by === r.requester_id && r.status !== "rejected",
    decidable: notDecidable === null,
    notDecidable,
  };
};

/** Requests of the given runs, those they staged included (APR-8), oldest first; inside a transaction that is bound to their workspace. */
export const ofRuns = async (tx: Tx, viewer: ApprovalViewer, runIds: readonly string[]): Promise<ApprovalSummary[]> => {
  const rows = await tx<Row[]>`select ${COLUMNS(tx, viewer.userId)} from ${FROM(tx)}
      where a.run_id = any(${[...runIds]}::uuid[])
         or a.run_id in (select x.id from runs x where x.parent_run_id = any(${[...runIds]}::uuid[]) and x.lane = 'execution')
      order by a.id`;
  return withSubjects(
    tx,
    rows.map((r) => toSummary(r, viewer)),
  );
};

/** A person sees requests of workspaces they decide in, and their own; global approvers those of their level everywhere. */
const mayView = (r: Row, viewer: ApprovalViewer): boolean =>
  r.viewer_role === "admin" ||
  r.viewer_role === "approver" ||
  (r.viewer_role !== null && r.requester_id === viewer.userId) ||
  (r.level === "global_approver" && viewer.isGlobalApprover);

/** The names of workspaces and sources a global approver is no member of: read with the request's workspace in scope. */
const widen = async (tx: Tx, scope: readonly string[], viewer: ApprovalViewer, workspaceId?: string): Promise<void> => {
  if (!viewer.isGlobalApprover) return;
  const rows = await tx<{ workspace_id: string }[]>`
    select distinct workspace_id from approvals where level = 'global_approver' and (${workspaceId ?? null}::uuid is null or workspace_id = ${workspaceId ?? null}::uuid)`;
  const all = [...new Set([...scope, ...rows.map((r) => r.workspace_id)])];
  await tx`select set_config('aiw.workspaces', ${all.join(",")}, true)`;
};

type ListQuery = {
  readonly workspaceId?: string | undefined;
  readonly filter?: "open" | "mine" | "done" | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
};

/**
 * The inbox: requests the reader may see, and how many of them the reader can decide (the badge); one query serves both
 * (APR-15). `open`: pending, soonest expiry first, then the rest by age. `cursor` is the id of the last one seen.
 */
export const list = async (
  ctx: Ctx<Human>,
  scope: readonly string[],
  query: ListQuery,
): Promise<{ items: ApprovalSummary[]; next: string | null; open: number }> =>
  transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
    const viewer = { userId: ctx.actor.userId, isGlobalApprover: ctx.actor.isGlobalApprover };
    await widen(tx, scope, viewer);
    const limit = query.limit ?? 50;
    if (query.cursor !== undefined && !/^[0-9a-f-]{36}$/.test(query.cursor))
      throw new Problem("bad_request", { fields: { cursor: "invalid" } });
    const filter = query.filter ?? "open";
    const workspaceId = query.workspaceId ?? null;
    const before = query.cursor ?? null;
    const pending = await tx<Row[]>`
      select ${COLUMNS(tx, viewer.userId)} from ${FROM(tx)}
        where a.status = 'pending' and a.expires_at > (select aiw_now()) order by a.expires_at, a.id limit 1000`;
    const visible = pending.filter((r) => mayView(r, viewer));
    const open = visible.filter((r) => whyNot(r, viewer) === null).length;
    if (filter === "open") {
      const items = visible
        .filter((r) => workspaceId === null || r.workspace_id === workspaceId)
        .map((r) => toSummary(r, viewer));
      return { items: await withSubjects(tx, items), next: null, open };
    }
    const rows = await tx<Row[]>`
      select * from (select ${COLUMNS(tx, viewer.userId)} from ${FROM(tx)}
        where (${workspaceId}::uuid is null or a.workspace_id = ${workspaceId}::uuid) and (${before}::uuid is null or a.id < ${before}::uuid)
          and (${filter} = 'mine' and a.requester_id = ${viewer.userId} or ${filter} = 'done' and (a.status <> 'pending' or a.expires_at <= (select aiw_now())))) v
        where v.viewer_role in ('admin', 'approver') or v.requester_id = ${viewer.userId} or v.level = 'global_approver' and ${viewer.isGlobalApprover}
        order by v.id desc limit ${limit + 1}`;
    const items = rows.slice(0, limit).map((r) => toSummary(r, viewer));
    return {
      items: await withSubjects(tx, items),
      next: rows.length > limit ? (items.at(-1)?.id ?? null) : null,
      open,
    };
  });

interface DetailRow extends Row {
  snapshot_hash: string;
  definition_hash: string;
  policy_version: number;
  args_text: string;
  preview: string;
  preconditions: string;
  explanation: string;
  stopped: boolean;
  model_note: string | null;
  message: string | null;
  execute_before: Date | null;
  attempt: number;
  ended_at: Date | null;
  executed_hash: string | null;
  reconciled: boolean;
  settled_by: ApprovalDetail["settledBy"];
  result: string | null;
  facts: Record<string, unknown> | null;
  predecessor_id: string | null;
  successor_id: string | null;
}

/** One request with the real change, for those who may see it; everybody else gets not_found. */
export const detail = async (ctx: Ctx<Human>, scope: readonly string[], approvalId: string): Promise<ApprovalDetail> =>
  transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
    const viewer = { userId: ctx.actor.userId, isGlobalApprover: ctx.actor.isGlobalApprover };
    const [seen] = await tx<{ workspace_id: string }[]>`select workspace_id from approvals where id = ${approvalId}`;
    if (seen === undefined) throw new Problem("not_found");
    await widen(tx, scope, viewer, seen.workspace_id);
    const [row] = await tx<DetailRow[]>`
      select ${COLUMNS(tx, viewer.userId)}, a.snapshot_hash, a.definition_hash, a.policy_version, a.args_text, a.preview, a.preconditions,
             a.explanation, a.model_note, a.message, a.execute_before, a.attempt, a.ended_at, a.executed_hash, a.reconciled, a.result, a.facts, a.predecessor_id,
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
      }[]
    >`
      select v.user_id, u.name, u.display_name, v.vote, v.at, v.reason, v.channel from approval_votes v join users u on u.id = v.user_id
        where v.approval_id = ${approvalId} order by v.at`;
    const siblings = await tx<{ id: string; number: number; title: string; status: RequestStatus }[]>`
      select x.id, x.number, x.title, x.status from approvals x join tool_calls c on c.id = coalesce(x.staged_call_id, x.tool_call_id)
        where x.id <> ${approvalId} and (c.run_id, c.step) =
          (select t.run_id, t.step from tool_calls t, approvals o where o.id = ${approvalId} and t.id = coalesce(o.staged_call_id, o.tool_call_id))
        order by c.position`;
    const status = statusOf(row);
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
      hiddenCharacters: reveal(row.args_text).hidden,
      preview: JSON.parse(row.preview) as ApprovalDetail["preview"],
      preconditions: JSON.parse(row.preconditions) as Record<string, unknown>,
      explanation: JSON.parse(row.explanation) as ApprovalDetail["explanation"],
      stopped: row.stopped,
      modelNote: row.model_note,
      message: row.message,
      executeBefore: row.execute_before?.toISOString() ?? null,
      attempt: row.attempt,
      executedAt: row.status === "executed" ? (row.ended_at?.toISOString() ?? null) : null,
      executedHash: row.executed_hash,
      reconciled: row.reconciled,
      settledBy: row.settled_by,
      result: row.result,
      facts: row.facts,
      predecessorId: row.predecessor_id,
      successorId: row.successor_id,
      siblings: [...siblings],
      votes: votes.map((v) => ({
        by: { id: v.user_id, name: v.name, displayName: v.display_name },
        vote: v.vote,
        at: v.at.toISOString(),
        reason: v.reason,
        channel: v.channel,
      })),
      mayRequestAgain:
        status === "expired" &&
        row.successor_id === null &&
        row.chat_id !== null &&
        (row.requester_id === viewer.userId || row.viewer_role === "admin"),
    };
  });
