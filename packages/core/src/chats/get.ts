import type { Member } from "@aiw/contract/actors";
import type { ChatDetail } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import * as approvals from "../approvals/views.ts";
import { inWorkspace } from "../identity/scope.ts";
import * as questions from "../questions/views.ts";
import { callsOf } from "../runs/calls.ts";
import * as runs from "../runs/views.ts";
import { messagesOf, summaryOf } from "./view.ts";

/** A chat with everything its page shows, read at one moment; a reload restores all of it (CHT-3). @throws Problem not_found */
export function get(ctx: Ctx<Member>, chatId: string): Promise<ChatDetail> {
  return inWorkspace(ctx, (tx) => detail(tx, ctx.actor, chatId));
}

export async function detail(tx: Tx, actor: Member, chatId: string): Promise<ChatDetail> {
  const summary = await summaryOf(tx, actor.workspaceId, chatId);
  const runList = await runs.summariesOfChat(tx, actor, chatId);
  const runIds = runList.map((run) => run.id);
  return {
    ...summary,
    workspaceId: actor.workspaceId,
    messages: await messagesOf(tx, chatId, null),
    runs: runList,
    toolCalls: await callsOf(tx, runIds),
    approvals: await approvals.ofRuns(tx, actor, runIds),
    questions: await questions.ofRuns(tx, actor.userId, runIds),
    notes: await notesOf(tx, runIds),
  };
}

/** What the model said beside its tool calls: completed texts that are not the answer. */
async function notesOf(tx: Tx, runIds: readonly string[]): Promise<ChatDetail["notes"]> {
  const rows = await tx<{ run_id: string; step: number; text: string }[]>`
    select run_id, (data::json ->> 'step')::integer as step, data::json ->> 'text' as text from run_events
     where run_id = any (${[...runIds]}::uuid[]) and type = 'message.completed' and data::json ->> 'final' = 'false'
     order by run_id, seq`;
  return rows.filter((row) => row.text !== "").map((row) => ({ runId: row.run_id, step: row.step, text: row.text }));
}
