import type { Member } from "@aiw/contract/actors";
import type { Agent } from "@aiw/contract/agents";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import { inWorkspace } from "../identity/scope.ts";
import { DEFAULT_AGENT, readSettings } from "./settings.ts";

/** The settings that runs of this workspace start with now, for every member. */
export const get = (ctx: Ctx<Member>): Promise<Agent> => inWorkspace(ctx, (tx) => newest(tx, ctx.actor.workspaceId));

interface Row {
  readonly version: number;
  readonly settings: unknown;
  readonly user_id: string;
  readonly name: string;
  readonly display_name: string;
  readonly created_at: Date;
}

export async function newest(tx: Tx, workspaceId: string): Promise<Agent> {
  const [row] = await tx<Row[]>`
    select v.version, v.settings, u.id as user_id, u.name, u.display_name, v.created_at
      from agent_versions v join users u on u.id = v.created_by where v.id = agent_current_v1(${workspaceId}::uuid)`;
  return {
    name: DEFAULT_AGENT,
    version: row?.version ?? 0,
    settings: readSettings(row?.settings),
    changedBy: row === undefined ? null : { id: row.user_id, name: row.name, displayName: row.display_name },
    changedAt: row?.created_at.toISOString() ?? null,
  };
}
