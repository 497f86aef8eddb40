import { z } from "zod";

/** What a query may do, decided on its parsed form (UPL-2, M8, M15). */
export type GateOutcome =
  | { readonly ok: true; readonly tables: readonly string[] }
  | { readonly ok: false; readonly text: string };

/** Functions that make rows by themselves. Every other one could read files, settings or secrets, or change the instance. */
const TABLE_FUNCTIONS = new Set(["unnest", "range", "generate_series", "json_each", "json_tree"]);

/** What may stand behind FROM. */
const TABLE_REFS = new Set([
  "BASE_TABLE",
  "SUBQUERY",
  "JOIN",
  "TABLE_FUNCTION",
  "EMPTY",
  "EMPTY_FROM",
  "EXPRESSION_LIST",
  "PIVOT",
]);

/** Functions that tell of the process, its settings or its people, wait, or leave something behind. */
const FORBIDDEN_FUNCTION =
  /^(current_(setting|query|query_id|connection_id|transaction_id|role|user|catalog|database|schemas?)|(session_)?user|get(variable|env)|(cur|next)val|setseed|sleep_ms|txid_current|write_log|in_search_path|get_block_size|inet_\w+|pg_\w+|has_\w+_privilege|json_(de)?serialize_(sql|plan)|query(_table)?)$/;

/** Names of the engine's own views, which a table of the same name would only hide in its own scope. */
const ENGINE_NAME = /^(duckdb_|pg_|sqlite_|pragma_|information_schema)/i;
const CTE_NAME = /^[\p{L}_][\p{L}\p{N}_ -]{0,62}$/u;

const parsed = z.union([
  z.object({ error: z.literal(true), error_message: z.string().optional() }),
  z.object({ error: z.literal(false), statements: z.array(z.unknown()) }),
]);

/**
 * Looks at the parsed form of a query as the engine gives it: exactly one statement, nothing but reading, only tables of this
 * workspace, only functions that compute. Names of tables are compared without case.
 */
export const checkQuery = (serialized: string, known: readonly string[]): GateOutcome => {
  const read = parsed.safeParse(JSON.parse(serialized));
  if (!read.success) return no("The query could not be read.");
  if (read.data.error) {
    const why = read.data.error_message ?? "";
    return no(why.startsWith("Only SELECT") ? ONLY_SELECT : `The query could not be read: ${why}`);
  }
  const [statement, second] = read.data.statements;
  if (statement === undefined) return no("The query is empty.");
  if (second !== undefined) return no("Only one statement at a time; leave out everything after the first semicolon.");
  const objects = [...objectsIn(statement)];
  const ctes = new Set(objects.flatMap(cteNames).map((name) => name.toLowerCase()));
  const byName = new Map(known.map((name) => [name.toLowerCase(), name]));
  for (const cte of ctes)
    if (ENGINE_NAME.test(cte) || !CTE_NAME.test(cte)) return no(`"${cte}" cannot be the name of a subquery here.`);
  const tables = new Set<string>();
  for (const object of objects) {
    const fault = faultOf(object);
    if (fault !== null) return no(fault);
    if (object["type"] !== "BASE_TABLE") continue;
    const name = text(object, "table_name");
    if (text(object, "schema_name") !== "" || text(object, "catalog_name") !== "")
      return no(`Name tables without a schema: ${name}.`);
    const table = byName.get(name.toLowerCase());
    if (table !== undefined) tables.add(table);
    else if (!ctes.has(name.toLowerCase()))
      return no(`There is no table ${name}. Tables: ${known.join(", ") || "none"}.`);
  }
  return { ok: true, tables: [...tables] };
};

const ONLY_SELECT =
  "Only a SELECT is possible: one statement that begins with SELECT, WITH, FROM or VALUES and changes nothing.";

const no = (why: string): GateOutcome => ({ ok: false, text: why });

type Obj = Readonly<Record<string, unknown>>;

function* objectsIn(value: unknown): Generator<Obj> {
  if (Array.isArray(value)) for (const one of value) yield* objectsIn(one);
  else if (typeof value === "object" && value !== null) {
    yield value as Obj;
    for (const one of Object.values(value)) yield* objectsIn(one);
  }
}

const text = (object: Obj, key: string): string => {
  const value = object[key];
  return typeof value === "string" ? value : "";
};

const cteNames = (object: Obj): string[] => {
  const map = (object["cte_map"] as { map?: unknown } | undefined)?.map;
  return Array.isArray(map) ? map.map((entry) => text(entry as Obj, "key")) : [];
};

const isTableRef = (object: Obj): boolean =>
  typeof object["type"] === "string" && !("class" in object) && "sample" in object && !("cte_map" in object);

const faultOf = (object: Obj): string | null => {
  const type = text(object, "type");
  if (type === "SHOW_REF") return "Use list_tables and describe_table instead of SHOW, DESCRIBE and SUMMARIZE.";
  if (isTableRef(object) && !TABLE_REFS.has(type)) return `${type} cannot be read from.`;
  const name = text(object, "function_name").toLowerCase();
  if (type === "TABLE_FUNCTION") {
    const called = text((object["function"] ?? {}) as Obj, "function_name").toLowerCase();
    return TABLE_FUNCTIONS.has(called)
      ? null
      : `${called || "This"} cannot be read from: only tables of this workspace.`;
  }
  return FORBIDDEN_FUNCTION.test(name) ? `The function ${name} is not available here.` : null;
};
