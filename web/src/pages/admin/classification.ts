import type { ApprovalLevel, PolicyDecision, RiskClass } from "@aiw/contract/tools";
import type { AdminTool } from "@aiw/contract/views";

export const RISK_CLASSES = [
  "read",
  "write_internal",
  "write_external",
  "destructive",
] as const satisfies readonly RiskClass[];
export const DECISIONS = ["allow", "require_approval", "deny"] as const satisfies readonly PolicyDecision[];
export const LEVELS = ["workspace_admin", "global_approver"] as const satisfies readonly ApprovalLevel[];

/** What a platform admin decides about a tool (POL-4). `riskClass: null` leaves it unclassified, that is blocked. */
export interface Classification {
  readonly riskClass: RiskClass | null;
  readonly decision: PolicyDecision | null;
  readonly level: ApprovalLevel;
  readonly fourEyes: boolean;
}

export const classificationOf = (tool: AdminTool): Classification => ({
  riskClass: tool.riskClass,
  decision: tool.decision,
  level: tool.level,
  fourEyes: tool.fourEyes,
});

export type Field = keyof Classification;
const FIELDS = ["riskClass", "decision", "level", "fourEyes"] as const satisfies readonly Field[];

/** Which parts a new classification changes. */
export const changedFields = (before: Classification, after: Classification): readonly Field[] =>
  FIELDS.filter((field) => before[field] !== after[field]);

export const FILTERS = ["all", "unclassified", "writing"] as const;
export type Filter = (typeof FILTERS)[number];

/** Tools of a view, grouped by the part of the id before the dot, unclassified ones first. */
export function grouped(
  tools: readonly AdminTool[],
  filter: Filter,
): readonly (readonly [string, readonly AdminTool[]])[] {
  const shown = tools.filter((tool) => {
    if (filter === "unclassified") return tool.riskClass === null;
    return filter === "all" || (tool.riskClass !== null && tool.riskClass !== "read");
  });
  const groups = Map.groupBy(shown, (tool) => tool.id.split(".")[0] ?? tool.id);
  return [...groups.entries()]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(
      ([group, items]) =>
        [
          group,
          items.toSorted(
            (a, b) => Number(a.riskClass !== null) - Number(b.riskClass !== null) || a.id.localeCompare(b.id),
          ),
        ] as const,
    );
}
