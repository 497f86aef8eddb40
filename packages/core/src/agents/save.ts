import type { Member } from "@aiw/contract/actors";
import type { Agent, AgentSettings } from "@aiw/contract/agents";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { checkSettings, type NamedTool } from "./check.ts";
import { newest } from "./get.ts";
import { DEFAULT_AGENT } from "./settings.ts";

/**
 * Saves a new version (workspace admin); runs that have started keep theirs (F63). `version`: the one that was edited, so
 * that nobody overwrites what they have not seen. The same settings again are no new version. Audited.
 * @throws Problem forbidden | conflict | bad_request | condition_invalid
 */
export async function save(
  ctx: Ctx<Member>,
  input: { readonly version: number; readonly settings: AgentSettings },
): Promise<Agent> {
  await requireAdmin(ctx);
  const { workspaceId, userId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    await tx`select from workspaces where id = ${workspaceId} for update`;
    const before = await newest(tx, workspaceId);
    if (before.version !== input.version) throw new Problem("conflict");
    const tools = await tx<NamedTool[]>`select id, wire_name as "wireName" from tools`;
    checkSettings(input.settings, tools);
    if (JSON.stringify(before.settings) === JSON.stringify(input.settings)) return before;
    await tx`insert into agents (workspace_id, name) values (${workspaceId}, ${DEFAULT_AGENT}) on conflict do nothing`;
    await tx`
      insert into agent_versions (workspace_id, agent_id, version, settings, created_by)
      select workspace_id, id, ${before.version + 1}, ${tx.json(input.settings)}, ${userId}
        from agents where workspace_id = ${workspaceId} and name = ${DEFAULT_AGENT}`;
    const { mode, onRejection, timeoutS } = input.settings;
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: "agent.version_saved",
      objectKind: "agent",
      objectId: DEFAULT_AGENT,
      source: "api",
      data: {
        version: before.version + 1,
        mode,
        onRejection,
        timeoutS,
        tools: input.settings.tools.map(({ tool }) => tool),
        inputs: input.settings.inputs.map(({ name }) => name),
      },
    });
    return newest(tx, workspaceId);
  });
}
