import type { ToolSettings } from "@aiw/contract/mcp";
import type { ApprovalLevel, PolicyDecision, RiskClass } from "@aiw/contract/tools";

/** A row of `tools`. `definition` is the canonical JSON text that was hashed. */
export interface ToolRow {
  readonly id: string;
  readonly wire_name: string;
  readonly kind: "native" | "mcp";
  readonly source_kind: string;
  readonly definition: string;
  readonly definition_hash: string;
  readonly suggested_risk_class: RiskClass;
  readonly risk_class: RiskClass | null;
  readonly decision: PolicyDecision | null;
  readonly level: ApprovalLevel;
  readonly four_eyes: boolean;
  readonly version: number;
  readonly settings: ToolSettings;
  readonly findings: readonly string[];
  readonly previous_definition: string | null;
  readonly missing_at: Date | null;
}

/** The description inside a stored definition; empty when it has none. */
export function descriptionOf(definition: string): string {
  const parsed: unknown = JSON.parse(definition);
  if (typeof parsed !== "object" || parsed === null || !("description" in parsed)) return "";
  return typeof parsed.description === "string" ? parsed.description : "";
}
