import postgres from "postgres";
import { expect, test } from "vitest";
import { createDatabase } from "../kit/postgres.ts";

async function rows(url: string, statement: string): Promise<unknown[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end();
  }
}

test("every test gets a migrated database of its own, and roles that row-level security holds for (SEC-2)", async () => {
  const [one, other] = await Promise.all([createDatabase(), createDatabase()]);
  try {
    await rows(one.adminUrl, "create table only_here (n int)");
    expect(await rows(other.adminUrl, "select to_regclass('only_here') is null as absent")).toEqual([{ absent: true }]);
    expect(await rows(one.adminUrl, "select to_regclass('runs') is not null as migrated")).toEqual([
      { migrated: true },
    ]);

    const who = "select current_user::text as name, rolsuper, rolbypassrls from pg_roles where rolname = current_user";
    const plain = { rolsuper: false, rolbypassrls: false };
    expect(await rows(one.apiUrl, who)).toEqual([{ name: "aiw_api", ...plain }]);
    expect(await rows(one.stepUrl, who)).toEqual([{ name: "aiw_step", ...plain }]);
    expect(await rows(one.retentionUrl, who)).toEqual([{ name: "aiw_retention", ...plain }]);
  } finally {
    await Promise.all([one.drop(), other.drop()]);
  }
});
