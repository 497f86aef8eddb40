import type { ApprovalLevel, PolicyDecision, PolicyLevel, StagingDecision } from "@aiw/contract/tools";

export interface PolicyRule {
  readonly id: string;
  /** `group.tool` (the tool's id), below it `group.tool.action`, `group.action`, `group`, or `*`. Compared exactly. */
  readonly pattern: string;
  /** `auto` asks nothing of its own; other rules and the classification still decide (POL-3). */
  readonly decision: StagingDecision;
  readonly approvalLevel?: ApprovalLevel | undefined;
  readonly fourEyes?: boolean | undefined;
  /**
   * On `approve` rules only (POL-7). True: the rule asks. False: it asks nothing, like `auto`, and binds neither level nor
   * four eyes. Without an answer it asks.
   */
  readonly condition?: string | undefined;
  /** What people call the rule. */
  readonly label: string;
  readonly version: number;
}

/** The rules of one level. There may be several sets of one level (two sources, say): each is resolved by itself. */
export interface RuleSet {
  readonly level: PolicyLevel;
  readonly rules: readonly PolicyRule[];
  /** For tools no rule of this set names. Default `auto`. */
  readonly default?: StagingDecision | undefined;
}

/** How a tool is addressed by rules. */
export interface ToolName {
  /** `group.name`, unique. */
  readonly id: string;
  readonly group: string;
  /**
   * The call's `action` argument (POL-3); null where it has none, where there is no call yet, and where `group.action` is
   * the id of another tool, whose rules no argument may reach.
   */
  readonly action: string | null;
}

/** Sending, inserting and deleting are asked for out of the box (POL-8); only a platform rule of the same pattern relaxes one. */
export const BUILT_IN_STAGING_RULES: readonly PolicyRule[] = [
  "Mail.send",
  "Telegram.send_message",
  "Database.insert",
  "Database.upsert",
  "FileRW.delete",
  "FTP.upload",
  "FTP.delete",
].map((pattern) => ({ id: `built-in:${pattern}`, pattern, decision: "approve", label: pattern, version: 1 }));

/** How precisely a pattern names a call: 4 and 3 exactly this tool or action, 2 its group, 1 everything, 0 not at all. */
export const specificity = (pattern: string, tool: ToolName): number => {
  if (tool.action !== null && pattern === `${tool.id}.${tool.action}`) return 4;
  if (pattern === tool.id) return 3;
  if (tool.action !== null && pattern === `${tool.group}.${tool.action}`) return 3;
  if (pattern === tool.group) return 2;
  return pattern === "*" ? 1 : 0;
};

/** The lowest specificity that names one tool or action and not a group of them. */
export const namesOneTool = 3;

/** The most specific matching rules of a set (POL-3). More than one only where a set names the same thing twice. */
export const winningRules = (
  rules: readonly PolicyRule[],
  tool: ToolName,
): { readonly rank: number; readonly rules: readonly PolicyRule[] } => {
  const ranked = rules.map((rule) => ({ rule, rank: specificity(rule.pattern, tool) }));
  const rank = ranked.reduce((most, entry) => Math.max(most, entry.rank), 0);
  if (rank === 0) return { rank, rules: [] };
  return { rank, rules: ranked.filter((entry) => entry.rank === rank).map((entry) => entry.rule) };
};

/** Whether a rule says the same for every call. A denial always does, whatever stands beside it. */
export const isUnconditional = (rule: PolicyRule): boolean => rule.condition === undefined || rule.decision === "deny";

/** The gate's word for a staging decision. */
export const asPolicyDecision = (decision: StagingDecision): PolicyDecision => {
  switch (decision) {
    case "auto":
      return "allow";
    case "approve":
      return "require_approval";
    case "deny":
      return "deny";
  }
};
