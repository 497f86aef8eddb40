import type { Human, Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { MemberRole } from "@aiw/contract/views";
import { type Ctx, withActor } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";

/**
 * The person as a member of this workspace: the one door to everything that is in it (SEC-1).
 * @throws Problem not_found when there is no such workspace or the person is no member: nobody can tell which
 */
export async function enter(ctx: Ctx<Human>, workspaceId: string): Promise<Ctx<Member>> {
  const { userId, key } = ctx.actor;
  if (key !== undefined && key.workspaceId !== workspaceId) throw new Problem("not_found");
  const [row] = await transaction(
    ctx.db,
    { workspaces: [workspaceId], userId },
    (tx) => tx<{ role: MemberRole; team_id: string }[]>`
    select m.role, w.team_id from memberships m join workspaces w on w.id = m.workspace_id
     where m.workspace_id = ${workspaceId} and m.user_id = ${userId}`,
  );
  if (row === undefined) throw new Problem("not_found");
  return withActor(ctx, { ...ctx.actor, workspaceId, teamId: row.team_id, role: row.role });
}
