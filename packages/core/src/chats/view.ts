import { Problem } from "@aiw/contract/problem";
import type { RunStatus } from "@aiw/contract/runs";
import type { ChatMode } from "@aiw/contract/tools";
import type { ChatSummary, Message } from "@aiw/contract/views";
import type { Tx } from "@aiw/platform/db";
import { type ChoiceRow, toChoice } from "../models/model.ts";

export interface ChatRow extends ChoiceRow {
  readonly id: string;
  readonly title: string;
  readonly mode: ChatMode;
  readonly created_by: string;
  readonly creator_name: string;
  readonly creator_display: string;
  readonly created_at: Date;
  readonly active_at: Date;
  readonly position: string;
  readonly archived_at: Date | null;
  readonly run_status: RunStatus | null;
}

export const columns = (tx: Tx) => tx`
  c.id, c.title, c.mode, c.model_id, c.model_class, c.created_by, u.name as creator_name, u.display_name as creator_display, c.created_at, c.active_at,
  c.active_at::text as position, c.archived_at,
  (select r.status from runs r where r.chat_id = c.id order by r.id desc limit 1) as run_status`;

export const toSummary = (row: ChatRow): ChatSummary => ({
  id: row.id,
  title: row.title,
  createdBy: { id: row.created_by, name: row.creator_name, displayName: row.creator_display },
  createdAt: row.created_at.toISOString(),
  lastActivityAt: row.active_at.toISOString(),
  archivedAt: row.archived_at?.toISOString() ?? null,
  mode: row.mode,
  model: toChoice(row),
  runStatus: row.run_status,
});

/** @throws Problem not_found */
export async function summaryOf(tx: Tx, workspaceId: string, chatId: string): Promise<ChatSummary> {
  const [row] = await tx<ChatRow[]>`
    select ${columns(tx)} from chats c join users u on u.id = c.created_by
     where c.id = ${chatId} and c.workspace_id = ${workspaceId}`;
  if (row === undefined) throw new Problem("not_found");
  return toSummary(row);
}

interface MessageRow {
  readonly id: string;
  readonly role: Message["role"];
  readonly text: string;
  readonly author_id: string | null;
  readonly author_name: string | null;
  readonly author_display: string | null;
  readonly run_id: string | null;
  readonly waiting: boolean;
  readonly withheld: boolean;
  readonly approval_id: string | null;
  readonly created_at: Date;
}

/** Messages of a chat in the order they were written; one of them when `only` is given. */
export async function messagesOf(tx: Tx, chatId: string, only: string | null): Promise<Message[]> {
  const rows = await tx<MessageRow[]>`
    select m.id, m.role, m.text, m.author_id, u.name as author_name, u.display_name as author_display, m.run_id, m.waiting,
           m.withheld, m.approval_id, m.created_at
      from messages m left join users u on u.id = m.author_id
     where m.chat_id = ${chatId} and (${only}::uuid is null or m.id = ${only}) order by m.ordinal`;
  return rows.map((row) => ({
    id: row.id,
    role: row.role,
    text: row.text,
    author:
      row.author_id === null || row.role === "system"
        ? null
        : { id: row.author_id, name: row.author_name ?? "", displayName: row.author_display ?? "" },
    runId: row.run_id,
    waiting: row.waiting,
    withheld: row.withheld,
    approvalId: row.approval_id,
    createdAt: row.created_at.toISOString(),
  }));
}
