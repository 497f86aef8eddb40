import type { ApprovalDetail } from "@aiw/contract/views";

type Facts = Readonly<Record<string, unknown>>;

/**
 * APR-21: the facts a request expected of its execution, beside those the tool reported. Empty while there is nothing to compare:
 * nothing was expected, or nothing reported (a person said that it happened).
 */
export const effectsOf = (
  predicted: Facts | undefined,
  actual: Facts | null | undefined,
): ApprovalDetail["effects"] => {
  if (predicted === undefined || actual === null || actual === undefined) return [];
  return Object.entries(predicted).map(([fact, expected]) => {
    const found = Object.hasOwn(actual, fact) ? actual[fact] : null;
    return { fact, predicted: expected, actual: found, same: JSON.stringify(expected) === JSON.stringify(found) };
  });
};

/** Whether what was executed, or what came of it, is something else than what was approved: an incident. */
export const isIncident = (
  approvedHash: string,
  executedHash: string | null,
  effects: ApprovalDetail["effects"],
): boolean => (executedHash !== null && executedHash !== approvedHash) || effects.some((effect) => !effect.same);
