import { toolSettings, type ToolSettings } from "@aiw/contract/mcp";
import type { ApprovalLevel, JsonObject, PolicyDecision, RiskClass, WritePolicy } from "@aiw/contract/tools";
import type { Tx } from "@aiw/platform/db";
import type { PolicyInput, RuleSet } from "@aiw/policy/decide";
import type { RuleRow } from "./rule.ts";

/** A tool as rules see it. */
export interface KnownTool {
  readonly id: string;
  readonly group: string;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject;
  readonly riskClass: RiskClass | null;
  readonly decision: PolicyDecision | null;
  readonly level: ApprovalLevel;
  readonly fourEyes: boolean;
  /** Arguments the platform sets on its calls; null: it has none. */
  readonly settings: ToolSettings | null;
}

/** What rules are judged against: every tool the platform knows, and the rules of the platform and of one workspace. */
export interface Ground {
  readonly tools: readonly KnownTool[];
  readonly rules: readonly RuleRow[];
  readonly writePolicy: WritePolicy;
}

type ToolRow = Omit<KnownTool, "group" | "parameters" | "settings"> & {
  readonly definition: string;
  readonly kind: string;
  readonly settings: unknown;
};

/** Reads them; without a workspace those of the platform alone, with the mode that leaves rules the most room. */
export async function loadGround(tx: Tx, workspaceId: string | null): Promise<Ground> {
  const tools = await tx<ToolRow[]>`
    select id, definition, risk_class as "riskClass", decision, level, four_eyes as "fourEyes", kind, settings from tools order by id`;
  const rules = await tx<RuleRow[]>`
    select id, level, source_id as "sourceId", pattern, decision, condition, approval_level as "approvalLevel", four_eyes as "fourEyes",
           label, version
      from tool_policies where workspace_id is null or workspace_id = ${workspaceId} order by id`;
  const [mode] = await tx<{ write_policy: WritePolicy }[]>`
    select coalesce(p.forced_write_policy, w.write_policy, 'risk_based') as write_policy
      from platform_settings p left join workspaces w on w.id = ${workspaceId}`;
  return {
    tools: tools.map(({ definition, kind, settings, ...tool }) => ({
      ...tool,
      settings: kind === "mcp" ? (toolSettings.safeParse(settings).data ?? null) : null,
      group: tool.id.split(".")[0] ?? tool.id,
      parameters: parametersOf(definition),
    })),
    rules: [...rules],
    writePolicy: mode?.write_policy ?? "confirm_external",
  };
}

/** Of our own definitions `parameters`, of those an MCP server sent `inputSchema`. */
function parametersOf(definition: string): JsonObject {
  const parsed = JSON.parse(definition) as JsonObject;
  const schema = parsed["parameters"] ?? parsed["inputSchema"];
  return typeof schema === "object" && schema !== null && !Array.isArray(schema) ? (schema as JsonObject) : {};
}

/** The gate's question about one tool in a working chat. */
export const inputOf = (
  tool: KnownTool,
  action: string | null,
  ruleSets: readonly RuleSet[],
  writePolicy: WritePolicy,
): PolicyInput => ({
  tool: {
    id: tool.id,
    group: tool.group,
    action,
    riskClass: tool.riskClass,
    classifiedDecision: tool.decision,
    level: tool.level,
    fourEyes: tool.fourEyes,
  },
  writePolicy,
  chatMode: "work",
  ruleSets,
});
