import type { RunSummary } from "@aiw/contract/views";

/** Tokens and cost of several runs (AI-6). The cost is null where no run's is known, and counts only those that are. */
export const totalsOf = (
  runs: readonly Pick<RunSummary, "inputTokens" | "outputTokens" | "cost">[],
): { readonly tokens: number; readonly cost: number | null } => {
  const priced = runs.flatMap((run) => run.cost ?? []);
  return {
    tokens: runs.reduce((sum, run) => sum + run.inputTokens + run.outputTokens, 0),
    cost: priced.length === 0 ? null : priced.reduce((sum, cost) => sum + cost, 0),
  };
};
