import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, sqlState } from "@aiw/platform/db";
import type { Database } from "@aiw/platform/db";
import { migrate, migrationStatus, NewerDatabaseError, provisionRoles, roleUrl } from "@aiw/platform/migrate";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";

let admin: Database;
let adminUrl: string;
let name: string;
let folder: string;

/** An empty database: here the migrations themselves are under test. */
beforeEach(async () => {
  const root = inject("postgres").adminUrl;
  name = `migrate_${randomBytes(6).toString("hex")}`;
  admin = connect({ url: root, max: 1, applicationName: "test" });
  await admin.sql`create database ${admin.sql(name)}`;
  const url = new URL(root);
  url.pathname = `/${name}`;
  adminUrl = url.href;
  folder = await mkdtemp(join(tmpdir(), "aiw-migrations-"));
});
afterEach(async () => {
  await admin.sql`drop database ${admin.sql(name)} with (force)`;
  await admin.close();
  await rm(folder, { recursive: true });
});

async function write(migrations: readonly (readonly [tag: string, when: number, text: string])[]): Promise<void> {
  await mkdir(join(folder, "meta"), { recursive: true });
  for (const [tag, , text] of migrations) await writeFile(join(folder, `${tag}.sql`), text);
  const entries = migrations.map(([tag, when], idx) => ({ idx, version: "7", when, tag, breakpoints: true }));
  await writeFile(join(folder, "meta/_journal.json"), JSON.stringify({ version: "7", dialect: "postgresql", entries }));
}

const first = [
  "0000_add_one",
  1_000,
  "create table one (n int); --> statement-breakpoint\ninsert into one values (1);",
] as const;
const second = ["0001_add_two", 2_000, "insert into one values (2);"] as const;

async function rows(): Promise<number> {
  const db = connect({ url: adminUrl, max: 1, applicationName: "test" });
  const [row] = await db.sql<{ n: number }[]>`select count(*) as n from one`;
  await db.close();
  return row?.n ?? -1;
}

describe("OPS-8 migrations", () => {
  test("OPS-8 only what is missing is applied, and doing it again does nothing", async () => {
    await write([first]);
    expect(await migrate({ adminUrl, migrationsFolder: folder })).toEqual(["0000_add_one"]);
    await write([first, second]);
    expect(await migrationStatus(adminUrl, folder)).toEqual({
      known: ["0000_add_one", "0001_add_two"],
      pending: ["0001_add_two"],
      databaseIsNewer: false,
    });
    expect(await migrate({ adminUrl, migrationsFolder: folder })).toEqual(["0001_add_two"]);
    expect(await migrate({ adminUrl, migrationsFolder: folder })).toEqual([]);
    expect(await rows()).toBe(2);
  });

  test("OPS-8 migrators that start at the same moment apply everything once", async () => {
    await write([first, second]);
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate({ adminUrl, migrationsFolder: folder })));
    expect(applied.flat()).toEqual(["0000_add_one", "0001_add_two"]);
    expect(await rows()).toBe(2);
  });

  test("OPS-8 an older product refuses the database of a newer one with a sentence", async () => {
    await write([first, second]);
    await migrate({ adminUrl, migrationsFolder: folder });
    await write([first]);
    expect((await migrationStatus(adminUrl, folder)).databaseIsNewer).toBe(true);
    const error: unknown = await migrate({ adminUrl, migrationsFolder: folder }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NewerDatabaseError);
    expect(String(error)).toContain("newer version of the product");
  });

  test("OPS-8 a migration that fails leaves nothing behind and can be tried again", async () => {
    await write([first, ["0001_bad", 2_000, "insert into one values (2); --> statement-breakpoint\nselect 1/0;"]]);
    await expect(migrate({ adminUrl, migrationsFolder: folder })).rejects.toThrow();
    expect((await migrationStatus(adminUrl, folder)).pending).toHaveLength(2);
    await write([first, second]);
    await migrate({ adminUrl, migrationsFolder: folder });
    expect(await rows()).toBe(2);
  });

  test("OPS-8 the product's own migrations lead from nothing to the present version", async () => {
    const status = await migrationStatus(adminUrl);
    expect(await migrate({ adminUrl })).toEqual(status.known);
    expect((await migrationStatus(adminUrl)).pending).toEqual([]);
  });
});

describe("SEC-2 roles", () => {
  test("SEC-2 the product's roles log in with their passwords only and are neither superuser nor owner", async () => {
    const { passwords } = inject("postgres");
    await migrate({ adminUrl });
    // At the same moment, as two databases of one server may do it.
    await Promise.all([1, 2, 3].map(() => provisionRoles(adminUrl, passwords)));
    for (const [role, password] of [
      ["aiw_api", passwords.api],
      ["aiw_step", passwords.step],
      ["aiw_retention", passwords.retention],
    ] as const) {
      const db = connect({ url: roleUrl(adminUrl, role, password), max: 1, applicationName: "test" });
      expect(
        await db.sql`select current_user as me, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = current_user`,
      ).toMatchObject([{ me: role, rolsuper: false, rolbypassrls: false, rolcreaterole: false }]);
      expect(await db.sql`select 1 from pg_tables where tableowner = current_user`).toHaveLength(0);
      await db.close();
      const wrong = connect({ url: roleUrl(adminUrl, role, `${password}x`), max: 1, applicationName: "test" });
      const [stored] = await admin.sql<{ p: string }[]>`select rolpassword as p from pg_authid where rolname = ${role}`;
      expect(stored?.p).toMatch(/^SCRAM-SHA-256\$4096:/);
      const [method] = await admin.sql<
        { m: string }[]
      >`select string_agg(distinct auth_method, ',') as m from pg_hba_file_rules where type like 'host%'`;
      if (method?.m !== "trust") expect(sqlState(await wrong.sql`select 1`.catch((e: unknown) => e))).toBe("28P01");
      await wrong.close();
    }
  });
});
