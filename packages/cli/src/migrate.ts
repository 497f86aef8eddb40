import { randomBytes } from "node:crypto";
import * as models from "@aiw/core/models";
import { connect } from "@aiw/platform/db";
import { loadEnv } from "@aiw/platform/env";
import { createLog } from "@aiw/platform/log";
import { migrate, provisionRoles } from "@aiw/platform/migrate";

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Migrates (OPS-8), then lets the product's roles log in with the passwords of the addresses it is configured with
 * (SEC-2) and puts the model that it names in its place (GW-2). Doing it again changes nothing but those passwords.
 * @throws EnvError, NewerDatabaseError
 */
export async function migrateDatabase(source: Source): Promise<number> {
  const env = loadEnv(source, ["AIW_DATABASE_ADMIN_URL", "AIW_DATABASE_API_URL", "AIW_DATABASE_STEP_URL"]);
  const applied = await migrate({ adminUrl: env.AIW_DATABASE_ADMIN_URL });
  await provisionRoles(env.AIW_DATABASE_ADMIN_URL, {
    api: passwordOf(env.AIW_DATABASE_API_URL, "AIW_DATABASE_API_URL"),
    step: passwordOf(env.AIW_DATABASE_STEP_URL, "AIW_DATABASE_STEP_URL"),
    // Nothing logs in with this role yet: nobody needs to know its password.
    retention: randomBytes(24).toString("base64url"),
  });
  const db = connect({ url: env.AIW_DATABASE_ADMIN_URL, max: 1, applicationName: "aiw-cli" });
  try {
    const log = createLog({ level: env.AIW_LOG_LEVEL });
    await models.ensureConfigured({ actor: { kind: "system" }, db, log, requestId: "migrate" }, env.AIW_MODEL);
  } finally {
    await db.close();
  }
  process.stdout.write(applied.length === 0 ? "The database is up to date.\n" : `Applied: ${applied.join(", ")}\n`);
  return 0;
}

function passwordOf(address: string, variable: string): string {
  const password = decodeURIComponent(new URL(address).password);
  if (password === "") throw new Error(`${variable}: holds no password for its role`);
  return password;
}
