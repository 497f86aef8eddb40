import type { McpPurpose } from "@aiw/contract/mcp";
import type { McpDiscovery, McpServer } from "@aiw/contract/views";
import type { Tx } from "@aiw/platform/db";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly purpose: McpPurpose;
  readonly secret_last4: string | null;
  readonly instructions: string | null;
  readonly previous_instructions: string | null;
  readonly last_discovery_at: Date | null;
  readonly last_discovery: McpDiscovery | null;
  readonly fetching: boolean;
  readonly total: number;
  readonly unclassified: number;
  readonly missing: number;
  readonly created_by: string;
  readonly creator_name: string;
  readonly creator_display: string;
  readonly created_at: Date;
}

/** Registered servers by name; one of them when `only` is given. The token is never read here. */
export async function views(tx: Tx, only: string | null): Promise<McpServer[]> {
  const rows = await tx<Row[]>`
    select m.id, m.name, m.url, m.purpose, m.secret_last4, m.instructions, m.previous_instructions, m.last_discovery_at, m.last_discovery,
           m.created_by, u.name as creator_name, u.display_name as creator_display, m.created_at, t.total, t.unclassified, t.missing,
           exists (select from jobs j where j.workspace_id is null and j.kind = 'tool_discovery' and j.subject_id = m.id
                     and j.status in ('queued', 'running')) as fetching
      from mcp_servers m
      join users u on u.id = m.created_by
      cross join lateral (select count(*)::integer as total, count(*) filter (where risk_class is null)::integer as unclassified,
                                 count(*) filter (where missing_at is not null)::integer as missing
                            from tools where source_kind = 'mcp:' || m.name) t
     where m.removed_at is null and (${only}::uuid is null or m.id = ${only})
     order by m.name`;
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    url: row.url,
    purpose: row.purpose,
    secretLast4: row.secret_last4,
    instructions: row.instructions,
    previousInstructions: row.previous_instructions,
    lastDiscoveryAt: row.last_discovery_at?.toISOString() ?? null,
    lastDiscovery: row.last_discovery,
    fetching: row.fetching,
    tools: { total: row.total, unclassified: row.unclassified, missing: row.missing },
    createdBy: { id: row.created_by, name: row.creator_name, displayName: row.creator_display },
    createdAt: row.created_at.toISOString(),
  }));
}
