import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { WorkspaceTool } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { loadPolicyInputs, type OfferedTool, type PolicyInputs, verdictOf } from "./policy-inputs.ts";
import { descriptionOf } from "./row.ts";

/** The tools with their class and what would happen to a call here, for every member (POL-2). */
export function list(ctx: Ctx<Member>): Promise<WorkspaceTool[]> {
  return inWorkspace(ctx, (tx) => views(tx, ctx.actor.workspaceId));
}

/**
 * Switches a tool on or off for the workspace. Being on lets nothing through: classification and rules still decide
 * (POL-4). Audited; raises the policy version.
 * @throws Problem forbidden | not_found
 */
export async function setActive(ctx: Ctx<Member>, toolId: string, active: boolean): Promise<WorkspaceTool> {
  await requireAdmin(ctx);
  const { workspaceId, userId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    await tx`select from workspaces where id = ${workspaceId} for update`;
    const before = (await views(tx, workspaceId)).find((tool) => tool.id === toolId);
    if (before === undefined) throw new Problem("not_found");
    if (before.active === active) return before;
    await tx`
      insert into workspace_tools (workspace_id, tool_id, active) values (${workspaceId}, ${toolId}, ${active})
      on conflict (workspace_id, tool_id) do update set active = excluded.active`;
    await tx`update workspaces set policy_version = policy_version + 1 where id = ${workspaceId}`;
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: active ? "tool.activated" : "tool.deactivated",
      objectKind: "tool",
      objectId: toolId,
      source: "api",
    });
    return { ...before, active };
  });
}

async function views(tx: Tx, workspaceId: string): Promise<WorkspaceTool[]> {
  const inputs = await loadPolicyInputs(tx, workspaceId);
  return inputs.tools.map((tool) => toView(tool, inputs));
}

function toView(tool: OfferedTool, inputs: PolicyInputs): WorkspaceTool {
  const verdict = verdictOf(tool, inputs);
  return {
    id: tool.id,
    wireName: tool.wire_name,
    description: descriptionOf(tool.definition),
    riskClass: tool.risk_class,
    suggestedRiskClass: tool.suggested_risk_class,
    definitionHash: tool.definition_hash,
    active: tool.active,
    decision: verdict.decision,
    level: verdict.level,
    fourEyes: verdict.fourEyes,
    explanation: { code: verdict.explanation.code, params: verdict.explanation.params },
  };
}
