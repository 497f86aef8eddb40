import type { MemberRole, WorkspaceSummary } from "@aiw/contract/views";
import type { WritePolicy } from "@aiw/contract/tools";
import type { Tx } from "@aiw/platform/db";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly team_id: string;
  readonly team_name: string;
  readonly role: MemberRole;
  readonly write_policy: WritePolicy;
  readonly total: number;
  readonly tested: number;
  readonly failed: number;
  readonly open_approvals: number;
  readonly last_activity: Date | null;
  readonly created_at: Date;
}

/** The workspaces the person is a member of, by latest activity; one of them when `only` is given. */
export async function summaries(tx: Tx, userId: string, only: string | null): Promise<WorkspaceSummary[]> {
  const rows = await tx<Row[]>`
    select w.id, w.name, w.description, w.team_id, t.name as team_name, m.role, w.write_policy, w.created_at,
           s.total, s.tested, s.failed, a.open_approvals, c.last_activity
      from memberships m
      join workspaces w on w.id = m.workspace_id
      join teams t on t.id = w.team_id
      cross join lateral (select count(*)::integer as total, count(*) filter (where status = 'tested')::integer as tested,
                                 count(*) filter (where status = 'failed')::integer as failed
                            from sources where workspace_id = w.id and removed_at is null) s
      cross join lateral (select count(*)::integer as open_approvals from approvals
                           where workspace_id = w.id and status = 'pending' and expires_at > aiw_now()) a
      cross join lateral (select max(active_at) as last_activity from chats where workspace_id = w.id) c
     where m.user_id = ${userId} and (${only}::uuid is null or w.id = ${only})
     order by coalesce(c.last_activity, w.created_at) desc, w.id`;
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    team: { id: row.team_id, name: row.team_name },
    role: row.role,
    writePolicy: row.write_policy,
    sources: { total: row.total, tested: row.tested, failed: row.failed },
    openApprovals: row.open_approvals,
    lastActivityAt: row.last_activity?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  }));
}
