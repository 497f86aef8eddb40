import type { Sandbox } from "@aiw/platform/sandbox";
import { SandboxError } from "@aiw/platform/sandbox";
import type { CallContext, ToolResult } from "../connector/index.ts";
import type { LocalFiles } from "./files.ts";
import type { UploadsLimits } from "./limits.ts";
import { filesWanted, queryAnswer, type QueryAnswer, type QueryOrder } from "./order.ts";
import { tablesOf, type UploadTable } from "./source.ts";

export interface QueryEdges {
  readonly sandbox: Sandbox;
  readonly files: LocalFiles;
  readonly limits: UploadsLimits;
}

/** Milliseconds after which an interrupted query that does not end is killed (M9). */
const KILL_AFTER_MS = 1_000;
/** Bytes kept free for the sentence that says what was cut. */
const NOTE_BYTES = 300;

/** Runs one query of the model in a process of its own (UPL-2). A query that kills its process is an answer, too (F13). */
export const runQuery = async (sql: string, context: CallContext, edges: QueryEdges): Promise<ToolResult> => {
  const answer = await ask(sql, context, edges);
  if (answer.kind === "refused") return { ok: false, text: answer.text, truncated: false };
  const { columns, lines, cut } = answer;
  const text = [JSON.stringify({ columns }), ...lines, noteOf(lines.length, cut)].join("\n");
  return { ok: true, text, truncated: cut !== null };
};

/** The columns of a table and its first rows. */
export const describeTable = async (
  table: UploadTable,
  context: CallContext,
  edges: QueryEdges,
): Promise<ToolResult> => {
  const name = `"${table.name}"`;
  const shape = await ask(`select * from ${name} limit 3`, context, edges);
  if (shape.kind === "refused") return { ok: false, text: shape.text, truncated: false };
  const columns = shape.columns.map((column) => `${JSON.stringify(column.name)} ${column.type}`);
  const head = `Table ${table.name}, made from ${JSON.stringify(table.file)}: ${table.rows} rows, ${table.columns} columns.`;
  return {
    ok: true,
    text: [head, ...columns, "First rows:", ...shape.lines].join("\n"),
    truncated: shape.cut === "columns" || shape.cut === "bytes",
  };
};

const noteOf = (rows: number, cut: "rows" | "bytes" | "columns" | null): string => {
  if (cut === null) return `${rows} rows.`;
  const where = cut === "columns" ? "further columns are left out" : "there are more";
  return `[Cut: ${rows} rows shown, ${where}. Aggregate, filter, or use LIMIT and OFFSET with ORDER BY to get the rest.]`;
};

const ask = async (sql: string, context: CallContext, { sandbox, files, limits }: QueryEdges): Promise<QueryAnswer> => {
  const tables = tablesOf(context.source);
  const queryMs = Math.min(limits.queryMs, Math.max(1_000, context.timeoutMs - 2 * KILL_AFTER_MS));
  const order: QueryOrder = {
    kind: "query",
    sql,
    tables: tables.map(({ name }) => name),
    memoryBytes: limits.queryMemoryBytes,
    queryMs,
    maxRows: limits.maxRows,
    maxColumns: limits.maxColumns,
    maxValueChars: limits.maxValueChars,
    maxBytes: Math.max(1_000, context.maxResultBytes - NOTE_BYTES),
  };
  const opened: (() => void)[] = [];
  try {
    const said = await sandbox.run(
      order,
      { wallMs: queryMs + KILL_AFTER_MS, signal: context.signal },
      async (question) => {
        const wanted = new Set(filesWanted.parse(question).tables);
        const given: { table: string; path: string }[] = [];
        for (const table of tables.filter(({ name }) => wanted.has(name))) {
          const file = await files.open(table.key);
          if (file === null) throw new Gone(table.name);
          opened.push(file.release);
          given.push({ table: table.name, path: file.path });
        }
        return { files: given };
      },
    );
    return queryAnswer.parse(said);
  } catch (error) {
    if (error instanceof Gone) return refused(`The table ${error.message} was deleted.`);
    if (!(error instanceof SandboxError) || error.why === "aborted") throw error;
    return refused(SAID[error.why](queryMs));
  } finally {
    for (const release of opened) release();
  }
};

/** A table whose file was deleted meanwhile. */
class Gone extends Error {}

const refused = (text: string): QueryAnswer => ({ kind: "refused", text });

const SAID = {
  time: (ms: number) => `The query was ended after ${ms / 1000} s. Ask for less: filter first, or aggregate.`,
  memory: () => "The query took more memory than there is for it. Ask for less: filter first, or aggregate.",
  died: () => "The query could not be carried out: the process that ran it ended. Write it differently.",
} as const;
