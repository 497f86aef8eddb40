import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { MemberRole, Person, WorkspaceDetail } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { detail } from "./get.ts";

/** People of the workspace's team who could be added. @throws Problem forbidden */
export async function candidates(ctx: Ctx<Member>): Promise<Person[]> {
  await requireAdmin(ctx);
  const rows = await inWorkspace(
    ctx,
    (tx) => tx<{ id: string; name: string; display_name: string }[]>`
    select u.id, u.name, u.display_name from team_members t join users u on u.id = t.user_id
     where t.team_id = ${ctx.actor.teamId} and u.disabled_at is null
       and not exists (select from memberships m where m.workspace_id = ${ctx.actor.workspaceId} and m.user_id = u.id)
     order by lower(u.display_name), u.id`,
  );
  return rows.map((row) => ({ id: row.id, name: row.name, displayName: row.display_name }));
}

/**
 * Adds somebody of the team, or changes a member's role; audited. The last admin stays one.
 * @throws Problem forbidden | not_found (nobody of the team) | last_admin
 */
export async function setMember(ctx: Ctx<Member>, userId: string, role: MemberRole): Promise<WorkspaceDetail> {
  await requireAdmin(ctx);
  const { workspaceId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    const before = await lockRoles(tx, workspaceId);
    const had = before.get(userId);
    if (had === undefined) await requireTeammate(tx, ctx.actor.teamId, userId);
    if (had === "admin" && role !== "admin") requireOtherAdmin(before, userId);
    if (had !== role) {
      await tx`
        insert into memberships (workspace_id, user_id, role) values (${workspaceId}, ${userId}, ${role})
        on conflict (workspace_id, user_id) do update set role = excluded.role`;
      await note(tx, ctx, had === undefined ? "member.added" : "member.role_changed", userId, {
        from: had ?? null,
        to: role,
      });
    }
    return detail(tx, ctx.actor.userId, workspaceId);
  });
}

/**
 * Removes a member at once, open streams within seconds (N6); audited. The last admin stays.
 * @throws Problem forbidden | not_found | last_admin
 */
export async function removeMember(ctx: Ctx<Member>, userId: string): Promise<WorkspaceDetail> {
  await requireAdmin(ctx);
  const { workspaceId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    const before = await lockRoles(tx, workspaceId);
    const had = before.get(userId);
    if (had === undefined) throw new Problem("not_found");
    if (had === "admin") requireOtherAdmin(before, userId);
    // The answer is read first: who removes themselves sees the workspace a last time.
    const shown = await detail(tx, ctx.actor.userId, workspaceId);
    await tx`delete from memberships where workspace_id = ${workspaceId} and user_id = ${userId}`;
    await note(tx, ctx, "member.removed", userId, { from: had, to: null });
    return { ...shown, members: shown.members.filter((member) => member.id !== userId) };
  });
}

/** All roles, with the workspace locked, so that two admins cannot remove each other at the same time. */
async function lockRoles(tx: Tx, workspaceId: string): Promise<ReadonlyMap<string, MemberRole>> {
  await tx`select from workspaces where id = ${workspaceId} for update`;
  const rows = await tx<
    { user_id: string; role: MemberRole }[]
  >`select user_id, role from memberships where workspace_id = ${workspaceId}`;
  return new Map(rows.map((row) => [row.user_id, row.role]));
}

function requireOtherAdmin(roles: ReadonlyMap<string, MemberRole>, userId: string): void {
  const others = [...roles].filter(([id, role]) => id !== userId && role === "admin");
  if (others.length === 0) throw new Problem("last_admin");
}

async function requireTeammate(tx: Tx, teamId: string, userId: string): Promise<void> {
  const found = await tx`
    select from team_members t join users u on u.id = t.user_id
     where t.team_id = ${teamId} and t.user_id = ${userId} and u.disabled_at is null`;
  if (found.length === 0) throw new Problem("not_found");
}

const note = (
  tx: Tx,
  ctx: Ctx<Member>,
  event: string,
  userId: string,
  data: { from: string | null; to: string | null },
): Promise<void> =>
  audit.write(tx, {
    workspaceId: ctx.actor.workspaceId,
    actor: audit.human(ctx.actor.userId),
    event,
    objectKind: "user",
    objectId: userId,
    source: "api",
    data,
  });
