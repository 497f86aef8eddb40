import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Job } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { type Database, transaction } from "@aiw/platform/db";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { open } from "../jobs/open.ts";

/**
 * *Fetch tools* (MCP-1): asks for a job; while one is under way the same click finds it. The caller rings it.
 * @throws Problem forbidden | not_found
 */
export async function requestDiscovery(ctx: Ctx<Human>, serverId: string): Promise<Job> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const found = await tx`select id from mcp_servers where id = ${serverId} and removed_at is null`;
    if (found.length === 0) throw new Problem("not_found");
    return open(tx, { workspaceId: null, kind: "tool_discovery", subjectId: serverId, createdBy: userId });
  });
}

const DAILY_S = 86_400;

/**
 * Opens the daily fetch of servers whose last one is a day old (MCP-1), in the name of who registered them; at most 50.
 * For the sweeper, on a connection that may look for work.
 * @returns jobs to ring
 */
export async function openDue(db: Database): Promise<string[]> {
  const rows = await transaction(
    db,
    "unscoped",
    (tx) => tx<{ id: string }[]>`
    insert into jobs (workspace_id, kind, subject_id, created_by, rung_at)
    select null, 'tool_discovery', m.id, m.created_by, aiw_now() from mcp_servers m
     where m.removed_at is null and coalesce(m.last_discovery_at, m.created_at) < (select aiw_now()) - make_interval(secs => ${DAILY_S})
     limit 50
    on conflict (workspace_id, kind, subject_id) where status in ('queued', 'running') do nothing returning id`,
  );
  return rows.map((row) => row.id);
}
