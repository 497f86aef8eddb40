/** The answer of a query as a table (UPL-2): columns with types, rows of JSON values. */
export interface QueryResult {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly numeric: boolean }[];
  readonly rows: readonly (readonly Cell[])[];
}
export type Cell = string | number | boolean | null;

const NUMERIC = /^(TINYINT|SMALLINT|INTEGER|BIGINT|U\w*INT\w*|HUGEINT|DECIMAL|DOUBLE|FLOAT|REAL)/;

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isCell = (value: unknown): value is Cell =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** A number as it was written: parsing 1234.50 and printing it again would lose a digit. */
const cellsOf = (line: string): Cell[] | null => {
  const exact = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === "number" && context?.source !== undefined ? context.source : value;
  try {
    const read: unknown = JSON.parse(line, exact);
    return Array.isArray(read) ? read.map((value) => (isCell(value) ? value : JSON.stringify(value))) : null;
  } catch {
    return null;
  }
};

/** Reads the first line with the columns and each further one as a row; null for a text that is no such answer. */
export const readQueryResult = (text: string): QueryResult | null => {
  const [head = "", ...lines] = text.split("\n");
  const read = json(head);
  const columns = typeof read === "object" && read !== null && "columns" in read ? read.columns : undefined;
  if (!Array.isArray(columns)) return null;
  const named = columns.flatMap((column: unknown) =>
    typeof column === "object" && column !== null && "name" in column && "type" in column
      ? [{ name: String(column.name), type: String(column.type), numeric: NUMERIC.test(String(column.type)) }]
      : [],
  );
  const rows: Cell[][] = [];
  for (const line of lines) {
    const cells = line.startsWith("[") ? cellsOf(line) : null;
    if (cells !== null && cells.length === named.length) rows.push(cells);
  }
  return { columns: named, rows };
};

/** What a spreadsheet would take for a formula, also behind quotes, blanks and in full width (N63, CWE-1236). */
const FORMULA = /^[\s"']*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

const field = (value: Cell, numeric: boolean): string => {
  if (value === null) return "";
  const text = String(value);
  const safe = !numeric && (FORMULA.test(text) || /^[\t\r]/.test(text)) ? `'${text}` : text;
  return /[",;\r\n\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The table as a CSV file (RFC 4180). Texts that a spreadsheet would execute get an apostrophe; numbers stay numbers. */
export const toCsv = ({ columns, rows }: QueryResult): string =>
  [
    columns.map(({ name }) => field(name, false)).join(","),
    ...rows.map((row) => row.map((value, n) => field(value, columns[n]?.numeric ?? false)).join(",")),
  ]
    .map((line) => `${line}\r\n`)
    .join("");
