/**
 * Waits for everything to end, then fails with the first failure. Unlike `Promise.all` it leaves nothing running behind a
 * step that failed: no work goes on after the function's return (F12).
 */
export const allSettled = async <T>(work: readonly Promise<T>[]): Promise<T[]> => {
  const outcomes = await Promise.allSettled(work);
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
};
