import type { Human, Member } from "@aiw/contract/actors";
import type { McpPurpose } from "@aiw/contract/mcp";
import type { AvailableServer, McpServer } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import { requireAdmin, requirePlatformAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { views } from "./view.ts";

/** Registered servers, for platform admins (MCP-1). @throws Problem forbidden */
export async function list(ctx: Ctx<Human>): Promise<McpServer[]> {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, { workspaces: [], userId: ctx.actor.userId }, (tx) => views(tx, null));
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly purpose: McpPurpose;
  readonly has_token: boolean;
  readonly connected: boolean;
  readonly total: number;
  readonly unclassified: number;
}

/** What a workspace admin may connect, and what is connected already (MCP-1). @throws Problem forbidden */
export async function available(ctx: Ctx<Member>): Promise<AvailableServer[]> {
  await requireAdmin(ctx);
  const rows = await inWorkspace(
    ctx,
    (tx) => tx<Row[]>`
    select m.id, m.name, m.url, m.purpose, m.secret is not null as has_token, t.total, t.unclassified,
           exists (select from sources s where s.server_id = m.id and s.workspace_id = ${ctx.actor.workspaceId} and s.removed_at is null) as connected
      from mcp_servers m
      cross join lateral (select count(*)::integer as total, count(*) filter (where risk_class is null)::integer as unclassified
                            from tools where source_kind = 'mcp:' || m.name and missing_at is null) t
     where m.removed_at is null order by m.name`,
  );
  return rows.map(({ has_token: hasToken, total, unclassified, ...row }) => ({
    ...row,
    hasToken,
    tools: { total, unclassified },
  }));
}
