import type { ApprovalLevel, PolicyDecision } from "@aiw/contract/tools";

const decisionOrder: Readonly<Record<PolicyDecision, number>> = { allow: 0, require_approval: 1, deny: 2 };
const levelOrder: Readonly<Record<ApprovalLevel, number>> = { workspace_admin: 0, global_approver: 1 };

/** The stricter of two decisions: allow < require_approval < deny (POL-3). */
export const stricter = (a: PolicyDecision, b: PolicyDecision): PolicyDecision =>
  decisionOrder[a] >= decisionOrder[b] ? a : b;

/** The stricter of two approval levels: workspace_admin < global_approver. */
export const stricterLevel = (a: ApprovalLevel, b: ApprovalLevel): ApprovalLevel =>
  levelOrder[a] >= levelOrder[b] ? a : b;

/** What a verdict binds, without its explanation. */
export interface Binding {
  readonly decision: PolicyDecision;
  readonly level: ApprovalLevel;
  readonly fourEyes: boolean;
}

/** The two joined: never looser than either in any respect. */
export const join = (a: Binding, b: Binding): Binding => ({
  decision: stricter(a.decision, b.decision),
  level: stricterLevel(a.level, b.level),
  fourEyes: a.fourEyes || b.fourEyes,
});

/**
 * Whether policy became stricter than it was at the request (APR-3). Looser or equal is not: only this ends a request.
 * Level and four eyes count where somebody still has to be asked.
 */
export const tightened = (before: Binding, now: Binding): boolean => {
  if (decisionOrder[now.decision] > decisionOrder[before.decision]) return true;
  if (now.decision !== "require_approval") return false;
  return levelOrder[now.level] > levelOrder[before.level] || (now.fourEyes && !before.fourEyes);
};
