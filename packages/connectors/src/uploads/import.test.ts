import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { runImport } from "./import-job.ts";
import { createImporter } from "./importer.ts";
import type { ImportAnswer, ImportOrder } from "./order.ts";
import { readRecords } from "./records.ts";

const directory = mkdtempSync(join(tmpdir(), "aiw-import-test-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

const load = async (
  bytes: string | Uint8Array,
  changed: Partial<ImportOrder> = {},
): Promise<{ answer: ImportAnswer; rows: () => Promise<unknown[][]> }> => {
  count += 1;
  const [input, output] = [join(directory, `${count}.in`), join(directory, `${count}.duckdb`)];
  writeFileSync(input, bytes);
  const order: ImportOrder = {
    kind: "import",
    format: "csv",
    input,
    output,
    tab: false,
    memoryBytes: 256_000_000,
    maxRows: 1_000_000,
    maxTableBytes: 100_000_000,
    ...changed,
  };
  const answer = await runImport(order);
  return {
    answer,
    rows: async () => {
      const instance = await DuckDBInstance.create(output, { access_mode: "READ_ONLY" });
      const connection = await instance.connect();
      const read = await connection.runAndReadAll("select * from data");
      return read.getRowsJson();
    },
  };
};

const typesOf = (answer: ImportAnswer): Record<string, string> =>
  answer.kind === "imported"
    ? Object.fromEntries(answer.columns.map(({ name, type }) => [name, type]))
    : { fault: answer.fault.code };

test("UPL-1: a German file: semicolons, decimal commas, thousands, dotted dates, Windows-1252, quoted line breaks", async () => {
  const text =
    'Kunde;Betrag (€);Datum;Notiz\r\nMüller;1.234,50;01.02.2026;"zwei\r\nZeilen"\r\n"Schmidt; Söhne";7,00;28.02.2024;"sagt ""ja"""\r\n';
  const { answer, rows } = await load(Buffer.from(text.replaceAll("€", "\u0080"), "latin1"));
  expect(typesOf(answer)).toEqual({ Kunde: "VARCHAR", "Betrag (€)": "DECIMAL(18,2)", Datum: "DATE", Notiz: "VARCHAR" });
  expect(answer).toMatchObject({ dialect: { encoding: "windows-1252", delimiter: ";", header: true }, rows: 2 });
  expect(await rows()).toEqual([
    ["Müller", "1234.50", "2026-02-01", "zwei\r\nZeilen"],
    ["Schmidt; Söhne", "7.00", "2024-02-28", 'sagt "ja"'],
  ]);
});

test("UPL-1: delimiters, marks and headers are found", async () => {
  expect(typesOf((await load("a\tb\n1\tx\n")).answer)).toEqual({ a: "BIGINT", b: "VARCHAR" });
  expect(typesOf((await load("sep=|\na|b\n1|2.5\n")).answer)).toEqual({ a: "BIGINT", b: "DECIMAL(18,1)" });
  expect(typesOf((await load("1,5;2,5\n3,5;4,5\n")).answer)).toEqual({
    column_1: "DECIMAL(18,1)",
    column_2: "DECIMAL(18,1)",
  });
  expect(typesOf((await load("\ufeffa,,A,a\n1,2,3,4\n")).answer)).toEqual({
    a: "BIGINT",
    column_2: "BIGINT",
    A_2: "BIGINT",
    a_3: "BIGINT",
  });
  const wide = await load(Buffer.from("\ufeffName;Wert\nÄ;1\n", "utf16le"));
  expect(wide.answer).toMatchObject({ dialect: { encoding: "utf-16le", delimiter: ";" } });
  expect(typesOf((await load("only\none\ncolumn\n")).answer)).toEqual({ only: "VARCHAR" });
});

/** M16, N61: what would lose or change its meaning as a number or a day stays text. */
const KEPT: readonly (readonly [string, string])[] = [
  ["leading zeros", "00123"],
  ["leading zeros late", "12\n".repeat(3000) + "007"],
  ["40 digits", "1234567890123456789012345678901234567890"],
  ["beyond a double", "1e400"],
  ["below a double", "1e-400"],
  ["30 February", "2026-02-30"],
  ["two-digit year", "01.02.26"],
  ["day or month first", "01/02/2026"],
  ["a formula", "=1+1"],
  ["not a number", "NaN"],
  ["a total line", "1\n2\nTotal"],
  ["a currency", "12.50 EUR"],
  ["both styles", "1,5\n1.5"],
  ["1.234 without a hint", "1.234"],
];

test.each(KEPT)("N61 M16: %s stays text, byte for byte", async (_name, values) => {
  const lines = values.split("\n");
  const { answer, rows } = await load(`head;other\n${lines.map((line) => `${line};x`).join("\n")}\n`);
  expect(typesOf(answer)["head"]).toBe("VARCHAR");
  expect((await rows()).map(([value]) => value)).toEqual(lines);
});

test("M16: what kept a column from being numbers is told with its line", async () => {
  const { answer } = await load("n,m\n1,2\n2,3\nTotal,5\n");
  expect(answer).toMatchObject({
    columns: [
      { type: "VARCHAR", note: { why: "mixed", line: 4, value: "Total" } },
      { type: "BIGINT", note: null },
    ],
  });
});

test("N61: numbers keep every digit; empty is nothing, an empty text in quotes is a text", async () => {
  const { answer, rows } = await load('a,b,c,d\n9007199254740993,0.10,"",2026-12-01T10:00:00Z\n-5,,,\n');
  expect(typesOf(answer)).toEqual({ a: "BIGINT", b: "DECIMAL(18,2)", c: "VARCHAR", d: "TIMESTAMP WITH TIME ZONE" });
  expect(await rows()).toEqual([
    ["9007199254740993", "0.10", "", "2026-12-01 10:00:00+00"],
    ["-5", null, null, null],
  ]);
});

const BAD: readonly (readonly [string, string | Uint8Array, object])[] = [
  ["an empty file", "", { code: "upload_empty" }],
  ["only line ends", "\n\r\n\n", { code: "upload_empty" }],
  ["an unclosed quote", 'a,b\n1,"x\n2,y\n', { code: "upload_unclosed_quote", line: 2, column: 2 }],
  ["text behind a quote", 'a,b\n1,"x"y\n', { code: "upload_stray_quote", line: 2, column: 2 }],
  [
    "a short record",
    "a,b,c\n1,2,3\n1,2\n4,5,6\n7,8,9\n",
    { code: "upload_columns_differ", line: 3, column: 3, expected: 3, found: 2 },
  ],
  [
    "a long record behind a line break in quotes",
    'a,b\n"x\ny",2\n1,2,3\n',
    { code: "upload_columns_differ", line: 4, expected: 2, found: 3 },
  ],
  ["zero bytes", Buffer.from("a,b\n1,\0\n"), { code: "upload_not_text" }],
  ["a ZIP", Buffer.from("504b0304140000000800", "hex"), { code: "upload_other_type" }],
  ["gzip", Buffer.from("1f8b0800000000000003", "hex"), { code: "upload_other_type" }],
  [
    "a DuckDB file",
    Buffer.concat([Buffer.alloc(8, 1), Buffer.from("DUCK"), Buffer.alloc(50)]),
    { code: "upload_other_type" },
  ],
  ["Parquet called csv", Buffer.from("PAR1xxxxPAR1"), { code: "upload_other_type" }],
  ["2,000 columns", `${"a,".repeat(2000)}\n`, { code: "upload_too_many_columns", line: 1 }],
  ["a value without end", `a,b\n1,${"x".repeat(1_100_000)}\n`, { code: "upload_value_too_long", line: 2, column: 2 }],
];

test.each(BAD)("UPL-1 N60: %s is a clear fault with line and column", async (_name, bytes, fault) => {
  expect((await load(bytes)).answer).toEqual({ kind: "bad_file", fault: expect.objectContaining(fault) });
});

test("UPL-1: more rows than allowed are refused", async () => {
  expect((await load("a\n1\n2\n3\n", { maxRows: 2 })).answer).toMatchObject({
    kind: "bad_file",
    fault: { code: "upload_too_many_rows", line: 4 },
  });
});

const PARQUET = join(directory, "made.parquet");
test("UPL-1: Parquet keeps its types; a damaged one is told", async () => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(
    `copy (select i, i::varchar as s, [i] as l, date '2026-01-01' as d from range(1000) t(i)) to '${PARQUET}'`,
  );
  const { readFileSync } = await import("node:fs");
  const bytes = readFileSync(PARQUET);
  const { answer } = await load(bytes, { format: "parquet" });
  expect(answer).toMatchObject({ kind: "imported", rows: 1000, dialect: null });
  expect(typesOf(answer)).toEqual({ i: "BIGINT", s: "VARCHAR", l: "BIGINT[]", d: "DATE" });
  for (const cut of [4, 100, bytes.length - 5])
    expect((await load(bytes.subarray(0, cut), { format: "parquet" })).answer).toEqual({
      kind: "bad_file",
      fault: { code: "upload_parquet_damaged" },
    });
  expect((await load("a,b\n1,2\n", { format: "parquet" })).answer).toMatchObject({
    fault: { code: "upload_parquet_damaged" },
  });
});

test("N60 property: any table written as CSV is read back as it was written, whatever stands in it", () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom("", '"', '""', "\r\n", ",", ";", "a\nb", "\t"));
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(",", ";", "\t"),
      fc.constantFrom("\n", "\r\n", "\r"),
      (rows, delimiter, end) => {
        const text = rows
          .map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(delimiter))
          .join(end);
        const read: string[][] = [];
        readRecords(text, delimiter, ({ fields }) => {
          read.push([...fields]);
          return true;
        });
        expect(read).toEqual(rows);
      },
    ),
    { numRuns: 3_000 },
  );
});

test("M10, F13: a file that takes all time ends with its process; the next one is imported", async () => {
  const importer = createImporter({ importMs: 300 });
  const signal = new AbortController().signal;
  const slow = Buffer.from(`a,b\n${"123456,abcdef\n".repeat(1_500_000)}`);
  expect(await importer.run({ bytes: slow, format: "csv", name: "x.csv" }, signal)).toEqual({
    kind: "bad_file",
    fault: { code: "upload_unfolds_too_large" },
  });
  importer.close();
  const patient = createImporter();
  expect(await patient.run({ bytes: Buffer.from("a\n1\n"), format: "csv", name: "x.csv" }, signal)).toMatchObject({
    kind: "imported",
    facts: { rows: 1 },
  });
  patient.close();
}, 30_000);
