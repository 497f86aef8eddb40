import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { AdminTeam } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { readName } from "../identity/names.ts";

/** All teams by name, for platform admins (ADM-1). @throws Problem forbidden */
export async function listTeams(ctx: Ctx<Human>): Promise<AdminTeam[]> {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, { workspaces: [], userId: ctx.actor.userId }, (tx) => views(tx, null));
}

/**
 * Makes a team. `maxParallelRuns` of all its workspaces together (RUN-10). Audited.
 * @throws Problem forbidden | bad_request (name) | name_taken, whatever the case
 */
export async function createTeam(
  ctx: Ctx<Human>,
  team: { readonly name: string; readonly maxParallelRuns: number },
): Promise<AdminTeam> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  const name = readName(team.name, "name");
  try {
    return await transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
      const [made] = await tx<{ id: string }[]>`
        insert into teams (name, max_parallel_runs) values (${name}, ${team.maxParallelRuns}) returning id`;
      if (made === undefined) throw new Error("the new team has no id");
      await audit.write(tx, {
        workspaceId: null,
        actor: audit.human(userId),
        event: "team.created",
        objectKind: "team",
        objectId: made.id,
        source: "api",
        data: { name, maxParallelRuns: team.maxParallelRuns },
      });
      const [view] = await views(tx, made.id);
      if (view === undefined) throw new Problem("not_found");
      return view;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
    throw error;
  }
}

/**
 * Changes how many runs of a team work at a time; a higher number wakes who waits with the next sweep (RUN-10). Audited.
 * @throws Problem forbidden | not_found
 */
export async function updateTeam(
  ctx: Ctx<Human>,
  teamId: string,
  team: { readonly maxParallelRuns: number },
): Promise<AdminTeam> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const [before] = await tx<{ max_parallel_runs: number }[]>`
      select max_parallel_runs from teams where id = ${teamId} for no key update`;
    if (before === undefined) throw new Problem("not_found");
    await tx`update teams set max_parallel_runs = ${team.maxParallelRuns} where id = ${teamId}`;
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.human(userId),
      event: "team.changed",
      objectKind: "team",
      objectId: teamId,
      source: "api",
      data: { before: before.max_parallel_runs, maxParallelRuns: team.maxParallelRuns },
    });
    const [view] = await views(tx, teamId);
    if (view === undefined) throw new Problem("not_found");
    return view;
  });
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly max_parallel_runs: number;
  readonly people: number;
  readonly created_at: Date;
}

async function views(tx: Tx, only: string | null): Promise<AdminTeam[]> {
  const rows = await tx<Row[]>`
    select t.id, t.name, t.max_parallel_runs, t.created_at,
           (select count(*)::integer from team_members m join users u on u.id = m.user_id
             where m.team_id = t.id and u.disabled_at is null) as people
      from teams t where ${only}::uuid is null or t.id = ${only} order by lower(t.name)`;
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    maxParallelRuns: row.max_parallel_runs,
    people: row.people,
    createdAt: row.created_at.toISOString(),
  }));
}
