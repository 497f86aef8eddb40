import type { Human, Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { MemberRole, WorkspaceDetail, WorkspaceSummary } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import { inOwnWorkspaces, inWorkspace } from "../identity/scope.ts";
import { combinationOf } from "../sources/combinations.ts";
import { summaries } from "./view.ts";

/** Own and shared workspaces, latest activity first (IDN-0). */
export function list(ctx: Ctx<Human>): Promise<WorkspaceSummary[]> {
  return inOwnWorkspaces(ctx, (tx) => summaries(tx, ctx.actor.userId, null));
}

/** Ids of the workspaces the person is a member of now. */
export function scopeOf(ctx: Ctx<Human>): Promise<string[]> {
  return inOwnWorkspaces(ctx, async (_tx, ids) => ids);
}

export function get(ctx: Ctx<Member>): Promise<WorkspaceDetail> {
  return inWorkspace(ctx, (tx) => detail(tx, ctx.actor.userId, ctx.actor.workspaceId));
}

/** @throws Problem not_found when the person is no member */
export async function detail(tx: Tx, userId: string, workspaceId: string): Promise<WorkspaceDetail> {
  const [summary] = await summaries(tx, userId, workspaceId);
  const [settings] = await tx<{ approval_ttl_s: number; max_tool_rounds: number; tools_ready: boolean }[]>`
    select w.approval_ttl_s, w.max_tool_rounds,
           exists (select from tools t left join workspace_tools x on x.tool_id = t.id and x.workspace_id = w.id
                    where t.risk_class is not null and t.risk_class <> 'destructive' and t.decision is distinct from 'deny'
                      and coalesce(x.active, t.default_active)) as tools_ready
      from workspaces w where w.id = ${workspaceId}`;
  if (summary === undefined || settings === undefined) throw new Problem("not_found");
  const members = await tx<{ id: string; name: string; display_name: string; role: MemberRole }[]>`
    select u.id, u.name, u.display_name, m.role from memberships m join users u on u.id = m.user_id
     where m.workspace_id = ${workspaceId} order by lower(u.display_name), u.id`;
  return {
    ...summary,
    chatOpen: summary.sources.tested > 0,
    toolsReady: settings.tools_ready,
    approvalTtlS: settings.approval_ttl_s,
    maxToolRounds: settings.max_tool_rounds,
    combination: await combinationOf(tx, workspaceId),
    members: members.map((m) => ({ id: m.id, name: m.name, displayName: m.display_name, role: m.role })),
  };
}
