import { Problem } from "@aiw/contract/problem";
import type { Human } from "@aiw/contract/actors";
import type { RequestStatus } from "@aiw/contract/runs";
import { type ApprovalRight, RIGHTS_OF } from "@aiw/contract/rights";
import type { ApprovalSummary, MemberRole } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import { withSubjects } from "./subject.ts";

export interface ApprovalViewer {
  readonly userId: string;
  readonly isGlobalApprover: boolean;
}

export interface Row {
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
  parent_run_id: string | null;
  response_label: string | null;
  sensitive: boolean;
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
  viewer_role: MemberRole | null;
}

export const COLUMNS = (tx: Tx, userId: string) => tx`
  a.id, a.number, a.workspace_id, w.name as workspace_name, a.run_id, a.chat_id, a.tool_call_id, a.tool_id, a.title, s.name as source_name,
  a.risk_class, a.requester_id, q.name as requester_name, q.display_name as requester_display, a.level, a.four_eyes,
  (select c.run_id from tool_calls c where c.id = a.staged_call_id) as staged_from,
  (select o.parent_run_id from runs o where o.id = a.run_id and o.lane = 'child') as parent_run_id, a.response_label, a.sensitive, a.status,
  a.invalid_reason, a.stale_at, a.allowed_by_policy, a.created_at, a.expires_at, a.decided_by, d.name as decider_name,
  d.display_name as decider_display, a.decided_at, a.decision_reason, coalesce(a.expires_at <= (select aiw_now()), false) as past,
  (select m.role from memberships m where m.workspace_id = a.workspace_id and m.user_id = ${userId}) as viewer_role`;

export const FROM = (tx: Tx) => tx`
  approvals a left join workspaces w on w.id = a.workspace_id left join sources s on s.id = a.source_id
    join users q on q.id = a.requester_id left join users d on d.id = a.decided_by`;

/** APR-4: past its time a request is expired for everybody, published or not. */
export const statusOf = (r: Row): RequestStatus => (r.status === "pending" && r.past ? "expired" : r.status);

/** Whether a role in the workspace gives a right there (APR-13). */
const gives = (role: MemberRole | null, right: ApprovalRight): boolean =>
  role !== null && RIGHTS_OF[role].includes(right);

/** The same rule as `approval_decide_v1`, for showing the buttons; the database decides (APR-5, APR-15). */
const whyNot = (r: Row, viewer: ApprovalViewer): ApprovalSummary["notDecidable"] => {
  const status = statusOf(r);
  if (status === "expired") return "expired";
  if (status !== "pending") return "decided";
  const right = r.level === "global_approver" ? viewer.isGlobalApprover : gives(r.viewer_role, "approvals.decide");
  if (!right) return "approver_missing";
  if (r.four_eyes && r.requester_id === viewer.userId) return "four_eyes";
  return r.stale_at === null ? null : "stale";
};

export const toSummary = (r: Row, viewer: ApprovalViewer): ApprovalSummary => {
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
    parentRunId: r.parent_run_id,
    responseLabel: r.response_label,
    sensitive: r.sensitive,
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

/** Requests of the given runs and of those that came from them (APR-8, RUN-18), oldest first; inside a transaction that is bound to their workspace. */
export const ofRuns = async (tx: Tx, viewer: ApprovalViewer, runIds: readonly string[]): Promise<ApprovalSummary[]> => {
  const rows = await tx<Row[]>`select ${COLUMNS(tx, viewer.userId)} from ${FROM(tx)}
      where a.run_id = any(${[...runIds]}::uuid[])
         or a.run_id in (select x.id from runs x where x.parent_run_id = any(${[...runIds]}::uuid[]))
      order by a.id`;
  return withSubjects(
    tx,
    rows.map((r) => toSummary(r, viewer)),
  );
};

/** A person sees requests of workspaces they decide in, and their own; global approvers those of their level everywhere. */
export const mayView = (r: Row, viewer: ApprovalViewer): boolean =>
  gives(r.viewer_role, "approvals.view") ||
  (r.viewer_role !== null && r.requester_id === viewer.userId) ||
  (r.level === "global_approver" && viewer.isGlobalApprover);

/** Whether an API key is bound to another workspace (IDN-5). */
export const isElsewhere = (actor: Human, workspaceId: string): boolean =>
  actor.key !== undefined && actor.key.workspaceId !== workspaceId;

/** The names of workspaces and sources a global approver is no member of: read with the request's workspace in scope. */
export const widen = async (
  tx: Tx,
  scope: readonly string[],
  viewer: ApprovalViewer,
  workspaceId?: string,
): Promise<void> => {
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
    await widen(tx, scope, viewer, ctx.actor.key?.workspaceId);
    const limit = query.limit ?? 50;
    if (query.cursor !== undefined && !/^[0-9a-f-]{36}$/.test(query.cursor))
      throw new Problem("bad_request", { fields: { cursor: "invalid" } });
    const filter = query.filter ?? "open";
    const workspaceId = query.workspaceId ?? null;
    const before = query.cursor ?? null;
    const pending = await tx<Row[]>`
      select ${COLUMNS(tx, viewer.userId)} from ${FROM(tx)}
        where a.status = 'pending' and a.expires_at > (select aiw_now()) order by a.expires_at, a.id limit 1000`;
    const visible = pending.filter((r) => mayView(r, viewer) && !isElsewhere(ctx.actor, r.workspace_id));
    const open = visible.filter((r) => whyNot(r, viewer) === null).length;
    if (filter === "open") {
      const after = before === null ? null : await positionOf(tx, before);
      const rest = visible.filter(
        (r) => (workspaceId === null || r.workspace_id === workspaceId) && (after === null || comesAfter(r, after)),
      );
      const items = rest.slice(0, limit).map((r) => toSummary(r, viewer));
      const next = rest.length > limit ? (items.at(-1)?.id ?? null) : null;
      return { items: await withSubjects(tx, items), next, open };
    }
    const rows = await tx<Row[]>`
      select * from (select ${COLUMNS(tx, viewer.userId)} from ${FROM(tx)}
        where (${workspaceId}::uuid is null or a.workspace_id = ${workspaceId}::uuid)
          and (${ctx.actor.key?.workspaceId ?? null}::uuid is null or a.workspace_id = ${ctx.actor.key?.workspaceId ?? null}::uuid) and (${before}::uuid is null or a.id < ${before}::uuid)
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

interface Position {
  readonly expiresAt: number;
  readonly id: string;
}

/** Where a request stands among the open ones, also when it is open no more. */
const positionOf = async (tx: Tx, id: string): Promise<Position> => {
  const [row] = await tx<{ expires_at: Date | null }[]>`select expires_at from approvals where id = ${id}`;
  return { id, expiresAt: row?.expires_at?.getTime() ?? 0 };
};

const comesAfter = (r: Row, position: Position): boolean => {
  const at = r.expires_at?.getTime() ?? 0;
  return at === position.expiresAt ? r.id > position.id : at > position.expiresAt;
};
