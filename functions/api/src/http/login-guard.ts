/** Limits sign-in attempts before a password is looked at (SEC-6). */
export interface LoginGuard {
  /** False: too many attempts from this address for this name, or in all. */
  admit(address: string, name: string): boolean;
}

export interface LoginLimits {
  /** Attempts a minute from one address for one name, and from everywhere in all. */
  readonly perName: number;
  readonly inAll: number;
}

const MAX_KEYS = 10_000;
const MINUTE_MS = 60_000;

/**
 * Token buckets in memory, so each instance limits for itself; the lock of an account is in the database and holds for
 * all of them. Remembers at most 10,000 pairs. `now` in milliseconds.
 */
export function createLoginGuard(limits: LoginLimits, now: () => number = Date.now): LoginGuard {
  const all = bucket(limits.inAll, now);
  const pairs = new Map<string, Bucket>();
  return {
    admit: (address, name) => {
      const key = `${address} ${name.trim().toLowerCase()}`;
      const own = pairs.get(key) ?? bucket(limits.perName, now);
      pairs.delete(key);
      pairs.set(key, own);
      const [oldest] = pairs.keys();
      if (pairs.size > MAX_KEYS && oldest !== undefined) pairs.delete(oldest);
      return own.take() && all.take();
    },
  };
}

interface Bucket {
  take(): boolean;
}

function bucket(perMinute: number, now: () => number): Bucket {
  let tokens = perMinute;
  let filledAt = now();
  return {
    take: () => {
      const at = now();
      tokens = Math.min(perMinute, tokens + ((at - filledAt) / MINUTE_MS) * perMinute);
      filledAt = at;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
