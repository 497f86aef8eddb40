const sorted = (values: readonly number[]): number[] => [...values].toSorted((a, b) => a - b);

/** The value that a share `q` (0 to 1) of all does not exceed; NaN of none. */
export const quantile = (values: readonly number[], q: number): number =>
  sorted(values)[Math.max(0, Math.ceil(q * values.length) - 1)] ?? Number.NaN;

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Median of the ratios of paired measurements: what a busy machine does to both of a pair cancels out. */
export const pairedRatio = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((value, index) => value / (theirs[index] ?? Number.NaN)));

/**
 * Plays each of `sides` once per round, in turn (A B A B), after one round that warms up. Returns what each measured.
 */
export const inTurn = async <K extends string>(
  rounds: number,
  sides: Readonly<Record<K, () => Promise<number>>>,
): Promise<Record<K, number[]>> => {
  const names = Object.keys(sides) as K[];
  const measured = Object.fromEntries(names.map((name) => [name, new Array<number>()])) as Record<K, number[]>;
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const value = await sides[name]();
      if (round >= 0) measured[name].push(value);
    }
  }
  return measured;
};
