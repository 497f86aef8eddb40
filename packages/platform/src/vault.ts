import { createHash } from "node:crypto";
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors } from "jose";

export type VaultFailure = "bad_key_ring" | "unknown_key" | "wrong_context" | "not_readable";

/** Why a sealed text could not be opened; never holds plaintext, key or token. */
export class VaultError extends Error {
  override readonly name = "VaultError";
  readonly code: VaultFailure;
  constructor(code: VaultFailure, message: string) {
    super(message);
    this.code = code;
  }
}

export type Vault = {
  /** Encrypts with the current key. `context` (for example "source:<id>/token") must be given again to open it. */
  seal(plaintext: string, context: string): Promise<string>;
  /** @throws VaultError unknown_key | wrong_context | not_readable */
  open(token: string, context: string): Promise<string>;
  /** True when `token` was sealed with a key that is no longer the current one, or cannot be read. */
  needsReseal(token: string): boolean;
};

const HEADER = { alg: "dir", enc: "A256GCM" } as const;

/**
 * Secrets at rest (SEC-4): AES-256-GCM as compact JWE. `keyRing` is the comma-separated list of 32-byte keys in base64;
 * the first seals, all open. The context is authenticated, so that a sealed secret copied to another row does not open.
 * @throws VaultError bad_key_ring
 */
export function createVault(keyRing: string): Vault {
  const keys = parseKeyRing(keyRing);
  const [current] = keys;
  if (current === undefined) throw badRing();
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const currentId = keyId(current);
  return {
    seal: (plaintext, context) =>
      new CompactEncrypt(new TextEncoder().encode(plaintext))
        .setProtectedHeader({ ...HEADER, kid: currentId, ctx: context })
        .encrypt(current),
    open: (token, context) => open(byId, token, context),
    needsReseal: (token) => kidOf(token) !== currentId,
  };
}

/**
 * The keys of a comma-separated ring, each 32 bytes in base64 or base64url.
 * @throws VaultError bad_key_ring, naming the position of the first bad key but not the key
 */
export function parseKeyRing(keyRing: string): Uint8Array[] {
  const parts = keyRing.split(",").map((part) => part.trim());
  return parts.map((part, index) => {
    const key = Buffer.from(part, "base64");
    const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(part);
    if (!isBase64 || key.length !== 32) throw badRing(index + 1, parts.length);
    return new Uint8Array(key);
  });
}

/** The last four characters, to recognise a secret by; hidden altogether when it is too short to spare them. */
export function lastFour(secret: string): string {
  return secret.length >= 12 ? secret.slice(-4) : "";
}

async function open(keys: ReadonlyMap<string, Uint8Array>, token: string, context: string): Promise<string> {
  const kid = kidOf(token);
  if (kid === undefined) throw notReadable();
  const key = keys.get(kid);
  if (key === undefined) throw new VaultError("unknown_key", `no key of the key ring has the id ${kid}`);
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(token, key, {
      keyManagementAlgorithms: [HEADER.alg],
      contentEncryptionAlgorithms: [HEADER.enc],
    });
    if (protectedHeader["ctx"] !== context) {
      throw new VaultError("wrong_context", "the secret was sealed for another place");
    }
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw notReadable();
    throw error;
  }
}

function kidOf(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === "string" && /^[0-9a-f]{8}$/.test(kid) ? kid : undefined;
  } catch {
    return undefined;
  }
}

function keyId(key: Uint8Array): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 8);
}

function notReadable(): VaultError {
  return new VaultError("not_readable", "the sealed secret is damaged or was not made by this product");
}

function badRing(position = 1, of = 1): VaultError {
  return new VaultError("bad_key_ring", `key ${position} of ${of} is not 32 bytes in base64`);
}
