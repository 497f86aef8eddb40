import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { WorkspaceDetail } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { readName } from "../identity/names.ts";
import { requireFreeName } from "./free-name.ts";
import { detail } from "./get.ts";

export interface WorkspaceDefaults {
  /** Seconds a request may wait for its decision. */
  readonly approvalTtlS: number;
  readonly maxToolRounds: number;
}

export interface NewWorkspace {
  readonly name: string;
  readonly description: string;
  /** May be left out by a person of exactly one team. */
  readonly teamId?: string | undefined;
}

/**
 * Makes a workspace in a team of the person, who becomes its admin (IDN-0); audited.
 * @throws Problem forbidden (no team) | bad_request (teamId needed) | bad_request (name) | not_found (foreign team) | name_taken
 */
export async function create(
  ctx: Ctx<Human>,
  input: NewWorkspace,
  defaults: WorkspaceDefaults,
): Promise<WorkspaceDetail> {
  const { userId } = ctx.actor;
  const name = readName(input.name, "name");
  try {
    return await transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
      const teamId = await teamFor(tx, userId, input.teamId);
      const [fresh] = await tx<{ id: string }[]>`select uuidv7() as id`;
      if (fresh === undefined) throw new Error("the database gave no id");
      const { id } = fresh;
      await requireFreeName(tx, { userId, teamId, workspaceId: id, name });
      await tx`
        insert into workspaces (id, team_id, name, description, approval_ttl_s, max_tool_rounds, created_by)
        values (${id}, ${teamId}, ${name}, ${input.description}, ${defaults.approvalTtlS}, ${defaults.maxToolRounds}, ${userId})`;
      await tx`insert into memberships (workspace_id, user_id, role) values (${id}, ${userId}, 'admin')`;
      await audit.write(tx, {
        workspaceId: id,
        actor: audit.human(userId),
        event: "workspace.created",
        objectKind: "workspace",
        objectId: id,
        source: "api",
        data: { name, teamId },
      });
      return detail(tx, userId, id);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
    throw error;
  }
}

async function teamFor(tx: Tx, userId: string, wanted: string | undefined): Promise<string> {
  const teams = await tx<{ team_id: string }[]>`select team_id from team_members where user_id = ${userId}`;
  const ids = teams.map((row) => row.team_id);
  if (wanted !== undefined) {
    if (!ids.includes(wanted)) throw new Problem("not_found");
    return wanted;
  }
  const [only, second] = ids;
  if (only === undefined) throw new Problem("forbidden");
  if (second !== undefined) throw new Problem("bad_request", { fields: { teamId: "required" } });
  return only;
}
