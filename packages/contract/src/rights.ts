import type { MemberRole } from "./views.ts";

/** APR-13: seeing requests, deciding them, and saying who hears of them. */
export const APPROVAL_RIGHTS = ["approvals.view", "approvals.decide", "approvals.configure"] as const;
export type ApprovalRight = (typeof APPROVAL_RIGHTS)[number];

/** In what capacity somebody stands before a request: by their role in its workspace, as its requester, or as a global approver. */
export type Capacity = MemberRole | "requester" | "global_approver";

/**
 * Which capacity gives which right (APR-5, APR-13): admins hold all three, approvers see and decide, everybody sees what they
 * requested themselves. A global approver has theirs for requests of that level alone, and there nobody else decides.
 */
export const RIGHTS_OF: Readonly<Record<Capacity, readonly ApprovalRight[]>> = {
  admin: ["approvals.view", "approvals.decide", "approvals.configure"],
  approver: ["approvals.view", "approvals.decide"],
  member: [],
  requester: ["approvals.view"],
  global_approver: ["approvals.view", "approvals.decide"],
};
