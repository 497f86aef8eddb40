import type { ApprovalLevel, PolicyLevel, StagingDecision, WritePolicy } from "@aiw/contract/tools";
import type { Tx } from "@aiw/platform/db";
import { decide, type PolicyInput, type RuleSet, type Verdict } from "@aiw/policy/decide";
import type { ToolRow } from "./row.ts";

export interface OfferedTool extends ToolRow {
  readonly active: boolean;
}

/** Everything the gate's decision needs about a workspace, apart from chat mode, source and agent. */
export interface PolicyInputs {
  readonly tools: readonly OfferedTool[];
  readonly ruleSets: readonly RuleSet[];
  /** The workspace's, unless the platform forces one (POL-5). */
  readonly writePolicy: WritePolicy;
  /** Rises with every change of the platform's or the workspace's part. */
  readonly policyVersion: number;
}

interface RuleRow {
  readonly id: string;
  readonly level: PolicyLevel;
  readonly source_id: string | null;
  readonly pattern: string;
  readonly decision: StagingDecision;
  readonly approval_level: ApprovalLevel | null;
  readonly four_eyes: boolean | null;
  readonly label: string;
  readonly version: number;
  readonly condition: string | null;
}

/** Reads them in the given transaction, which must see the workspace. */
export async function loadPolicyInputs(tx: Tx, workspaceId: string): Promise<PolicyInputs> {
  const [settings] = await tx<{ write_policy: WritePolicy; policy_version: number }[]>`
    select coalesce(p.forced_write_policy, w.write_policy) as write_policy, p.policy_version + w.policy_version as policy_version
      from workspaces w cross join platform_settings p where w.id = ${workspaceId}`;
  if (settings === undefined) throw new Error("the workspace is not in scope");
  const tools = await tx<OfferedTool[]>`
    select t.*, coalesce(x.active, t.default_active) as active
      from tools t left join workspace_tools x on x.tool_id = t.id and x.workspace_id = ${workspaceId}
     where t.missing_at is null
       and (t.kind = 'native' or t.source_kind in (select tool_source from connected_sources where workspace_id = ${workspaceId}))
     order by t.id`;
  const rules = await tx<RuleRow[]>`
    select id, level, source_id, pattern, decision, approval_level, four_eyes, label, version, condition from tool_policies
     where workspace_id is null or workspace_id = ${workspaceId} order by id`;
  return {
    tools,
    ruleSets: ruleSetsOf(rules),
    writePolicy: settings.write_policy,
    policyVersion: settings.policy_version,
  };
}

/** One set per level, and one per source, each resolved by itself (POL-3). */
function ruleSetsOf(rows: readonly RuleRow[]): RuleSet[] {
  const bySet = Map.groupBy(rows, (row) => `${row.level}:${row.source_id ?? ""}`);
  return [...bySet.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [
      {
        level: first.level,
        rules: group.map((row) => ({
          id: row.id,
          pattern: row.pattern,
          decision: row.decision,
          approvalLevel: row.approval_level ?? undefined,
          fourEyes: row.four_eyes ?? undefined,
          condition: row.condition ?? undefined,
          label: row.label,
          version: row.version,
        })),
      },
    ];
  });
}

/** What would become of a call of this tool here, in a working chat. */
export function verdictOf(tool: ToolRow, inputs: PolicyInputs): Verdict {
  const [group = tool.id] = tool.id.split(".");
  const input: PolicyInput = {
    tool: {
      id: tool.id,
      group,
      action: null,
      riskClass: tool.risk_class,
      classifiedDecision: tool.decision,
      level: tool.level,
      fourEyes: tool.four_eyes,
    },
    writePolicy: inputs.writePolicy,
    chatMode: "work",
    ruleSets: inputs.ruleSets,
  };
  return decide(input);
}
