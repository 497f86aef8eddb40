import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Problem } from "@aiw/contract/problem";
import { hash, verify } from "@node-rs/argon2";

/** Argon2id (the library's default) with 19 MiB and 2 passes; 15 to 50 ms on a usual machine. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const MIN_LENGTH = 12;
const MAX_LENGTH = 1024;

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** False also for a stored value that is no hash. */
export async function matches(stored: string, password: string): Promise<boolean> {
  try {
    return await verify(stored, password);
  } catch {
    return false;
  }
}

let dummy: Promise<string> | undefined;

/** Costs as much time as a real check and never succeeds, so that unknown names cannot be told apart (N17). */
export async function pretendToMatch(password: string): Promise<false> {
  dummy ??= hashPassword(randomBytes(24).toString("base64url"));
  await matches(await dummy, password);
  return false;
}

/** Compares in constant time whatever the lengths. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();

/**
 * IDN-2: at least 12 characters (code points) and without the user name.
 * @throws Problem password_too_weak
 */
export function checkStrength(password: string, name: string): void {
  const length = Array.from(password).length;
  const holdsName = password.toLowerCase().includes(name.toLowerCase());
  if (length < MIN_LENGTH || length > MAX_LENGTH || holdsName)
    throw new Problem("password_too_weak", { fields: { next: "weak" } });
}

/** A password to hand over once: 20 characters, 120 bits. */
export const oneTimePassword = (): string => randomBytes(15).toString("base64url");
