import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { createSandbox } from "@aiw/platform/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CallContext, ToolResult } from "../connector/index.ts";
import { LocalFiles } from "./files.ts";
import { createImporter } from "./importer.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { PROGRAM } from "./program.ts";
import { escapes } from "./escapes.ts";
import { settings, textOf } from "./query-job.ts";
import { checkQuery } from "./sql-gate.ts";
import { describeTable, runQuery, type QueryEdges } from "./query.ts";

const directory = mkdtempSync(join(tmpdir(), "aiw-query-test-"));
const secret = join(directory, "secret.csv");
const stored = new Map<string, Uint8Array>();
const bucket = { get: async (key: string) => stored.get(key) ?? null, list: async () => [] };
const limits = { ...DEFAULT_LIMITS, queryMs: 2_000, maxRows: 50 };
const edges: QueryEdges = {
  limits,
  files: new LocalFiles(join(directory, "files"), bucket, 10_000_000),
  sandbox: createSandbox({ program: PROGRAM, directory, maxBytes: limits.queryMaxBytes }),
};
const own = [
  { name: "sales", key: "uploads/a/1.duckdb", rows: 3, columns: 3, bytes: 1, file: "sales.csv" },
  { name: "Zwei Worte", key: "uploads/a/2.duckdb", rows: 1, columns: 1, bytes: 1, file: "b.csv" },
];
const context = (tables: readonly object[] = own): CallContext => ({
  userId: "u",
  workspaceId: "w",
  teamId: "t",
  runId: "r",
  source: { id: "s", name: "Uploads", kind: "uploads", config: { tables: tables as never }, secret: null },
  pin: null,
  signal: new AbortController().signal,
  timeoutMs: 60_000,
  maxResultBytes: 65_536,
});
const ask = (sql: string): Promise<ToolResult> => runQuery(sql, context(), edges);

beforeAll(async () => {
  writeFileSync(secret, "canary\nCANARY-7\n");
  const importer = createImporter();
  const make = async (key: string, text: string): Promise<void> => {
    const made = await importer.run({ bytes: Buffer.from(text), format: "csv", name: "x.csv" }, context().signal);
    if (made.kind !== "imported") throw new Error(made.fault.code);
    stored.set(key, made.file);
  };
  await make(
    "uploads/a/1.duckdb",
    "region;amount;day\nNorth;1.234,50;01.02.2026\nSouth;10,00;28.02.2026\n=1+1;0,25;03.03.2026\n",
  );
  await make("uploads/a/2.duckdb", "x\n9007199254740993\n");
  await make("uploads/other/9.duckdb", "canary\nCANARY-7\n");
  importer.close();
}, 30_000);

afterAll(() => {
  edges.sandbox.close();
  rmSync(directory, { recursive: true, force: true });
});

test("UPL-2: a query answers columns with types and rows; numbers keep every digit, a formula stays text", async () => {
  const answer = await ask("select region, amount, day from sales order by amount desc");
  expect(answer.text.split("\n")).toEqual([
    '{"columns":[{"name":"region","type":"VARCHAR"},{"name":"amount","type":"DECIMAL(18,2)"},{"name":"day","type":"DATE"}]}',
    '["North",1234.50,"2026-02-01"]',
    '["South",10.00,"2026-02-28"]',
    '["=1+1",0.25,"2026-03-03"]',
    "3 rows.",
  ]);
  expect((await ask('select x from "zwei worte"')).text).toContain('["9007199254740993"]');
  expect(
    (await ask('with s as (select * from SALES) select count(*) as n from s join "Zwei Worte" on true')).text,
  ).toContain("[3]");
  for (const good of [
    "from sales",
    "values (1)",
    "select * from range(3)",
    "(select 1) union all (select 2)",
    "select unnest([1,2])",
    "select * from (select region, amount from sales) pivot (sum(amount) for region in ('North', 'South'))",
    "with recursive q(n) as (select 1 union all select n + 1 from q where n < 5) select max(n) from q",
  ])
    expect(await ask(good), good).toMatchObject({ ok: true });
});

test("UPL-2: describe_table shows types and rows", async () => {
  const [sales] = own;
  if (sales === undefined) throw new Error("no table");
  const { text } = await describeTable(sales, context(), edges);
  expect(text).toContain('"amount" DECIMAL(18,2)');
  expect(text).toContain('["North",1234.50,"2026-02-01"]');
});

test("SRC-4: rows, values and columns are bounded, and the answer says how to get the rest", async () => {
  const many = await ask("select i from range(100000) t(i)");
  expect(many.truncated).toBe(true);
  expect(many.text.split("\n")).toHaveLength(1 + limits.maxRows + 1);
  expect(many.text).toContain("[Cut: 50 rows shown");
  expect((await ask("select repeat('x', 100000) as long")).text).toContain("[98000 more characters]");
  const wide = await ask(`select ${Array.from({ length: 300 }, (_, n) => `${n} as c${n}`).join(", ")}`);
  expect(wide.text).toContain("further columns are left out");
  expect((await ask("select 'inf'::double as a, 'nan'::double as b, null as c")).text).toContain(
    '["Infinity","NaN",null]',
  );
});

/** A parameter is refused when it is prepared, behind the gate. */
const CAUGHT_LATER = new Set(["select * from sales where region = $1"]);

test("UPL-2, N57, N58: the gate refuses every way out: files, network, settings, other tables, several or writing statements", async () => {
  const instance = await DuckDBInstance.create(":memory:", settings(64_000_000));
  const connection = await instance.connect();
  const through: string[] = [];
  for (const sql of escapes(directory)) {
    const parsed = await connection.runAndReadAll("select json_serialize_sql($1::varchar)", [sql]);
    const gate = checkQuery(
      textOf(parsed.getRowsJS()[0]?.[0]),
      own.map(({ name }) => name),
    );
    if (gate.ok) through.push(sql);
  }
  expect(through.filter((sql) => !CAUGHT_LATER.has(sql))).toEqual([]);
  connection.closeSync();
});

test("UPL-2, N57: nothing outside is read, written or named in the process of a query", async () => {
  const before = readdirSync(directory).sort();
  const tried = escapes(directory).filter((sql, n) => n < 3 || n % 30 === 0 || CAUGHT_LATER.has(sql));
  for (const sql of tried) {
    const answer = await ask(sql);
    expect(answer.ok, `${sql} -> ${answer.text}`).toBe(false);
    expect(answer.text.replaceAll(sql, "")).not.toMatch(/CANARY|\/tmp\/|\/etc\/|aiw-query-test/);
  }
  expect(readdirSync(directory).sort()).toEqual(before);
  expect((await ask("select count(*) as n from sales")).text).toContain("[3]");
}, 60_000);

test("M9, N59: calls that no interrupt ends are killed with their process within the limit and a second; the next query works", async () => {
  const heavy = [
    "select levenshtein(repeat('a', 100000), repeat('b', 100000))",
    "select length(repeat(repeat('x', 1000000), 1500))",
  ];
  const resident = process.memoryUsage().rss;
  for (const sql of heavy) {
    const began = performance.now();
    const answer = await ask(sql);
    expect(answer.ok, sql).toBe(false);
    expect(performance.now() - began, sql).toBeLessThan(limits.queryMs + 2_500);
  }
  expect(process.memoryUsage().rss - resident).toBeLessThan(100_000_000);
  expect((await ask("select 1 as one")).text).toContain("[1]");
}, 60_000);

test("a table whose file is gone is told; the others still answer", async () => {
  const gone = { name: "gone", key: "uploads/a/3.duckdb", rows: 1, columns: 1, bytes: 1, file: "c.csv" };
  const answer = await runQuery("select * from gone", context([...own, gone]), edges);
  expect(answer).toMatchObject({ ok: false, text: "The table gone was deleted." });
});
