import { Problem } from "@aiw/contract/problem";
import type { Human } from "@aiw/contract/actors";
import type { RunLane, RunStatus } from "@aiw/contract/runs";
import type { MemberRole, RunDetail, RunSummary } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import * as approvals from "../approvals/views.ts";
import { judgedCallsOf } from "./calls.ts";

/** Who looks: decides which actions are offered (RUN-22). */
export interface Viewer {
  readonly userId: string;
  readonly role: MemberRole;
}

interface Row {
  id: string;
  workspace_id: string;
  chat_id: string | null;
  lane: RunLane;
  parent_run_id: string | null;
  title: string;
  status: RunStatus;
  end_reason: RunSummary["endReason"];
  error_code: string | null;
  error_text: string | null;
  started_by: string;
  starter_name: string;
  starter_display: string;
  model: string;
  step: number;
  attempts: number;
  tool_rounds: number;
  input_tokens: number;
  output_tokens: number;
  context_fill: number;
  cost: number | null;
  last_seq: number;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  pins: Record<string, { commit?: string }>;
  viewer_role: MemberRole | null;
}

const COLUMNS = (tx: Tx, userId: string) => tx`
  r.id, r.workspace_id, coalesce(r.chat_id, (select o.chat_id from runs o where o.id = r.parent_run_id)) as chat_id, r.lane, r.parent_run_id,
  r.title, r.status, r.end_reason, r.error_code, r.error_text, r.started_by, u.name as starter_name, u.display_name as starter_display,
  r.model, r.step, r.attempts, r.tool_rounds, r.input_tokens, r.output_tokens, r.context_fill, r.cost::float8 as cost, r.last_seq,
  r.created_at, r.started_at, r.ended_at, r.pins,
  (select m.role from memberships m where m.workspace_id = r.workspace_id and m.user_id = ${userId}) as viewer_role`;

const toSummary = (r: Row, userId: string): RunSummary => {
  const own = r.started_by === userId || r.viewer_role === "admin";
  return {
    id: r.id,
    workspaceId: r.workspace_id,
    chatId: r.chat_id,
    lane: r.lane,
    parentRunId: r.parent_run_id,
    title: r.title,
    status: r.status,
    endReason: r.end_reason,
    errorCode: r.error_code,
    errorText: r.error_text,
    startedBy: { id: r.started_by, name: r.starter_name, displayName: r.starter_display },
    model: r.model,
    step: r.step,
    attempt: r.attempts,
    toolRounds: r.tool_rounds,
    inputTokens: r.input_tokens,
    outputTokens: r.output_tokens,
    contextFill: r.context_fill,
    cost: r.cost,
    lastSeq: r.last_seq,
    createdAt: r.created_at.toISOString(),
    startedAt: r.started_at?.toISOString() ?? null,
    endedAt: r.ended_at?.toISOString() ?? null,
    may: {
      cancel: own && ["queued", "running", "waiting_approval", "waiting_input"].includes(r.status),
      resume: own && r.status === "failed" && r.lane === "chat",
      continue: own && r.status === "completed" && r.end_reason === "limit_reached",
      reconcile: r.viewer_role === "admin" && r.status === "needs_reconciliation",
    },
  };
};

/** The runs of one chat, oldest first. */
export const summariesOfChat = async (tx: Tx, viewer: Viewer, chatId: string): Promise<RunSummary[]> => {
  const rows = await tx<
    Row[]
  >`select ${COLUMNS(tx, viewer.userId)} from runs r join users u on u.id = r.started_by where r.chat_id = ${chatId} order by r.id`;
  return rows.map((r) => toSummary(r, viewer.userId));
};

/** One run as a summary, for a person whose scope holds its workspace; else not_found. */
export const one = async (ctx: Ctx<Human>, scope: readonly string[], runId: string): Promise<RunSummary> =>
  transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) =>
    toSummary(await find(tx, ctx.actor.userId, runId), ctx.actor.userId),
  );

const find = async (tx: Tx, userId: string, runId: string): Promise<Row> => {
  const [row] = await tx<
    Row[]
  >`select ${COLUMNS(tx, userId)} from runs r join users u on u.id = r.started_by where r.id = ${runId}`;
  if (row === undefined || row.viewer_role === null) throw new Problem("not_found");
  return row;
};

const GROUPS: Record<"running" | "waiting" | "completed" | "failed", readonly RunStatus[]> = {
  running: ["queued", "running"],
  waiting: ["waiting_approval", "waiting_input", "needs_reconciliation"],
  completed: ["completed"],
  failed: ["failed", "cancelled", "blocked_by_guardrail"],
};

/** RUN-21: runs of a workspace, newest first; `cursor` is the id of the last one seen. */
export const list = async (
  ctx: Ctx<Human>,
  workspaceId: string,
  query: {
    readonly group?: keyof typeof GROUPS | undefined;
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
  },
): Promise<{ items: RunSummary[]; next: string | null }> =>
  transaction(ctx.db, { workspaces: [workspaceId], userId: ctx.actor.userId }, async (tx) => {
    const limit = query.limit ?? 50;
    const statuses = query.group === undefined ? null : [...GROUPS[query.group]];
    const before = query.cursor ?? null;
    if (before !== null && !/^[0-9a-f-]{36}$/.test(before))
      throw new Problem("bad_request", { fields: { cursor: "invalid" } });
    const rows = await tx<Row[]>`
      select ${COLUMNS(tx, ctx.actor.userId)} from runs r join users u on u.id = r.started_by
        where r.workspace_id = ${workspaceId} and (${statuses}::text[] is null or r.status = any(${statuses}::text[]))
          and (${before}::uuid is null or r.id < ${before}::uuid) order by r.id desc limit ${limit + 1}`;
    const items = rows.slice(0, limit).map((r) => toSummary(r, ctx.actor.userId));
    return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  });

/** RUN-17: a run with its steps, calls, requests and states over time. */
export const detail = async (ctx: Ctx<Human>, scope: readonly string[], runId: string): Promise<RunDetail> =>
  transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
    const row = await find(tx, ctx.actor.userId, runId);
    const steps = await tx<
      {
        step: number;
        attempt: number;
        kind: "model" | "tools" | null;
        queue_ms: number | null;
        started_at: Date;
        ended_at: Date | null;
        outcome: string | null;
      }[]
    >`
      select step, attempt, kind, queue_ms, started_at, ended_at, outcome from run_steps where run_id = ${runId} order by fence`;
    const phases = await tx<
      { data: string; at: Date }[]
    >`select data, at from run_events where run_id = ${runId} and type = 'run.status' order by seq`;
    const sources = await tx<
      { id: string; name: string }[]
    >`select id, name from sources where id = any(${Object.keys(row.pins)}::uuid[])`;
    const [agent] = await tx<{ name: string; version: number }[]>`
      select a.name, v.version from runs r join agent_versions v on v.id = r.agent_version_id join agents a on a.id = v.agent_id
        where r.id = ${runId}`;
    const parts = await tx<
      RunDetail["parts"]
    >`select id, lane, title, status from runs where parent_run_id = ${runId} order by id`;
    return {
      ...toSummary(row, ctx.actor.userId),
      agent: { name: agent?.name ?? "default", version: agent?.version ?? 0 },
      parts: [...parts],
      pins: sources.map((s) => ({ sourceId: s.id, sourceName: s.name, commit: row.pins[s.id]?.commit ?? null })),
      steps: steps.map((s) => ({
        step: s.step,
        attempt: s.attempt,
        kind: s.kind,
        queueMs: s.queue_ms,
        startedAt: s.started_at.toISOString(),
        endedAt: s.ended_at?.toISOString() ?? null,
        outcome: s.outcome,
      })),
      toolCalls: await judgedCallsOf(tx, runId),
      approvals: await approvals.ofRuns(
        tx,
        { userId: ctx.actor.userId, isGlobalApprover: ctx.actor.isGlobalApprover },
        [runId],
      ),
      phases: phases.map((p) => ({
        status: (JSON.parse(p.data) as { status: RunStatus }).status,
        at: p.at.toISOString(),
      })),
    };
  });
