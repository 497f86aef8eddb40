import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { ChatMode, JsonObject } from "@aiw/contract/tools";
import type { ChatDetail, ChatSummary } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import type { ModelChoice } from "@aiw/contract/models";
import { hidingIn } from "../approvals/hide.ts";
import type { Opener } from "../approvals/sealed.ts";
import * as audit from "../audit/write.ts";
import { readName } from "../identity/names.ts";
import { inWorkspace } from "../identity/scope.ts";
import { choiceData, requireActive, toColumns } from "../models/model.ts";
import { detail } from "./get.ts";
import { summaryOf } from "./view.ts";

/**
 * Starts a chat. Without a title it is empty until the first message gives one; without a model it is answered by what its
 * workspace chose (CHT-1).
 * @throws Problem no_tested_source: the workspace's chat is closed until a source was tested (CHT-0) | bad_request (title, model) |
 *   model_not_active
 */
export async function create(
  ctx: Ctx<Member>,
  input: { readonly title?: string | undefined; readonly model?: ModelChoice | undefined },
): Promise<ChatDetail> {
  const { workspaceId, userId } = ctx.actor;
  const title = input.title === undefined ? "" : readName(input.title, "title");
  return inWorkspace(ctx, async (tx) => {
    await requireTestedSource(tx, workspaceId);
    const choice = input.model ?? null;
    await requireActive(tx, choice);
    const model = toColumns(choice);
    const [row] = await tx<{ id: string }[]>`
      insert into chats (workspace_id, title, created_by, model_id, model_class)
      values (${workspaceId}, ${title}, ${userId}, ${model.model_id}, ${model.model_class}) returning id`;
    if (row === undefined) throw new Error("the new chat has no id");
    return detail(tx, ctx.actor, row.id);
  });
}

/** @throws Problem no_tested_source */
export async function requireTestedSource(tx: Tx, workspaceId: string): Promise<void> {
  const rows =
    await tx`select from sources where workspace_id = ${workspaceId} and status = 'tested' and removed_at is null limit 1`;
  if (rows.length === 0) throw new Problem("no_tested_source");
}

export interface ChatChange {
  readonly title?: string | undefined;
  readonly archived?: boolean | undefined;
  readonly mode?: ChatMode | undefined;
  /** Null: what the workspace chose. Counts from the next model call on. */
  readonly model?: ModelChoice | undefined;
}

/**
 * Renames, archives or brings back, switches plan mode, chooses the model (CHT-1, AI-3); for every member.
 * @throws Problem not_found | bad_request (title, model) | model_not_active
 */
export async function update(
  ctx: Ctx<Member>,
  chatId: string,
  change: ChatChange,
  vault: Opener,
): Promise<ChatSummary> {
  const { workspaceId, userId } = ctx.actor;
  const named = change.title === undefined ? null : readName(change.title, "title");
  return inWorkspace(ctx, async (tx) => {
    // APR-10: as it is stored, so that an answer is not got round by a blank more.
    const title = named === null ? null : (await hidingIn(tx, vault, chatId))(named);
    if (change.model !== undefined) await requireActive(tx, change.model);
    const model = toColumns(change.model ?? null);
    const rows = await tx`
      update chats set model_id = case when ${change.model !== undefined} then ${model.model_id}::uuid else model_id end,
             model_class = case when ${change.model !== undefined} then ${model.model_class}::text else model_class end,
 title = coalesce(${title}::text, title), mode = coalesce(${change.mode ?? null}, mode),
             archived_at = case ${change.archived ?? null}::boolean when true then coalesce(archived_at, aiw_now())
                                when false then null else archived_at end
       where id = ${chatId} and workspace_id = ${workspaceId} returning id`;
    if (rows.length === 0) throw new Problem("not_found");
    const data: JsonObject = {
      ...(change.mode === undefined ? {} : { mode: change.mode }),
      ...(change.archived === undefined ? {} : { archived: change.archived }),
      ...(change.title === undefined ? {} : { renamed: true }),
      ...(change.model === undefined ? {} : choiceData(change.model)),
    };
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: "chat.updated",
      objectKind: "chat",
      objectId: chatId,
      source: "api",
      data,
    });
    return summaryOf(tx, workspaceId, chatId);
  });
}
