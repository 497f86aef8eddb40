import { readFile } from "node:fs/promises";
import { createHmac, hash, pbkdf2Sync, randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as runMigrations } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { z } from "zod";
import { sqlState } from "./db.ts";

export type MigrateOptions = {
  /** A role that may create roles, schemas and tables. */
  adminUrl: string;
  /** Folder with NNNN_name.sql and meta/_journal.json; default is the product's own. */
  migrationsFolder?: string;
};

export type MigrationStatus = {
  /** Names of the migrations the code brings, oldest first. */
  known: readonly string[];
  /** Those the database does not have yet. */
  pending: readonly string[];
  /** True when the database has a migration that this code does not know. */
  databaseIsNewer: boolean;
};

/** The database was migrated by a newer version of the product. */
export class NewerDatabaseError extends Error {
  override readonly name = "NewerDatabaseError";
  constructor() {
    super(
      "The database belongs to a newer version of the product. Start that version, or restore a backup made with this one.",
    );
  }
}

const ownFolder = fileURLToPath(new URL("../../../migrations", import.meta.url));

/** One key for everybody who migrates a database; session-level, so it ends with the connection. */
const LOCK_KEY = "aiw.migrate";

/**
 * Brings the database to the code's version (OPS-8): forward only, all pending migrations in one transaction, one
 * migrator at a time (others wait). Doing it again does nothing.
 * @returns the names that were applied now
 * @throws NewerDatabaseError
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const folder = options.migrationsFolder ?? ownFolder;
  // One connection, so that lock and unlock meet the same session.
  const lock = adminClient(options.adminUrl);
  // The migrator gets a client of its own: drizzle changes the client it is given.
  const worker = adminClient(options.adminUrl);
  try {
    await lock`select pg_advisory_lock(hashtextextended(${LOCK_KEY}, 0))`;
    const status = await readStatus(lock, folder);
    if (status.databaseIsNewer) throw new NewerDatabaseError();
    if (status.pending.length > 0) await runMigrations(drizzle(worker), { migrationsFolder: folder });
    return status.pending;
  } finally {
    await Promise.all([worker.end({ timeout: 5 }), lock.end({ timeout: 5 })]);
  }
}

/** Compares database and code without changing anything. */
export async function migrationStatus(adminUrl: string, migrationsFolder?: string): Promise<MigrationStatus> {
  const sql = adminClient(adminUrl);
  try {
    return await readStatus(sql, migrationsFolder ?? ownFolder);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Passwords of the three roles the product works with (SEC-2). */
export type RolePasswords = { api: string; step: string; retention: string };

const ROLES: readonly [keyof RolePasswords, string][] = [
  ["api", "aiw_api"],
  ["step", "aiw_step"],
  ["retention", "aiw_retention"],
];

/**
 * Lets the roles of the first migration log in with these passwords. Only the salted verifier travels, so no password
 * can reach a server log. Roles belong to the whole server: provisioning two databases at once is retried.
 */
export async function provisionRoles(adminUrl: string, passwords: RolePasswords): Promise<void> {
  const sql = adminClient(adminUrl);
  try {
    for (const [key, role] of ROLES) await setLogin(sql, role, scramVerifier(passwords[key]));
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The same address for another role. */
export function roleUrl(adminUrl: string, role: `aiw_${string}`, password: string): string {
  const url = new URL(adminUrl);
  url.username = role;
  url.password = encodeURIComponent(password);
  return url.href;
}

const MAX_ATTEMPTS = 20;

async function setLogin(sql: postgres.Sql, role: string, verifier: string): Promise<void> {
  // Both parts are made here and hold no quote: the role from the table above, the verifier from base64.
  const statement = `alter role ${role} with login password '${verifier}'`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await sql.unsafe(statement);
      return;
    } catch (error) {
      // "tuple concurrently updated": another session changes the same role at this moment.
      if (sqlState(error) !== "XX000" || attempt === MAX_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20 * attempt));
    }
  }
}

/** SCRAM-SHA-256 verifier as Postgres stores it (RFC 5802, 7677). */
function scramVerifier(password: string): string {
  const iterations = 4_096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize("NFKC"), salt, iterations, 32, "sha256");
  const storedKey = hash("sha256", createHmac("sha256", salted).update("Client Key").digest(), "base64");
  const serverKey = createHmac("sha256", salted).update("Server Key").digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

const journalSchema = z.object({ entries: z.array(z.object({ tag: z.string(), when: z.number() })) });

async function readStatus(sql: postgres.Sql, folder: string): Promise<MigrationStatus> {
  const journal = journalSchema.parse(JSON.parse(await readFile(`${folder}/meta/_journal.json`, "utf8")));
  const last = await lastApplied(sql);
  const newest = Math.max(...journal.entries.map((entry) => entry.when));
  return {
    known: journal.entries.map((entry) => entry.tag),
    pending: journal.entries.filter((entry) => last === undefined || entry.when > last).map((entry) => entry.tag),
    databaseIsNewer: last !== undefined && last > newest,
  };
}

/** Time stamp of the newest migration in the database, in the journal's milliseconds. */
async function lastApplied(sql: postgres.Sql): Promise<number | undefined> {
  const [table] = await sql<
    { exists: boolean }[]
  >`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  if (table?.exists !== true) return undefined;
  const [row] = await sql<{ last: string | null }[]>`select max(created_at) as last from drizzle.__drizzle_migrations`;
  return row?.last === undefined || row.last === null ? undefined : Number(row.last);
}

function adminClient(url: string): postgres.Sql {
  return postgres(url, {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 10,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: "aiw-migrate" },
  });
}
