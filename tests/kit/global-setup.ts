import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@aiw/infra/local/postgres";
import { migrate, provisionRoles } from "@aiw/platform/migrate";
import postgres from "postgres";
import type { TestProject } from "vitest/node";

const TEMPLATE = "aiw_template";

export interface RolePasswords {
  readonly api: string;
  readonly step: string;
  readonly retention: string;
}

/** What a test needs to clone the migrated template; see `createDatabase` in postgres.ts. */
export interface TestPostgres {
  readonly adminUrl: string;
  readonly template: string;
  readonly passwords: RolePasswords;
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: TestPostgres;
  }
}

interface Running {
  readonly provided: TestPostgres;
  readonly end: () => Promise<void>;
}

/** Vitest calls the set-up once per project, each with its own copy of this module: one server serves them all. */
const shared: { running?: Promise<Running>; users: number } = sharedState();

function sharedState(): { running?: Promise<Running>; users: number } {
  const key = Symbol.for("aiw.tests.postgres");
  const found: unknown = Reflect.get(globalThis, key);
  if (found !== undefined) return found as { running?: Promise<Running>; users: number };
  const fresh = { users: 0 };
  Reflect.set(globalThis, key, fresh);
  return fresh;
}

export async function setup(project: TestProject): Promise<void> {
  shared.users += 1;
  const { provided } = await (shared.running ??= start());
  project.provide("postgres", provided);
}

export async function teardown(): Promise<void> {
  shared.users -= 1;
  if (shared.users > 0 || shared.running === undefined) return;
  const running = await shared.running;
  delete shared.running;
  await running.end();
}

async function start(): Promise<Running> {
  const home = await mkdtemp(join(tmpdir(), "aiw-tests-"));
  await chmod(home, 0o711);
  const server = await startPostgres({ dataDir: join(home, "data"), durable: false });
  const end = async (): Promise<void> => {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  };
  try {
    const passwords = { api: secret(), step: secret(), retention: secret() };
    await prepareTemplate(server.adminUrl, server.url(TEMPLATE), passwords);
    return { provided: { adminUrl: server.adminUrl, template: TEMPLATE, passwords }, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function prepareTemplate(adminUrl: string, templateUrl: string, passwords: RolePasswords): Promise<void> {
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    await admin`create database ${admin(TEMPLATE)}`;
    await migrate({ adminUrl: templateUrl });
    await provisionRoles(templateUrl, passwords);
    // A template somebody is connected to cannot be cloned.
    await admin.unsafe(`alter database ${TEMPLATE} with is_template true allow_connections false`);
  } finally {
    await admin.end();
  }
}

function secret(): string {
  return randomBytes(18).toString("base64url");
}
