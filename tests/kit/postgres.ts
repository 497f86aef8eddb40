import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";

export interface TestDatabase {
  /** Superuser: sees everything, row-level security does not hold for it. */
  readonly adminUrl: string;
  /** The roles of the product, as deployed: no superuser, row-level security in force. */
  readonly apiUrl: string;
  readonly stepUrl: string;
  readonly retentionUrl: string;
  drop(): Promise<void>;
}

/** A fresh, migrated database of its own on the shared server of the test run; takes well under a second. */
export async function createDatabase(): Promise<TestDatabase> {
  const { adminUrl, template, passwords } = inject("postgres");
  const name = `test_${randomBytes(8).toString("hex")}`;
  await asAdmin(adminUrl, `create database ${name} template ${template} strategy file_copy`);
  return {
    adminUrl: urlFor(adminUrl, name),
    apiUrl: urlFor(adminUrl, name, "aiw_api", passwords.api),
    stepUrl: urlFor(adminUrl, name, "aiw_step", passwords.step),
    retentionUrl: urlFor(adminUrl, name, "aiw_retention", passwords.retention),
    drop: () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`),
  };
}

async function asAdmin(adminUrl: string, statement: string): Promise<void> {
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    await admin.unsafe(statement);
  } finally {
    await admin.end();
  }
}

function urlFor(adminUrl: string, database: string, user?: string, password?: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  if (user !== undefined) url.username = user;
  if (password !== undefined) url.password = password;
  return url.href;
}
