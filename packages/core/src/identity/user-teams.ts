import { Problem } from "@aiw/contract/problem";
import type { Tx } from "@aiw/platform/db";

/** The teams of a user, by id in order. */
export async function teamsOf(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx<
    { team_id: string }[]
  >`select team_id from team_members where user_id = ${userId} order by team_id`;
  return rows.map((row) => row.team_id);
}

/**
 * Puts a user into exactly these teams; the answer is their ids in order. Memberships in workspaces are not touched: those
 * are the workspaces' own (IDN-4).
 * @throws Problem not_found when one of them does not exist
 */
export async function setTeams(tx: Tx, userId: string, teamIds: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(teamIds.map((id) => id.toLowerCase()))].sort();
  const found = await tx`select id from teams where id = any (${wanted}::uuid[])`;
  if (found.length < wanted.length) throw new Problem("not_found");
  await tx`delete from team_members where user_id = ${userId} and team_id <> all (${wanted}::uuid[])`;
  await tx`
    insert into team_members (team_id, user_id) select id, ${userId} from unnest(${wanted}::uuid[]) id on conflict do nothing`;
  return wanted;
}
