import { availableParallelism, loadavg } from "node:os";

/**
 * Whether times can be judged now: goals in milliseconds are for a machine that has nothing else to do. Where it has, this
 * says so, and what can be counted is judged alone.
 */
export const isQuiet = (): boolean => {
  const [load = 0] = loadavg();
  const quiet = load <= availableParallelism();
  if (!quiet)
    console.log(
      `times are not judged: load ${load.toFixed(1)} on ${availableParallelism()} cores before the measurement`,
    );
  return quiet;
};
