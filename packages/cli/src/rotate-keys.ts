import * as secrets from "@aiw/core/secrets";
import { connect } from "@aiw/platform/db";
import { loadEnv } from "@aiw/platform/env";
import { createLog } from "@aiw/platform/log";
import { createVault } from "@aiw/platform/vault";

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Seals every stored secret with the first key of AIW_SECRET_KEY (SEC-4). 1: some could not be read, or are frozen as they were
 * sealed (APR-10); the keys they need must stay in the ring.
 * @throws EnvError
 */
export async function rotateKeys(source: Source): Promise<number> {
  const env = loadEnv(source, ["AIW_DATABASE_ADMIN_URL", "AIW_SECRET_KEY"]);
  const db = connect({ url: env.AIW_DATABASE_ADMIN_URL, max: 1, applicationName: "aiw-cli" });
  try {
    const log = createLog({ level: env.AIW_LOG_LEVEL });
    const ctx = { actor: { kind: "system" as const }, db, log, requestId: "rotate-keys" };
    const { resealed, current, frozen, unreadable } = await secrets.rotate(ctx, createVault(env.AIW_SECRET_KEY));
    process.stdout.write(`Sealed anew: ${resealed}. Sealed with the first key already: ${current}.\n`);
    if (frozen > 0)
      process.stdout.write(
        `Frozen under an older key: ${frozen} texts with sensitive answers. Keep that key in the ring.\n`,
      );
    for (const what of unreadable) process.stdout.write(`Not readable with any key of the ring: ${what}\n`);
    return unreadable.length === 0 && frozen === 0 ? 0 : 1;
  } finally {
    await db.close();
  }
}
