/** Chance that comes again: the same seed gives the same choices, on every machine. */
export interface Random {
  /** In [0, 1). */
  readonly next: () => number;
  /** A whole number in [0, below). */
  readonly below: (below: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(from: readonly T[]) => T;
  readonly shuffled: <T>(from: readonly T[]) => T[];
  /** Another source that depends on nothing but this seed and the name. */
  readonly fork: (name: string | number) => Random;
}

export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  // Mulberry32: small, and good enough to choose test cases.
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_00_00_00_00;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(from: readonly T[]): T => {
    const index = below(from.length);
    if (index >= from.length) throw new Error("nothing to pick from");
    return from[index] as T;
  };
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick,
    shuffled: (from) =>
      from
        .map((value) => ({ value, at: next() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ value }) => value),
    fork: (name) =>
      randomOf(
        Array.from(String(name)).reduce(
          (hash, char) => Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01_00_01_93),
          seed ^ 0x81_1c_9d_c5,
        ),
      ),
  };
};
