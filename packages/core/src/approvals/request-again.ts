import { Problem } from "@aiw/contract/problem";
import type { Human } from "@aiw/contract/actors";
import type { InvalidReason, RequestStatus, RunStatus } from "@aiw/contract/runs";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, transaction, type Tx } from "@aiw/platform/db";
import { sha256Hex } from "@aiw/policy/freeze";
import { randomUUIDv7 } from "node:crypto";
import { fp } from "@aiw/platform/fault";
import { isSealed } from "./sealed.ts";

export interface Renewed {
  /** The run that prepares it: the request's own while it waits, else a new one in the same chat. */
  readonly runId: string;
  readonly workspaceId: string;
  readonly teamId: string;
  readonly ring: boolean;
}

/**
 * APR-7, APR-19: the same call is put forward again with one click, prepared anew against the present state (new base, new
 * preview, new hash), and the new request follows the old one. An open request whose target changed is prepared again by its own
 * waiting run, which closes it in the transaction that opens the successor. One that ended without a person's no (expired, or
 * invalid because target, time or form changed) is put forward by a new run in the same chat that begins with that call.
 * By the requester or an admin, and unless it merely ran out by whoever may decide it; once, however often it is clicked.
 * @throws Problem not_found | forbidden | not_renewable | conflict (the chat is busy)
 */
export const requestAgain = async (ctx: Ctx<Human>, scope: readonly string[], approvalId: string): Promise<Renewed> =>
  fp("again.tx", () => renew(ctx, scope, approvalId));

/** Ends of a request that say nothing against the call itself. */
const RENEWABLE: readonly (InvalidReason | null)[] = ["stale", "lapsed", "upgraded"];

/** Whether a request can be put forward again, and how; null: not. */
export const renewalOf = (request: {
  readonly status: RequestStatus;
  readonly invalidReason: InvalidReason | null;
  readonly stale: boolean;
  /** Past its time, published or not (APR-4). */
  readonly past: boolean;
}): "in_its_run" | "in_a_new_run" | null => {
  const { status, invalidReason, stale, past } = request;
  if (status === "pending" && !past) return stale ? "in_its_run" : null;
  if (status === "pending" || status === "expired") return "in_a_new_run";
  return status === "invalid" && RENEWABLE.includes(invalidReason) ? "in_a_new_run" : null;
};

interface Row {
  id: string;
  workspace_id: string;
  team_id: string;
  chat_id: string | null;
  run_id: string;
  run_status: RunStatus;
  number: number;
  title: string;
  tool_id: string;
  source_id: string | null;
  args_text: string;
  requester_id: string;
  level: "workspace_admin" | "global_approver";
  status: RequestStatus;
  invalid_reason: InvalidReason | null;
  stale: boolean;
  past: boolean;
  asked: boolean;
  role: string | null;
  wire_name: string;
  taken: boolean;
}

const renew = async (ctx: Ctx<Human>, scope: readonly string[], approvalId: string): Promise<Renewed> => {
  try {
    return await transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
      const a = await lock(tx, ctx.actor.userId, approvalId);
      if (a === null) throw new Problem("not_found");
      if (!mayRenew(a, ctx.actor)) throw new Problem(a.role === "approver" ? "forbidden" : "not_found");
      switch (renewalOf({ ...a, invalidReason: a.invalid_reason })) {
        case null:
          throw new Problem("not_renewable");
        case "in_its_run":
          return await inItsRun(tx, ctx.actor, a);
        case "in_a_new_run":
          return await inANewRun(tx, ctx.actor, a);
      }
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new Problem("conflict", { params: { why: "chat_busy" } });
    throw error;
  }
};

/** Lock order: run, request. A global approver is no member: the transaction is bound to the workspace of the request. */
const lock = async (tx: Tx, userId: string, approvalId: string): Promise<Row | null> => {
  const [found] = await tx<{ workspace_id: string; run_id: string }[]>`
    select workspace_id, run_id from approvals where id = ${approvalId}`;
  if (found === undefined) return null;
  await tx`select set_config('aiw.workspaces', ${found.workspace_id}, true)`;
  await tx`select 1 from runs where id = ${found.run_id} for update`;
  const [a] = await tx<Row[]>`
    select a.id, a.workspace_id, w.team_id, a.chat_id, a.run_id, r.status as run_status, a.number, a.title, a.tool_id, a.source_id, a.args_text,
           a.requester_id, a.level, a.status, a.invalid_reason, a.stale_at is not null as stale,
           coalesce(a.expires_at <= (select aiw_now()), false) as past, a.again_asked_at is not null as asked, c.wire_name,
           (select m.role from memberships m where m.workspace_id = a.workspace_id and m.user_id = ${userId}) as role,
           exists (select from tool_calls t where t.predecessor_id = a.id) or exists (select from approvals s where s.predecessor_id = a.id) as taken
      from approvals a join workspaces w on w.id = a.workspace_id join runs r on r.id = a.run_id join tool_calls c on c.id = a.tool_call_id
      where a.id = ${approvalId} for update of a`;
  return a ?? null;
};

const mayRenew = (a: Row, actor: Human): boolean =>
  mayAskAgain(
    { ...a, invalidReason: a.invalid_reason },
    a.role,
    a.requester_id === actor.userId,
    actor.isGlobalApprover,
  );

/** Who may ask again (APR-7, APR-19). A new run needs a member, who then is its requester. */
export const mayAskAgain = (
  request: Parameters<typeof renewalOf>[0] & { readonly level: "workspace_admin" | "global_approver" },
  role: string | null,
  isRequester: boolean,
  isGlobalApprover: boolean,
): boolean => {
  if (role !== null && (isRequester || role === "admin")) return true;
  const how = renewalOf(request);
  const ranOut = how === "in_a_new_run" && request.status !== "invalid";
  if (how === null || ranOut) return false;
  if (request.level === "workspace_admin") return role === "approver";
  return isGlobalApprover && (role !== null || how === "in_its_run");
};

/** A second click finds the first. */
const inItsRun = async (tx: Tx, actor: Human, a: Row): Promise<Renewed> => {
  const renewed = { runId: a.run_id, workspaceId: a.workspace_id, teamId: a.team_id };
  if (!["queued", "running", "waiting_approval"].includes(a.run_status)) throw new Problem("not_renewable");
  if (a.asked) return { ...renewed, ring: false };
  await tx`update approvals set again_asked_at = aiw_now(), again_asked_by = ${actor.userId} where id = ${a.id}`;
  await audit(tx, actor, a, a.run_id);
  const woken =
    await tx`update runs set status = 'queued' where id = ${a.run_id} and status = 'waiting_approval' returning id`;
  return { ...renewed, ring: woken.length === 1 };
};

const inANewRun = async (tx: Tx, actor: Human, a: Row): Promise<Renewed> => {
  // A sealed call opens in its own request alone (APR-10): the agent has to ask for it anew.
  if (a.taken || a.chat_id === null || isSealed(a.args_text)) throw new Problem("not_renewable");
  const messageId = randomUUIDv7();
  const text = `Requested again: #${a.number} ${a.title}`;
  await tx`select 1 from chats where id = ${a.chat_id} for update`;
  const [busy] =
    await tx`select 1 from runs where chat_id = ${a.chat_id} and status in ('queued', 'running', 'waiting_approval', 'waiting_input', 'needs_reconciliation')`;
  if (busy !== undefined) throw new Problem("conflict", { params: { why: "chat_busy" } });
  await tx`insert into messages (id, workspace_id, chat_id, role, text, author_id) values (${messageId}, ${a.workspace_id}, ${a.chat_id}, 'user', ${text}, ${actor.userId})`;
  const [run] = await tx<{ id: string }[]>`
    select run_start_v1(${a.workspace_id}::uuid, ${a.chat_id}::uuid, ${messageId}::uuid, ${text}, ${actor.userId}::uuid, ${text.slice(0, 80)}) as id`;
  if (run === undefined) throw new Problem("internal");
  const toolCallId = randomUUIDv7();
  const callId = `again_${toolCallId.slice(-12)}`;
  await tx`insert into run_items (run_id, item, workspace_id, chat_id, step, kind, call_id, data) values (${run.id}, 2, ${a.workspace_id}, ${a.chat_id}, 0,
    'function_call', ${callId}, ${JSON.stringify({ type: "function_call", call_id: callId, name: a.wire_name, arguments: a.args_text })})`;
  await tx`insert into tool_calls (id, workspace_id, run_id, call_id, step, position, wire_name, tool_id, source_id, args_text, args_sha256, predecessor_id)
    values (${toolCallId}, ${a.workspace_id}, ${run.id}, ${callId}, 0, 0, ${a.wire_name}, ${a.tool_id}, ${a.source_id}, ${a.args_text}, ${sha256Hex(a.args_text)}, ${a.id})`;
  await tx`insert into run_events (run_id, seq, workspace_id, type, data) values (${run.id}, 2, ${a.workspace_id}, 'tool.requested',
    ${JSON.stringify({ callId, toolCallId, tool: a.tool_id, wireName: a.wire_name, sourceId: a.source_id, riskClass: null, args: a.args_text })})`;
  await tx`update runs set last_item = 2, last_seq = 2 where id = ${run.id}`;
  await audit(tx, actor, a, run.id);
  return { runId: run.id, workspaceId: a.workspace_id, teamId: a.team_id, ring: true };
};

const audit = async (tx: Tx, actor: Human, a: Row, runId: string): Promise<void> => {
  await tx`insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
    values (${a.workspace_id}, 'human', ${actor.userId}, 'approval.requested_again', 'approval', ${a.id}, ${runId}, 'approval', '{}')`;
};
