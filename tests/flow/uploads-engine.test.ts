import { createImporter, createUploadsConnector, UPLOAD_TOOLS, type UploadsConnector } from "@aiw/connectors/uploads";
import type { EngineDeps } from "@aiw/engine/deps";
import * as tools from "@aiw/core/tools";
import * as workspaces from "@aiw/core/workspaces";
import { afterAll, beforeAll, expect, test } from "vitest";
import { topic } from "../kit/runs.ts";
import { startWorld, type RunRow, type World } from "../kit/world.ts";

let world: World;
let uploads: UploadsConnector;
let deps: EngineDeps;
const stored = new Map<string, Uint8Array>();

/** A table of a workspace, as an import leaves it. */
const addTable = async (workspaceId: string, name: string, csv: string): Promise<void> => {
  const importer = createImporter();
  const made = await importer.run(
    { bytes: Buffer.from(csv), format: "csv", name: `${name}.csv` },
    new AbortController().signal,
  );
  importer.close();
  if (made.kind !== "imported") throw new Error(made.fault.code);
  const { userId } = world.people.owner;
  const { sql } = world.admin;
  await sql`insert into sources (workspace_id, kind, name, config, status, confirmed_by, created_by)
    values (${workspaceId}, 'uploads', 'Files', '{}', 'tested', ${userId}, ${userId}) on conflict do nothing`;
  const [row] = await sql<{ id: string }[]>`
    insert into uploads (workspace_id, source_id, name, table_name, format, status, size_bytes, object_key, stored_bytes, row_count,
                         columns, created_by, expires_at)
      select ${workspaceId}, id, ${`${name}.csv`}, ${name}, 'csv', 'ready', 10, ${`uploads/${workspaceId}/${name}.duckdb`}, ${made.file.length},
             ${made.facts.rows}, ${sql.json(JSON.parse(JSON.stringify(made.facts.columns)))}, ${userId}, now()
        from sources where workspace_id = ${workspaceId} and kind = 'uploads' returning id`;
  if (row === undefined) throw new Error("no row");
  stored.set(`uploads/${workspaceId}/${name}.duckdb`, made.file);
};

beforeAll(async () => {
  world = await startWorld();
  uploads = createUploadsConnector({
    bucket: { get: async (key) => stored.get(key) ?? null, list: async () => [] },
    limits: { queryMs: 1_500 },
  });
  deps = { ...world.deps, connectors: new Map([...world.deps.connectors, [uploads.kind, uploads]]) };
  const operator = { actor: { kind: "system" }, db: world.admin, log: world.deps.log, requestId: "test" } as const;
  await tools.register(
    operator,
    UPLOAD_TOOLS.map((definition) => ({ definition, sourceKind: "uploads", kind: "native", defaultActive: true })),
  );
  await tools.acceptSuggestions(operator, world.people.admin.userId);
  await addTable(world.workspaceId, "sales", "region;amount\nNorth;1.234,50\nSouth;10,00\n");
  const other = await workspaces.create(
    world.as("owner"),
    { name: "Elsewhere", description: "", teamId: world.teamId },
    { approvalTtlS: 86_400, maxToolRounds: 24 },
  );
  await addTable(other.id, "payroll", "name,salary\nCANARY,1\n");
});
afterAll(async () => {
  uploads.close();
  await world.stop();
});

const drive = async (runId: string): Promise<RunRow> => {
  for (let n = 0; n < 20 && (await world.stepOnce(runId, deps)).did !== "nothing"; n += 1);
  return world.row(runId);
};
const results = async (runId: string): Promise<{ tool_id: string; status: string; result: string }[]> =>
  world.admin.sql`select tool_id, status, result from tool_calls where run_id = ${runId} order by step, position`;
const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });

test("UPL-2 the agent lists, describes and queries uploaded tables; the prompt names them, the answer is data", async () => {
  const t = topic();
  world.script.push(
    t,
    { calls: [call("list_tables", {}), call("describe_table", { table: "Sales" })] },
    { calls: [call("query", { sql: "select region, amount * 2 as double from sales order by region" })] },
    { text: "done" },
  );
  const { runId } = await world.ask(t);
  expect(await drive(runId)).toMatchObject({ status: "completed" });
  const [listed, described, queried] = await results(runId);
  expect(listed).toMatchObject({ tool_id: "uploads.list_tables", status: "executed" });
  expect(listed?.result).toContain("sales: 2 rows, 2 columns");
  expect(described?.result).toContain('"amount" DECIMAL(18,2)');
  expect(queried?.result.split("\n").slice(1)).toEqual(['["North",2469.00]', '["South",20.00]', "2 rows."]);
  const seen = JSON.stringify(world.script.requests.at(-1));
  expect(seen).toContain("sales: 2 rows, 2 columns");
  expect(seen).toContain("<<<untrusted tool=");
});

test("N58 N47 tables of another workspace are not there, by name, key or path; a query writes nothing", async () => {
  const t = topic();
  world.script.push(
    t,
    {
      calls: [
        "select * from payroll",
        "select * from read_text('uploads/*')",
        "create table x as select 1",
        "delete from sales",
      ].map((sql) => call("query", { sql })),
    },
    { text: "done" },
  );
  const { runId } = await world.ask(t);
  expect(await drive(runId)).toMatchObject({ status: "completed" });
  const found = await results(runId);
  expect(found.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed"]);
  expect(JSON.stringify(found)).not.toContain("CANARY");
  expect(JSON.stringify(found[0])).toContain("There is no table payroll. Tables: sales.");
});

test("F13 M9 a query that takes all time is an error of the tool; its run and another go on", async () => {
  const [slow, quick] = [topic(), topic()];
  const heavy = "select levenshtein(repeat('a', 100000), repeat('b', 100000))";
  world.script.push(slow, { calls: [call("query", { sql: heavy })] }, { text: "it was too much" });
  world.script.push(quick, { calls: [call("query", { sql: "select count(*) from sales" })] }, { text: "two" });
  const [one, two] = [await world.ask(slow), await world.ask(quick)];
  const ended = await Promise.all([drive(one.runId), drive(two.runId)]);
  expect(ended.map(({ status }) => status)).toEqual(["completed", "completed"]);
  expect((await results(one.runId))[0]).toMatchObject({ status: "failed" });
  expect((await results(two.runId))[0]?.result).toContain("[2]");
});
