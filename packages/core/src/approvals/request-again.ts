import { Problem } from "@aiw/contract/problem";
import type { Human } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, transaction } from "@aiw/platform/db";
import { sha256Hex } from "@aiw/policy/freeze";
import { randomUUIDv7 } from "node:crypto";
import { fp } from "@aiw/platform/fault";

/**
 * APR-7: an expired request is put forward again with one click. A run in the same chat begins with the very same call; its
 * step prepares it anew against the present state (new base, new preview, new hash) and a new request follows the old one.
 * Only after expiry, once, by the requester or an admin. Throws not_found, not_renewable, conflict (the chat is busy).
 */
export const requestAgain = async (ctx: Ctx<Human>, scope: readonly string[], approvalId: string): Promise<Renewed> =>
  fp("again.tx", () => renew(ctx, scope, approvalId));

interface Renewed {
  readonly runId: string;
  readonly workspaceId: string;
  readonly teamId: string;
}

const renew = async (ctx: Ctx<Human>, scope: readonly string[], approvalId: string): Promise<Renewed> => {
  try {
    return await transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
      const [a] = await tx<
        {
          workspace_id: string;
          team_id: string;
          chat_id: string | null;
          number: number;
          title: string;
          call_id: string;
          tool_id: string;
          source_id: string | null;
          args_text: string;
          requester_id: string;
          expired: boolean;
          role: string | null;
          wire_name: string;
          taken: boolean;
        }[]
      >`
        select a.workspace_id, w.team_id, a.chat_id, a.number, a.title, a.call_id, a.tool_id, a.source_id, a.args_text, a.requester_id,
               a.status = 'expired' or (a.status = 'pending' and a.expires_at <= (select aiw_now())) as expired, c.wire_name,
               (select m.role from memberships m where m.workspace_id = a.workspace_id and m.user_id = ${ctx.actor.userId}) as role,
               exists (select from tool_calls t where t.predecessor_id = a.id) as taken
          from approvals a join workspaces w on w.id = a.workspace_id join tool_calls c on c.id = a.tool_call_id
          where a.id = ${approvalId} for update of a`;
      if (a === undefined || a.role === null) throw new Problem("not_found");
      if (a.requester_id !== ctx.actor.userId && a.role !== "admin")
        throw new Problem(a.role === "approver" ? "forbidden" : "not_found");
      if (!a.expired || a.taken || a.chat_id === null) throw new Problem("not_renewable");
      const messageId = randomUUIDv7();
      const text = `Requested again: #${a.number} ${a.title}`;
      await tx`select 1 from chats where id = ${a.chat_id} for update`;
      const [busy] =
        await tx`select 1 from runs where chat_id = ${a.chat_id} and status in ('queued', 'running', 'waiting_approval', 'waiting_input', 'needs_reconciliation')`;
      if (busy !== undefined) throw new Problem("conflict", { params: { why: "chat_busy" } });
      await tx`insert into messages (id, workspace_id, chat_id, role, text, author_id) values (${messageId}, ${a.workspace_id}, ${a.chat_id}, 'user', ${text}, ${ctx.actor.userId})`;
      const [run] = await tx<{ id: string }[]>`
        select run_start_v1(${a.workspace_id}::uuid, ${a.chat_id}::uuid, ${messageId}::uuid, ${text}, ${ctx.actor.userId}::uuid, ${text.slice(0, 80)}) as id`;
      if (run === undefined) throw new Problem("internal");
      const toolCallId = randomUUIDv7();
      const callId = `again_${toolCallId.slice(-12)}`;
      await tx`insert into run_items (run_id, item, workspace_id, chat_id, step, kind, call_id, data) values (${run.id}, 2, ${a.workspace_id}, ${a.chat_id}, 0,
        'function_call', ${callId}, ${JSON.stringify({ type: "function_call", call_id: callId, name: a.wire_name, arguments: a.args_text })})`;
      await tx`insert into tool_calls (id, workspace_id, run_id, call_id, step, position, wire_name, tool_id, source_id, args_text, args_sha256, predecessor_id)
        values (${toolCallId}, ${a.workspace_id}, ${run.id}, ${callId}, 0, 0, ${a.wire_name}, ${a.tool_id}, ${a.source_id}, ${a.args_text}, ${sha256Hex(a.args_text)}, ${approvalId})`;
      await tx`insert into run_events (run_id, seq, workspace_id, type, data) values (${run.id}, 2, ${a.workspace_id}, 'tool.requested',
        ${JSON.stringify({ callId, toolCallId, tool: a.tool_id, wireName: a.wire_name, sourceId: a.source_id, riskClass: null, args: a.args_text })})`;
      await tx`update runs set last_item = 2, last_seq = 2 where id = ${run.id}`;
      await tx`insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
        values (${a.workspace_id}, 'human', ${ctx.actor.userId}, 'approval.requested_again', 'approval', ${approvalId}, ${run.id}, 'approval', '{}')`;
      return { runId: run.id, workspaceId: a.workspace_id, teamId: a.team_id };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new Problem("conflict", { params: { why: "chat_busy" } });
    throw error;
  }
};
