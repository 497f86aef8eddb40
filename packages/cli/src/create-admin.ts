import * as identity from "@aiw/core/identity";
import { connect } from "@aiw/platform/db";
import { loadEnv } from "@aiw/platform/env";
import { createLog } from "@aiw/platform/log";

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Makes a platform admin, the first one above all (IDN-2). The one-time password is printed once and stored nowhere; the
 * first sign-in demands an own one.
 * @throws Problem name_taken | bad_request, EnvError
 */
export async function createAdmin(source: Source, [name = "", ...words]: readonly string[]): Promise<number> {
  const env = loadEnv(source, ["AIW_DATABASE_ADMIN_URL"]);
  const db = connect({ url: env.AIW_DATABASE_ADMIN_URL, max: 1, applicationName: "aiw-cli" });
  try {
    const log = createLog({ level: env.AIW_LOG_LEVEL });
    const ctx = { actor: { kind: "system" as const }, db, log, requestId: "create-admin" };
    const displayName = words.length === 0 ? name : words.join(" ");
    const made = await identity.createUser(ctx, { name, displayName, isPlatformAdmin: true });
    process.stdout.write(`${name} is a platform admin.\nOne-time password (shown only now): ${made.oneTimePassword}\n`);
    return 0;
  } finally {
    await db.close();
  }
}
