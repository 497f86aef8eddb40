/** One figure of spec 70 section 5 as something that can be run again by its seed, in any length. */
export interface Guarantee {
  /** `g4`, `g6` ... */
  readonly id: string;
  readonly run: (options: RunOptions) => Promise<Outcome>;
}

export interface RunOptions {
  readonly seed: number;
  /** How many cases; each guarantee says what a case is. */
  readonly runs: number;
}

export interface Outcome {
  /** What was done and measured, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** What must not be; empty when the guarantee held. */
  readonly violations: readonly string[];
}

/** The outcome on one line, as it is printed: `G8 seed 7: 0 violations; arguments 6000, ...`. */
export const inWords = (id: string, seed: number, { counts, violations }: Outcome): string =>
  `${id.toUpperCase()} seed ${seed}: ${violations.length} violations; ${Object.entries(counts)
    .map(([name, count]) => `${name} ${Number.isInteger(count) ? count : count.toFixed(3)}`)
    .join(", ")}`;
