import type { Member } from "@aiw/contract/actors";
import type { ChatSummary } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { decodeCursor, encodeCursor } from "../audit/cursor.ts";
import { inWorkspace } from "../identity/scope.ts";
import { type ChatRow, columns, toSummary } from "./view.ts";

export interface ChatQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly archived?: boolean | undefined;
  /** Words looked for in titles and messages, whatever their case. */
  readonly search?: string | undefined;
}

/** Chats of the workspace, latest activity first (CHT-1). `limit` 1..100, default 50. @throws Problem bad_request (cursor) */
export async function list(ctx: Ctx<Member>, query: ChatQuery): Promise<{ items: ChatSummary[]; next: string | null }> {
  const limit = query.limit ?? 50;
  const before = query.cursor === undefined ? { at: null, id: null } : decodeCursor(query.cursor);
  const search = query.search?.trim() ?? "";
  const pattern = search === "" ? null : `%${search.replace(/[\\%_]/g, "\\$&")}%`;
  const rows = await inWorkspace(
    ctx,
    (tx) => tx<ChatRow[]>`
    select ${columns(tx)} from chats c join users u on u.id = c.created_by
     where c.workspace_id = ${ctx.actor.workspaceId} and (c.archived_at is not null) = ${query.archived ?? false}
       and (${pattern}::text is null or c.title ilike ${pattern}
            or exists (select from messages m where m.chat_id = c.id and m.text ilike ${pattern}))
       and (${before.at}::timestamptz is null or (c.active_at, c.id) < (${before.at}::timestamptz, ${before.id}::uuid))
     order by c.active_at desc, c.id desc limit ${limit + 1}`,
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(toSummary),
    next: rows.length > limit && last !== undefined ? encodeCursor(last.position, last.id) : null,
  };
}
