import { Problem } from "@aiw/contract/problem";
import type { Tx } from "@aiw/platform/db";
import { setWorkspaces } from "../identity/scope.ts";

/**
 * Two workspaces of a team whose names differ in case alone are one to a reader: the second is refused. Only workspaces
 * the person is in can be looked at here (SEC-2); the exact name is unique in the whole team by the table itself.
 * Leaves the transaction bound to `workspaceId`.
 * @throws Problem name_taken
 */
export async function requireFreeName(
  tx: Tx,
  wanted: { readonly userId: string; readonly teamId: string; readonly workspaceId: string; readonly name: string },
): Promise<void> {
  // Names that would meet take turns, so that of two made at once one is refused.
  await tx`select pg_advisory_xact_lock(hashtextextended(${wanted.teamId}::text || ' ' || lower(${wanted.name}::text), 0))`;
  const own = await tx<{ workspace_id: string }[]>`
    select workspace_id from memberships where user_id = ${wanted.userId}`;
  await setWorkspaces(
    tx,
    own.map((row) => row.workspace_id),
  );
  const same = await tx`
    select from workspaces
     where team_id = ${wanted.teamId} and lower(name) = lower(${wanted.name}::text) and id <> ${wanted.workspaceId} limit 1`;
  await setWorkspaces(tx, [wanted.workspaceId]);
  if (same.length > 0) throw new Problem("name_taken", { fields: { name: "taken" } });
}
