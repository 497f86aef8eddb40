const MAX_NAMES = 10_000;
const MAX_FAILURES = 5;
const LOCK_MS = 15 * 60_000;

/** Counts failed sign-ins of names that do not exist, so that they lock exactly as real ones do (N16). */
export interface Strangers {
  /** Records an attempt; true when the name is locked and the attempt does not count. */
  attempt(name: string): boolean;
}

/**
 * Held in memory per process: a name that does not exist has no row to lock. Bounded to 10,000 names, the oldest are
 * forgotten first. `now` in milliseconds.
 */
export function createStrangers(now: () => number = Date.now): Strangers {
  const names = new Map<string, { failures: number; lockedUntil: number }>();
  return {
    attempt: (name) => {
      const key = name.toLowerCase();
      const known = names.get(key);
      if (known !== undefined && known.lockedUntil > now()) return true;
      const before = known === undefined || known.lockedUntil > 0 ? 0 : known.failures;
      const failures = before + 1;
      names.delete(key);
      names.set(key, { failures, lockedUntil: failures >= MAX_FAILURES ? now() + LOCK_MS : 0 });
      const [oldest] = names.keys();
      if (names.size > MAX_NAMES && oldest !== undefined) names.delete(oldest);
      return false;
    },
  };
}
