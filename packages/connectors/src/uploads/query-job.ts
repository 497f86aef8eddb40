import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { filesGiven, type QueryAnswer, type QueryOrder } from "./order.ts";
import { checkQuery } from "./sql-gate.ts";

/** Settings of every instance: in memory, nothing downloaded or loaded, nothing written beside it (UPL-2). */
export const settings = (memoryBytes: number, spillBytes = 0): Record<string, string> => ({
  memory_limit: `${Math.floor(memoryBytes / 1024)}KiB`,
  threads: "2",
  max_temp_directory_size: `${Math.floor(spillBytes / 1024)}KiB`,
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
  allow_persistent_secrets: "false",
});

/**
 * One query on a fresh instance (UPL-2): parsed, judged on its parsed form, only the tables it names attached read-only, then
 * no access to anything outside and no way to change that, then run. What is wrong with it is an answer for the model.
 */
export const runQuery = async (
  order: QueryOrder,
  ask: (question: object) => Promise<unknown>,
): Promise<QueryAnswer> => {
  const instance = await DuckDBInstance.create(":memory:", settings(order.memoryBytes));
  const connection = await instance.connect();
  const gate = checkQuery(await parse(connection, order.sql), order.tables);
  if (!gate.ok) return { kind: "refused", text: clean(gate.text) };
  const { files } = filesGiven.parse(await ask({ tables: gate.tables }));
  for (const [n, { table, path }] of files.entries()) {
    await connection.run(`attach ${quoted(path)} as upload_${n} (read_only)`);
    await connection.run(`create view ${named(table)} as select * from upload_${n}.main.data`);
  }
  await connection.run("set enable_external_access = false");
  await connection.run("set lock_configuration = true");
  const timer = setTimeout(() => connection.interrupt(), order.queryMs);
  try {
    return await rowsOf(connection, order);
  } catch (error) {
    return { kind: "refused", text: clean(error instanceof Error ? error.message : String(error)) };
  } finally {
    clearTimeout(timer);
  }
};

const parse = async (connection: DuckDBConnection, sql: string): Promise<string> => {
  const result = await connection.runAndReadAll("select json_serialize_sql($1::varchar)", [sql]);
  return textOf(result.getRowsJS()[0]?.[0]);
};

const rowsOf = async (connection: DuckDBConnection, order: QueryOrder): Promise<QueryAnswer> => {
  const statements = await connection.extractStatements(order.sql);
  if (statements.count !== 1) return { kind: "refused", text: "Only one statement at a time." };
  const reader = await (await statements.prepare(0)).streamAndReadUntil(order.maxRows + 1);
  const names = reader.deduplicatedColumnNames();
  const types = reader.columnTypes().map(String);
  const width = Math.min(names.length, order.maxColumns);
  const columns = names.slice(0, width).map((name, n) => ({ name: shortened(name, 200), type: types[n] ?? "" }));
  let cut: "rows" | "bytes" | "columns" | null = width < names.length ? "columns" : null;
  const lines: string[] = [];
  let room = order.maxBytes - Buffer.byteLength(JSON.stringify({ columns }));
  for (const row of reader.getRowsJson()) {
    if (lines.length >= order.maxRows) {
      cut = "rows";
      break;
    }
    const values = row.slice(0, width).map((value, n) => valueOf(value, types[n] ?? "", order.maxValueChars));
    const line = `[${values.join(",")}]`;
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) {
      cut = "bytes";
      break;
    }
    lines.push(line);
  }
  return { kind: "rows", columns, lines, cut };
};

const NUMBER_TYPE = /^(TINYINT|SMALLINT|INTEGER|BIGINT|U\w*INT\w*|HUGEINT|DECIMAL)/;
/** A number every reader of JSON gets exactly. */
const isExact = (text: string): boolean =>
  /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && text.replace(/\D/g, "").length <= 15;

/** One value as JSON text: numbers stay numbers as long as nobody loses a digit by it, everything long is cut and says so. */
const valueOf = (value: unknown, type: string, maxChars: number): string => {
  if (typeof value === "string") {
    return NUMBER_TYPE.test(type) && isExact(value) ? value : JSON.stringify(shortened(value, maxChars));
  }
  const json = JSON.stringify(value);
  return json.length <= maxChars ? json : JSON.stringify(shortened(json, maxChars));
};

const shortened = (text: string, chars: number): string =>
  text.length <= chars
    ? text.toWellFormed()
    : `${text.slice(0, chars).toWellFormed()}... [${text.length - chars} more characters]`;

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const named = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** An error without paths of this machine and without what only a terminal shows (N57). */
const clean = (text: string): string =>
  shortened(text.replaceAll(/(?:[A-Za-z]:)?(?:[/\\][\w .@~+-]+){2,}/g, "(path)"), 1_000);
