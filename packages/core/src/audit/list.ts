import type { Member } from "@aiw/contract/actors";
import type { JsonObject } from "@aiw/contract/tools";
import type { AuditEvent } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { requireAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { badCursor } from "./cursor.ts";

interface Row {
  readonly id: number;
  readonly at: Date;
  readonly event: string;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly object_kind: string | null;
  readonly object_id: string | null;
  readonly run_id: string | null;
  readonly source: string | null;
  readonly data: JsonObject;
}

/**
 * What happened in the workspace, newest first, for its admins (AUD-1). `limit` 1..100, default 50.
 * @throws Problem forbidden | bad_request (cursor)
 */
export async function list(
  ctx: Ctx<Member>,
  query: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
): Promise<{ items: AuditEvent[]; next: string | null }> {
  await requireAdmin(ctx);
  const limit = query.limit ?? 50;
  const before = query.cursor === undefined ? null : positionOf(query.cursor);
  const rows = await inWorkspace(
    ctx,
    (tx) => tx<Row[]>`
    select e.id, e.at, e.event, e.actor_kind, e.actor_id, u.display_name as actor_name, e.object_kind, e.object_id,
           e.run_id, e.source, e.data
      from audit_events e left join users u on u.id = e.actor_id
     where e.workspace_id = ${ctx.actor.workspaceId} and (${before}::bigint is null or e.id < ${before})
     order by e.id desc limit ${limit + 1}`,
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(toView), next: rows.length > limit && last !== undefined ? String(last.id) : null };
}

function positionOf(cursor: string): number {
  if (!/^[1-9]\d{0,14}$/.test(cursor)) throw badCursor();
  return Number(cursor);
}

const toView = (row: Row): AuditEvent => ({
  id: String(row.id),
  at: row.at.toISOString(),
  event: row.event,
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
  objectKind: row.object_kind,
  objectId: row.object_id,
  runId: row.run_id,
  source: row.source,
  data: row.data,
});
