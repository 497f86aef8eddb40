import type { ApprovalLevel, PolicyLevel, StagingDecision } from "@aiw/contract/tools";
import type { PolicyRule, RuleSet } from "@aiw/policy/decide";

/** A rule as its author wrote it. */
export interface RuleDraft {
  readonly pattern: string;
  readonly decision: StagingDecision;
  readonly condition: string | null;
  readonly approvalLevel: ApprovalLevel | null;
  readonly fourEyes: boolean | null;
  readonly label: string;
}

/** A row of `tool_policies`. */
export interface RuleRow extends RuleDraft {
  readonly id: string;
  readonly level: PolicyLevel;
  readonly sourceId: string | null;
  readonly version: number;
}

const toRule = (row: RuleRow): PolicyRule => ({
  id: row.id,
  pattern: row.pattern,
  decision: row.decision,
  approvalLevel: row.approvalLevel ?? undefined,
  fourEyes: row.fourEyes ?? undefined,
  condition: row.condition ?? undefined,
  label: row.label,
  version: row.version,
});

/** The rules that hold for calls at this source, one set per level (POL-3); null: those that hold whatever the source. */
export function ruleSets(rows: readonly RuleRow[], sourceId: string | null): RuleSet[] {
  const levels: readonly PolicyLevel[] = ["platform", "workspace", "source", "agent"];
  return levels.map((level) => ({
    level,
    rules: rows.filter((row) => row.level === level && (level !== "source" || row.sourceId === sourceId)).map(toRule),
  }));
}
