import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { JsonObject, ToolDefinition } from "@aiw/contract/tools";
import { createSandbox } from "@aiw/platform/sandbox";
import type { CallContext, Connector, SourceAccess, ToolResult } from "../connector/index.ts";
import { LocalFiles, workFolder, type UploadsBucket } from "./files.ts";
import { DEFAULT_LIMITS, type UploadsLimits } from "./limits.ts";
import { PROGRAM } from "./program.ts";
import { describeTable, runQuery, type QueryEdges } from "./query.ts";
import { tablesOf, type UploadTable } from "./source.ts";
import { describeTableArgs, listTablesArgs, queryArgs, UPLOAD_TOOLS } from "./tools.ts";

export { createImporter, type Imported, type Importer } from "./importer.ts";
export type { UploadsLimits } from "./limits.ts";
export { UPLOAD_TOOLS } from "./tools.ts";

export interface UploadsConnectorOptions {
  readonly bucket: UploadsBucket;
  readonly limits?: Partial<UploadsLimits>;
}

/** Uploaded files as tables (UPL-2): reading tools alone, DuckDB in a process of its own for each query. */
export interface UploadsConnector extends Connector {
  close(): void;
}

export const createUploadsConnector = (options: UploadsConnectorOptions): UploadsConnector => new Uploads(options);

const MAX_PROMPTED = 50;

class Uploads implements UploadsConnector {
  readonly kind = "uploads";
  readonly tools: readonly ToolDefinition[] = UPLOAD_TOOLS;
  private readonly limits: UploadsLimits;
  private readonly bucket: UploadsBucket;
  private made: QueryEdges | null = null;

  constructor({ bucket, limits }: UploadsConnectorOptions) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.bucket = bucket;
  }

  readConfig(): JsonObject {
    return {};
  }

  /** Object storage answers, and DuckDB runs here. */
  async testConnection(source: SourceAccess, signal: AbortSignal): ReturnType<Connector["testConnection"]> {
    const tables = tablesOf(source);
    try {
      await this.bucket.list("uploads/");
    } catch {
      return { ok: false, stages: [{ stage: "reach", ok: false, code: "source_unreachable" }], warnings: [] };
    }
    const context = { source, signal, timeoutMs: this.limits.queryMs, maxResultBytes: 10_000 } as CallContext;
    const asked = await runQuery("select 1", context, this.edges());
    const read = asked.ok ? { ok: true } : { ok: false, code: "source_protocol" };
    return {
      ok: asked.ok,
      stages: [
        { stage: "reach", ok: true },
        { stage: "read", ...read, facts: { tables: tables.length } },
      ],
      warnings: [],
    };
  }

  /** Files never change once they are tables, so nothing has to be pinned for a run. */
  async pin(): ReturnType<Connector["pin"]> {
    return { ok: true, pin: {} };
  }

  async describe({ source }: CallContext): ReturnType<Connector["describe"]> {
    const tables = tablesOf(source);
    const lines = tables.slice(0, MAX_PROMPTED).map((table) => `  ${lineOf(table)}`);
    const more = tables.length > MAX_PROMPTED ? [`  [${tables.length - MAX_PROMPTED} more: list_tables]`] : [];
    const head = `- "${source.name}" (uploaded files as DuckDB tables, ${tables.length}):`;
    return { summary: [head, ...lines, ...more].join("\n"), conventions: null };
  }

  async read(call: AuthorisedCall, context: CallContext): Promise<ToolResult> {
    const args: unknown = JSON.parse(call.argsText);
    switch (call.toolId) {
      case "uploads.list_tables": {
        const parsed = listTablesArgs.safeParse(args);
        return parsed.success ? listTables(context) : unread(parsed.error.issues[0]);
      }
      case "uploads.describe_table": {
        const parsed = describeTableArgs.safeParse(args);
        if (!parsed.success) return unread(parsed.error.issues[0]);
        const wanted = parsed.data.table.toLowerCase();
        const tables = tablesOf(context.source);
        const table = tables.find(({ name }) => name.toLowerCase() === wanted);
        if (table === undefined)
          return refused(
            `There is no table ${parsed.data.table}. Tables: ${tables.map(({ name }) => name).join(", ") || "none"}.`,
          );
        return describeTable(table, context, this.edges());
      }
      case "uploads.query": {
        const parsed = queryArgs.safeParse(args);
        return parsed.success ? runQuery(parsed.data.sql, context, this.edges()) : unread(parsed.error.issues[0]);
      }
      default:
        return refused("There is no such tool.");
    }
  }

  async prepare(): ReturnType<Connector["prepare"]> {
    return { ok: false, text: "Uploads can only be read." };
  }

  async recheck(): ReturnType<Connector["recheck"]> {
    return { ok: false, reason: "superseded", text: "Uploads can only be read." };
  }

  async write(): ReturnType<Connector["write"]> {
    return { kind: "refused", result: refused("Uploads can only be read.") };
  }

  async probe(): ReturnType<Connector["probe"]> {
    return { kind: "cannot_tell", text: "Uploads can only be read." };
  }

  close(): void {
    this.made?.sandbox.close();
  }

  /** Made with the first query: most runs never ask one. */
  private edges(): QueryEdges {
    if (this.made === null) {
      const directory = workFolder();
      this.made = {
        limits: this.limits,
        files: new LocalFiles(directory, this.bucket, this.limits.cacheBytes),
        sandbox: createSandbox({ program: PROGRAM, directory, maxBytes: this.limits.queryMaxBytes }),
      };
    }
    return this.made;
  }
}

const refused = (text: string): ToolResult => ({ ok: false, text, truncated: false });

const unread = (issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined): ToolResult =>
  refused(`The arguments are not valid: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`.trim());

const lineOf = ({ name, rows, columns, bytes, file }: UploadTable): string =>
  `${name}: ${rows} rows, ${columns} columns, ${Math.ceil(bytes / 1024)} KB, from ${JSON.stringify(file)}`;

const listTables = ({ source, maxResultBytes }: CallContext): ToolResult => {
  const tables = tablesOf(source);
  if (tables.length === 0)
    return { ok: true, text: "No file has been uploaded to this workspace yet.", truncated: false };
  const lines: string[] = [];
  let room = maxResultBytes - 200;
  for (const line of tables.map(lineOf)) {
    room -= Buffer.byteLength(line) + 1;
    if (room < 0)
      return {
        ok: true,
        text: `${lines.join("\n")}\n[Cut: ${tables.length - lines.length} more tables.]`,
        truncated: true,
      };
    lines.push(line);
  }
  return { ok: true, text: lines.join("\n"), truncated: false };
};
