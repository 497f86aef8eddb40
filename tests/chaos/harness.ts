import { expect } from "vitest";

export interface ChaosOptions {
  /** The same seed plays the same way again. */
  readonly seed: number;
  /** How much of it: executions, sequences or cases, as the harness counts them. */
  readonly runs: number;
}

export interface ChaosReport {
  /** What was done, in numbers: "0 violations" says nothing without them. */
  readonly counts: Readonly<Record<string, number | string>>;
  /** What broke, each with the command that plays it again; empty is the proof. */
  readonly violations: readonly string[];
}

/** One figure of spec 70 section 5, in the form of a harness that can be played at any size. */
export interface Harness {
  /** "g1", as `--only` takes it. */
  readonly id: string;
  /** Size of the long form. */
  readonly longRuns: number;
  readonly run: (options: ChaosOptions) => Promise<ChaosReport>;
}

/** The command that plays this again. */
export const replay = (id: string, { seed, runs }: ChaosOptions): string =>
  `npm run chaos -- --only ${id} --seed ${seed} --runs ${runs}`;

/** Runs a harness, prints what it did, and expects that nothing broke. */
export const holds = async (harness: Harness, options: ChaosOptions): Promise<ChaosReport> => {
  const began = performance.now();
  const report = await harness.run(options);
  const counts = Object.entries(report.counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `${harness.id.toUpperCase()} seed ${options.seed}: ${counts}; ${report.violations.length} violations; ${seconds} s`,
  );
  expect(report.violations, replay(harness.id, options)).toEqual([]);
  return report;
};

/** The short forms are the same for everybody, so that a red test is a change's and not the dice's; AIW_SEED plays another. */
export const shortSeed = (): number => Number(process.env["AIW_SEED"] ?? 1);
