import type { System } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";

/** The team of this name, whatever its case, made if missing. `maxParallelRuns` holds for a new one (RUN-10). */
export async function ensureTeam(ctx: Ctx<System>, name: string, maxParallelRuns: number): Promise<string> {
  return transaction(ctx.db, { workspaces: [] }, async (tx) => {
    await tx`insert into teams (name, max_parallel_runs) values (${name}, ${maxParallelRuns}) on conflict do nothing`;
    const [team] = await tx<{ id: string }[]>`select id from teams where lower(name) = lower(${name})`;
    if (team === undefined) throw new Error("the team is missing");
    return team.id;
  });
}

/** Adds a user to a team; nothing changes when they are in it already. */
export async function addMember(ctx: Ctx<System>, teamId: string, userId: string): Promise<void> {
  await transaction(ctx.db, { workspaces: [] }, async (tx) => {
    await tx`insert into team_members (team_id, user_id) values (${teamId}, ${userId}) on conflict do nothing`;
  });
}
