import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import { ACTIVE_RUN_STATUSES } from "@aiw/contract/runs";
import type { Message, RunSummary } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, type Tx } from "@aiw/platform/db";
import { inWorkspace } from "../identity/scope.ts";
import * as runs from "../runs/views.ts";
import { requireTestedSource } from "./create.ts";
import { messagesOf } from "./view.ts";
import { fp } from "@aiw/platform/fault";
import { hidingIn } from "../approvals/hide.ts";
import type { Opener } from "../approvals/sealed.ts";

export interface NewMessage {
  /** Made by the client, so that sending twice is sending once (RUN-1). */
  readonly id: string;
  readonly text: string;
}

export interface Posted {
  readonly message: Message;
  /** Null while the message waits for the run before it. */
  readonly run: RunSummary | null;
  readonly teamId: string;
  /** The run to ring after the commit. */
  readonly ring: readonly string[];
}

const TITLE_CHARS = 80;

/**
 * Writes a message and starts its run in one transaction (RUN-2), or lets it wait when the chat has an active run
 * (RUN-1). The same id with the same content by the same person is answered alike and changes nothing.
 * @throws Problem not_found | message_conflict | chat_archived | no_tested_source
 */
export async function postMessage(ctx: Ctx<Member>, chatId: string, input: NewMessage, vault: Opener): Promise<Posted> {
  return fp("message.tx", () => post(ctx, chatId, input, vault));
}

async function post(ctx: Ctx<Member>, chatId: string, input: NewMessage, vault: Opener): Promise<Posted> {
  const { workspaceId } = ctx.actor;
  try {
    return await inWorkspace(ctx, async (tx) => {
      // Messages of one chat take turns here: order, and whether a run is active, stay true until the commit.
      const [chat] = await tx<{ title: string; archived: boolean }[]>`
        select title, archived_at is not null as archived from chats where id = ${chatId} and workspace_id = ${workspaceId} for update`;
      if (chat === undefined) throw new Problem("not_found");
      // APR-10: a sensitive answer of this chat is not kept because a person repeats it.
      const text = (await hidingIn(tx, vault, chatId))(input.text);
      if (!(await wasSent(tx, ctx.actor, chatId, { ...input, shown: text }))) {
        if (chat.archived) throw new Problem("chat_archived");
        await requireTestedSource(tx, workspaceId);
        await accept(tx, ctx.actor, { chatId, title: chat.title }, { ...input, text });
      }
      return answer(tx, ctx.actor, chatId, input.id);
    });
  } catch (error) {
    // The id is taken by a message this person cannot see.
    if (isUniqueViolation(error, "messages_pkey")) throw new Problem("message_conflict", { cause: error });
    throw error;
  }
}

async function wasSent(
  tx: Tx,
  actor: Member,
  chatId: string,
  input: NewMessage & { readonly shown: string },
): Promise<boolean> {
  const [known] = await tx<{ same: boolean }[]>`
    select chat_id = ${chatId} and author_id = ${actor.userId} and role = 'user' and text in (${input.text}, ${input.shown}) as same
      from messages where id = ${input.id}`;
  if (known === undefined) return false;
  if (!known.same) throw new Problem("message_conflict");
  return true;
}

async function accept(
  tx: Tx,
  actor: Member,
  chat: { readonly chatId: string; readonly title: string },
  input: NewMessage,
): Promise<void> {
  const { workspaceId, userId } = actor;
  const { chatId } = chat;
  const line = firstLine(input.text);
  if (chat.title === "") await tx`update chats set title = ${line} where id = ${chatId}`;
  const busy = await tx`
    select from runs where chat_id = ${chatId} and status = any (${[...ACTIVE_RUN_STATUSES]})
    union all select from messages where chat_id = ${chatId} and waiting limit 1`;
  const waits = busy.length > 0;
  await tx`
    insert into messages (id, workspace_id, chat_id, role, text, author_id, waiting)
    values (${input.id}, ${workspaceId}, ${chatId}, 'user', ${input.text}, ${userId}, ${waits})`;
  if (waits) {
    await tx`update chats set active_at = aiw_now() where id = ${chatId}`;
    return;
  }
  await tx`select run_start_v1(${workspaceId}::uuid, ${chatId}::uuid, ${input.id}::uuid, ${input.text}, ${userId}::uuid, ${line})`;
}

async function answer(tx: Tx, actor: Member, chatId: string, messageId: string): Promise<Posted> {
  const [message] = await messagesOf(tx, chatId, messageId);
  if (message === undefined) throw new Problem("not_found");
  const all = message.runId === null ? [] : await runs.summariesOfChat(tx, actor, chatId);
  const run = all.find((one) => one.id === message.runId) ?? null;
  return { message, run, teamId: actor.teamId, ring: run?.status === "queued" ? [run.id] : [] };
}

/** The first line that says something, cut between characters. */
function firstLine(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0]?.trim() ?? "";
  const characters = Array.from(line);
  return characters.length <= TITLE_CHARS
    ? line
    : `${characters
        .slice(0, TITLE_CHARS - 1)
        .join("")
        .trimEnd()}…`;
}
