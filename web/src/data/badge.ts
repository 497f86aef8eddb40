import type { ApprovalSummary } from "@aiw/contract/views";

/** What the badge of a workspace counts: open requests there that the reader can decide (APR-15). */
export const decidable = (
  items: readonly Pick<ApprovalSummary, "decidable" | "workspaceId">[],
  workspaceId: string,
): number => items.filter((item) => item.decidable && item.workspaceId === workspaceId).length;
