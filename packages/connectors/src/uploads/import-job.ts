import { readFile, stat } from "node:fs/promises";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { ColumnWatch, columnNames, isHeader, type ColumnPlan } from "./columns.ts";
import { findDelimiter } from "./dialect.ts";
import type { UploadColumn, UploadDialect, UploadFault } from "@aiw/contract/uploads";
import type { ImportAnswer, ImportOrder } from "./order.ts";
import { named, quoted, settings, textOf } from "./query-job.ts";
import { CsvFault, readRecords } from "./records.ts";
import { decode } from "./text.ts";
import type { NumberStyle } from "./values.ts";

/** Rows handed to the engine at once. */
const BATCH = 2_000;
/** The smallest there is: most uploads are small, and a file takes several blocks at least. */
const BLOCK_BYTES = 16_384;
const MAX_PARQUET_COLUMNS = 1_000;

const bad = (fault: UploadFault): ImportAnswer => ({ kind: "bad_file", fault });

/** Makes a DuckDB file with one table `data` from an original (UPL-1). What is wrong with the file is an answer. */
export const runImport = async (order: ImportOrder): Promise<ImportAnswer> => {
  const instance = await DuckDBInstance.create(":memory:", settings(order.memoryBytes, order.maxTableBytes));
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  await connection.run(`attach ${quoted(order.output)} as out (block_size ${BLOCK_BYTES})`);
  const answer =
    order.format === "parquet" ? await importParquet(connection, order) : await importText(connection, order);
  await connection.run("detach out");
  const { size } = await stat(order.output);
  return size > order.maxTableBytes ? bad({ code: "upload_unfolds_too_large" }) : answer;
};

const importParquet = async (connection: DuckDBConnection, order: ImportOrder): Promise<ImportAnswer> => {
  try {
    await connection.run(`create table out.data as select * from read_parquet(${quoted(order.input)})`);
  } catch {
    return bad({ code: "upload_parquet_damaged" });
  }
  const described = await connection.runAndReadAll("select column_name, column_type from (describe out.data)");
  const found = described.getRowsJS().map(([name, type]) => ({ name: textOf(name), type: textOf(type) }));
  if (found.length > MAX_PARQUET_COLUMNS) return bad({ code: "upload_too_many_columns" });
  const rows = await countRows(connection);
  if (rows > order.maxRows) return bad({ code: "upload_too_many_rows" });
  const columns: UploadColumn[] = [];
  for (const { name, type } of found) {
    const column = named(name);
    const facts = await connection.runAndReadAll(
      `select count(*) - count(${column}), (select list(x) from (select left(${column}::varchar, 60) as x from out.data where ${column} is not null limit 3)) from out.data`,
    );
    const [nulls, examples] = facts.getRowsJson()[0] ?? [];
    columns.push({
      name,
      type,
      nulls: Number(nulls),
      examples: Array.isArray(examples) ? examples.map(String) : [],
      note: null,
    });
  }
  return { kind: "imported", rows, columns, dialect: null };
};

const importText = async (connection: DuckDBConnection, order: ImportOrder): Promise<ImportAnswer> => {
  const decoded = decode(await readFile(order.input));
  if (!decoded.ok) return bad(decoded.fault);
  const { delimiter, from } = findDelimiter(decoded.text, order.tab);
  const text = from === 0 ? decoded.text : decoded.text.slice(from);
  const skipped = from === 0 ? 0 : 1;
  try {
    const looked = look(text, delimiter, skipped, order.maxRows);
    const dialect: UploadDialect = { encoding: decoded.encoding, delimiter, header: looked.header };
    await fill(connection, text, delimiter, looked.plans, looked.header);
    return { kind: "imported", rows: looked.rows, columns: looked.plans.map((plan) => plan.column), dialect };
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    const { line, ...rest } = error.fault;
    return bad({ ...rest, ...(line === undefined ? {} : { line: line + skipped }) });
  }
};

interface Looked {
  readonly header: boolean;
  readonly rows: number;
  readonly plans: readonly ColumnPlan[];
}

/** First reading: every record has the columns of the first, every column the type that all of its values have. */
const look = (text: string, delimiter: string, skippedLines: number, maxRows: number): Looked => {
  let header = false;
  let rows = 0;
  let watches: readonly ColumnWatch[] | null = null;
  readRecords(text, delimiter, ({ fields, quoted: marks, line }) => {
    if (watches === null) {
      header = isHeader(fields);
      watches = columnNames(fields, header).map((name) => new ColumnWatch(name));
      if (header) return true;
    }
    if (fields.length !== watches.length) {
      const [expected, found] = [watches.length, fields.length];
      throw new CsvFault({
        code: "upload_columns_differ",
        line,
        column: Math.min(expected, found) + 1,
        expected,
        found,
      });
    }
    rows += 1;
    if (rows > maxRows) throw new CsvFault({ code: "upload_too_many_rows", line });
    for (const [n, watch] of watches.entries()) watch.add(fields[n] ?? "", marks[n] ?? false, line + skippedLines);
    return true;
  });
  const found: readonly ColumnWatch[] = watches ?? [];
  if (found.length === 0) throw new CsvFault({ code: "upload_empty" });
  const style = styleOf(found, delimiter);
  return { header, rows, plans: found.map((watch) => watch.plan(style)) };
};

/** How this file writes numbers, where a column alone does not tell. Commas that separate fields are no decimal commas. */
const styleOf = (watches: readonly ColumnWatch[], delimiter: string): NumberStyle | null => {
  const styles = new Set(watches.flatMap((watch) => watch.style ?? []));
  if (styles.size === 1) return [...styles][0] ?? null;
  return styles.size === 0 && delimiter === "," ? "point" : null;
};

/** Second reading: the values as text into the engine, there cast to the types all of them have. */
const fill = async (
  connection: DuckDBConnection,
  text: string,
  delimiter: string,
  plans: readonly ColumnPlan[],
  header: boolean,
): Promise<void> => {
  await connection.run(`create table staged (${plans.map((_, n) => `c${n} varchar`).join(", ")})`);
  const appender = await connection.createAppender("staged");
  let first = true;
  let waiting = 0;
  readRecords(text, delimiter, ({ fields, quoted: marks }) => {
    if (first && header) {
      first = false;
      return true;
    }
    first = false;
    for (const [n, plan] of plans.entries()) {
      const value = plan.convert(fields[n] ?? "", marks[n] ?? false);
      if (value === null) appender.appendNull();
      else appender.appendVarchar(value);
    }
    appender.endRow();
    waiting += 1;
    if (waiting % BATCH === 0) appender.flushSync();
    return true;
  });
  appender.closeSync();
  const cast = plans.map(({ type, column }, n) => `cast(c${n} as ${type}) as ${named(column.name)}`).join(", ");
  await connection.run(`create table out.data as select ${cast} from staged`);
};

const countRows = async (connection: DuckDBConnection): Promise<number> => {
  const counted = await connection.runAndReadAll("select count(*) from out.data");
  return Number(counted.getRowsJS()[0]?.[0] ?? 0);
};
