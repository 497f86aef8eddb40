import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, sqlState, transaction, type Database } from "@aiw/platform/db";
import { setAgent } from "../kit/agents.ts";
import { decide, onlyRequest, propose, topic } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
let step: Database;
let retention: Database;
beforeAll(async () => {
  world = await startWorld();
  step = connect({ url: world.database.stepUrl, max: 1, applicationName: "test" });
  retention = connect({ url: world.database.retentionUrl, max: 1, applicationName: "test" });
  // Every table has rows to hide.
  const t = topic();
  world.script.push(t, { calls: [propose()] }, { text: "done" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  await decide(world, "approver", await onlyRequest(world, runId), "approved");
  await world.drive(runId);
  const { sql } = world.admin;
  await sql`insert into jobs (workspace_id, kind, subject_id, created_by) values (${world.workspaceId}, 'source_test', ${world.sourceId}, ${world.people.owner.userId})`;
  await sql`insert into workspace_tools (workspace_id, tool_id, active) values (${world.workspaceId}, 'git.search', true)`;
  await sql`insert into tool_policies (workspace_id, level, pattern, decision) values (${world.workspaceId}, 'workspace', 'none', 'deny')`;
  await setAgent(world, { message: "Look twice." });
  await sql`insert into api_keys (workspace_id, user_id, name, scopes, token_hash, last4, expires_at)
    values (${world.workspaceId}, ${world.people.owner.userId}, 'build', '{approvals.view}', '\\x00', 'last', now() + interval '1 day')`;
  const [source] = await sql<{ id: string }[]>`
    insert into sources (workspace_id, kind, name, config, confirmed_by, created_by)
    values (${world.workspaceId}, 'uploads', 'Uploads', '{}', ${world.people.owner.userId}, ${world.people.owner.userId}) returning id`;
  await sql`insert into uploads (workspace_id, source_id, name, table_name, format, size_bytes, created_by, expires_at)
    values (${world.workspaceId}, ${source?.id ?? ""}, 'sales.csv', 'sales', 'csv', 1, ${world.people.member.userId}, now())`;
  await sql`insert into questions (id, workspace_id, run_id, tool_call_id, text)
    select uuidv7(), workspace_id, run_id, id, 'Which one?' from tool_calls where run_id = ${runId} limit 1`;
});
afterAll(async () => {
  await Promise.all([step.close(), retention.close()]);
  await world.stop();
});

/** Every table with a workspace in its rows, read from the catalogue: a new one is tested by itself. */
const workspaceTables = async (): Promise<string[]> => {
  const rows = await world.admin.sql<{ name: string }[]>`
    select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE' order by 1`;
  return [...rows.map((r) => r.name), "workspaces"];
};

/** Rows of workspaces that a connection sees; null: it may not read the table at all. */
const visible = async (
  db: Database,
  scope: Parameters<typeof transaction>[1],
  table: string,
): Promise<number | null> => {
  const where = table === "workspaces" ? "true" : "workspace_id is not null";
  try {
    const [row] = await transaction(db, scope, (tx) =>
      tx.unsafe<{ n: number }[]>(`select count(*)::int as n from ${table} where ${where}`),
    );
    return row?.n ?? 0;
  } catch (error) {
    if (sqlState(error) === "42501") return null;
    throw error;
  }
};

const FOREIGN = "00000000-0000-7000-8000-000000000000";

describe("row-level security (SEC-2, N11)", () => {
  test("SEC-2 the roles of the product are neither superuser nor owner nor able to go around it, and it is forced on every workspace table", async () => {
    const roles = await world.admin
      .sql`select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname like 'aiw\\_%' order by 1`;
    expect(roles.map((r) => r["rolname"])).toEqual(["aiw_api", "aiw_retention", "aiw_step"]);
    for (const role of roles)
      expect(role).toMatchObject({ rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false });
    const tables = await workspaceTables();
    expect(tables.length).toBeGreaterThan(14);
    const secured = await world.admin.sql<{ name: string; owner: string }[]>`
      select c.relname as name, pg_get_userbyid(c.relowner) as owner from pg_class c where c.relname = any(${tables}) and c.relrowsecurity and c.relforcerowsecurity`;
    expect(secured.map((s) => s.name).toSorted()).toEqual(tables.toSorted());
    expect(secured.every((s) => !s.owner.startsWith("aiw_"))).toBe(true);
  });

  test("N11 the API's role sees no workspace's row without a workspace, with a foreign one, or with none of its own", async () => {
    const seen: string[] = [];
    for (const table of await workspaceTables()) {
      expect([table, await visible(world.admin, "unscoped", table)]).not.toEqual([table, 0]);
      for (const scope of [
        "unscoped" as const,
        { workspaces: [] },
        { workspaces: [FOREIGN] },
        { workspaces: [], userId: world.people.outsider.userId },
      ]) {
        const n = await visible(world.api, scope, table);
        if (n !== 0 && n !== null) seen.push(`${table}: ${n}`);
      }
    }
    expect(seen).toEqual([]);
  });

  test("N11 the API's role sees them with the workspace set, and no longer afterwards on the same connection", async () => {
    const one = connect({ url: world.database.apiUrl, max: 1, applicationName: "test" });
    for (const table of await workspaceTables()) {
      const inside = await visible(one, { workspaces: [world.workspaceId] }, table);
      expect([table, inside]).not.toEqual([table, 0]);
      await expect(transaction(one, { workspaces: [world.workspaceId] }, (tx) => tx`select 1 / 0`)).rejects.toThrow();
      expect([table, (await visible(one, "unscoped", table)) ?? 0]).toEqual([table, 0]);
    }
    await one.close();
  });

  test("SEC-2 the step's role looks for work without a workspace in runs, approvals and jobs alone, and is bound once it has one", async () => {
    const seen: string[] = [];
    for (const table of await workspaceTables()) {
      if (((await visible(step, "unscoped", table)) ?? 0) > 0) seen.push(table);
      expect([table, (await visible(step, { workspaces: [FOREIGN] }, table)) ?? 0]).toEqual([table, 0]);
    }
    expect(seen.toSorted()).toEqual(["approvals", "jobs", "runs"]);
    await expect(
      transaction(step, "unscoped", (tx) => tx`update approvals set status = 'cancelled'`),
    ).resolves.toHaveLength(0);
    await expect(
      transaction(step, { workspaces: [FOREIGN] }, (tx) => tx`update runs set title = 'x' returning id`),
    ).resolves.toHaveLength(0);
  });

  test("SEC-2 nobody writes a row into a workspace that is not set", async () => {
    const { sql } = world.admin;
    const [chat] = await sql<{ id: string }[]>`select id from chats limit 1`;
    const attempts = [
      () =>
        transaction(
          world.api,
          { workspaces: [FOREIGN] },
          (tx) =>
            tx`insert into chats (workspace_id, title, created_by) values (${world.workspaceId}, 'x', ${world.people.member.userId})`,
        ),
      () =>
        transaction(
          world.api,
          { workspaces: [FOREIGN] },
          (tx) =>
            tx`insert into audit_events (workspace_id, actor_kind, event) values (${world.workspaceId}, 'system', 'x')`,
        ),
      () =>
        transaction(
          world.api,
          { workspaces: [world.workspaceId] },
          (tx) => tx`update chats set workspace_id = ${FOREIGN} where id = ${chat?.id ?? ""}`,
        ),
    ];
    for (const attempt of attempts)
      expect(
        sqlState(
          await attempt().then(
            () => null,
            (error: unknown) => error,
          ),
        ),
      ).toBe("42501");
  });

  test("AUD-2 N83 no role of the product changes or deletes an audit row", async () => {
    for (const db of [world.api, step, retention]) {
      for (const statement of [
        "update audit_events set event = 'x'",
        "delete from audit_events",
        "truncate audit_events",
      ]) {
        const outcome = await transaction(db, { workspaces: [world.workspaceId] }, (tx) => tx.unsafe(statement)).then(
          () => "done",
          (error: unknown) => sqlState(error),
        );
        expect(outcome).toBe("42501");
      }
    }
  });

  test("SEC-2 the step's role reads no password and changes no user, tool, rule or membership", async () => {
    for (const statement of [
      "select password_hash from users",
      "select * from sessions",
      "update users set is_platform_admin = true",
      "update tools set risk_class = 'read'",
      "insert into memberships select * from memberships",
      "delete from approvals",
      "update memberships set role = 'admin'",
      "update workspaces set write_policy = 'risk_based'",
    ]) {
      const outcome = await transaction(step, { workspaces: [world.workspaceId] }, (tx) => tx.unsafe(statement)).then(
        () => "done",
        (error: unknown) => sqlState(error),
      );
      expect([statement, outcome]).toEqual([statement, "42501"]);
    }
  });
});
