import { DrizzleQueryError } from "drizzle-orm/errors";
import { drizzle } from "drizzle-orm/pg-proxy";
import type { PgRemoteDatabase } from "drizzle-orm/pg-proxy";
import postgres from "postgres";

/** What postgres.js is told about our types: int8 is a JS number (see `parseInt8`). */
type Types = { int8: number };

/** The one client of a pool. Tagged templates only; `orm()` is the door for drizzle. */
export type Sql = postgres.Sql<Types>;

/** The client inside a transaction. */
export type Tx = postgres.TransactionSql<Types>;

/** A pool of connections of one role. */
export type Database = {
  readonly sql: Sql;
  /** BEGIN, `fn`, COMMIT, nothing else; what `transaction()` stands on. */
  begin<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  /** Waits at most 5 s for running statements, then cuts the connections. */
  close(): Promise<void>;
};

export type ConnectOptions = {
  url: string;
  /** Connections at most; the sum over all processes must stay below the server's limit. */
  max: number;
  applicationName: string;
  /** Seconds after which an idle connection is closed; without it they stay. */
  idleTimeoutS?: number;
};

/** Whose rows the transaction may see (SEC-2). "unscoped" sets nothing: row-level security then shows no workspace. */
export type Scope = { workspaces: readonly string[]; userId?: string } | "unscoped";

const MAX_ATTEMPTS = 3;
const RETRYABLE = new Set(["40001", "40P01"]);

/**
 * Opens a pool; connects lazily at the first statement.
 * int8 columns come as numbers and a value beyond 2^53 fails the query instead of being rounded (numeric stays a string).
 */
export function connect(options: ConnectOptions): Database {
  let client = openClient(options);
  const retired = new Set<Promise<void>>();
  // A slot of the driver whose backend died answers its next statement with the old error, so the whole pool is renewed
  // then; what still runs in the old one has 5 s to finish.
  const renew = (used: Sql): void => {
    if (used !== client) return;
    client = openClient(options);
    const ended = used.end({ timeout: 5 }).finally(() => retired.delete(ended));
    retired.add(ended);
  };
  // Callers may keep `sql`: it always leads to the present client.
  const sql: Sql = new Proxy(client, {
    apply: (_target, _self, args) => Reflect.apply(client, undefined, args),
    get: (_target, key) => Reflect.get(client, key),
  });
  return {
    sql,
    begin: async (fn) => {
      const used = client;
      const settled = new AbortController();
      const run = (tx: Tx) => fn(tx).catch((error: unknown) => leaveToDriver(error, settled.signal));
      try {
        // Wrapped in an object: the driver would otherwise unpack an array result as a list of promises.
        const { value } = await used.begin(async (tx) => ({ value: await run(tx) }));
        return value;
      } catch (error) {
        if (isConnectionLost(error)) renew(used);
        throw error;
      } finally {
        settled.abort();
      }
    },
    close: async () => {
      await Promise.all([client.end({ timeout: 5 }), ...retired]);
    },
  };
}

function openClient(options: ConnectOptions): Sql {
  return postgres(options.url, {
    max: options.max,
    ...(options.idleTimeoutS === undefined ? {} : { idle_timeout: options.idleTimeoutS }),
    connect_timeout: 10,
    onnotice: () => undefined,
    connection: { application_name: options.applicationName, TimeZone: "UTC" },
    types: {
      int8: { to: 20, from: [20], parse: parseInt8, serialize: (value: number) => String(value) },
    },
  });
}

/**
 * Runs `fn` in one transaction whose row-level security sees `scope` (SEC-2). The scope travels in the same packet as
 * fn's first statement. A serialization failure or deadlock reported by the database rolls back and runs fn again, at
 * most 3 runs in all, so fn must do nothing outside the database. An error that fn throws itself ends it at once.
 * When the connection is lost it rejects and does not try again: a commit that was under way may have happened.
 */
export async function transaction<T>(db: Database, scope: Scope, fn: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(db, scope, fn);
    if (outcome.ok) return outcome.value;
    if (attempt === MAX_ATTEMPTS || !isRetryable(outcome.error)) throw outcome.error;
  }
}

type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

async function attemptOnce<T>(db: Database, scope: Scope, fn: (tx: Tx) => Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await db.begin(async (tx) => {
      const scoped = setScope(tx, scope);
      const result = await fn(tx);
      await scoped;
      return result;
    });
    return { ok: true, value };
  } catch (error) {
    return { ok: false, error };
  }
}

async function setScope(tx: Tx, scope: Scope): Promise<void> {
  if (scope === "unscoped") return;
  const workspaces = scope.workspaces.join(",");
  const statement = tx`select set_config('aiw.workspaces', ${workspaces}, true),
                              set_config('aiw.user_id', ${scope.userId ?? ""}, true)`;
  // A failure here also fails every later statement and the transaction itself, where it is reported.
  await statement.catch(() => undefined);
}

/**
 * After a lost connection the driver would send its rollback into a socket that is gone, and the exception of that
 * write, thrown from a timer, ends the process (M2). The driver rejects the whole transaction by itself as soon as the
 * socket has closed, so it is enough not to come back to it, unless it was another connection that was lost.
 */
async function leaveToDriver(error: unknown, settled: AbortSignal): Promise<never> {
  if (!isConnectionLost(error)) throw error;
  await new Promise((resolve) => setTimeout(resolve, DRIVER_NOTICES_MS));
  if (settled.aborted) return new Promise(() => undefined);
  throw error;
}

const DRIVER_NOTICES_MS = 500;

const LOST = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "ECONNRESET",
  "EPIPE",
  "57P01",
  "57P02",
  "57P05",
  "25P03",
]);

/** True when the server or the network ended the connection under a statement. */
export function isConnectionLost(error: unknown): boolean {
  const source = error instanceof DrizzleQueryError ? error.cause : error;
  return source instanceof Error && "code" in source && typeof source.code === "string" && LOST.has(source.code);
}

/** SQLSTATE of a database error, also through an ORM's wrapper; undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  return databaseError(error)?.code;
}

/** True for a unique violation (23505), of exactly `constraint` when given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const found = databaseError(error);
  if (found?.code !== "23505") return false;
  return constraint === undefined || found.constraint_name === constraint;
}

function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && RETRYABLE.has(state);
}

function databaseError(error: unknown): postgres.PostgresError | undefined {
  if (error instanceof postgres.PostgresError) return error;
  if (error instanceof DrizzleQueryError) return databaseError(error.cause);
  return undefined;
}

/** drizzle's query builder; every statement runs on the transaction or pool it was made for. */
export type Orm = PgRemoteDatabase;

/**
 * The query builder bound to a transaction (or to the pool, then each statement is a transaction of its own).
 * drizzle changes the parsers of a client it is given, for everybody who shares it; so it gets a callback, not the
 * client. `orm(tx).transaction()` is refused by drizzle: use `transaction()` of this module.
 */
export function orm(target: Tx | Database): Orm {
  const client = "close" in target ? target.sql : target;
  return drizzle(async (statement, params: unknown[], method, typings?: unknown[]) => {
    const values = params.map((value, index) => bindValue(client, value, typings?.[index]));
    // Prepared, hence the extended protocol: one statement only, whatever its text.
    const query = client.unsafe(statement, values, EXTENDED);
    if (method === "execute") return { rows: await query };
    const result = await query.values();
    const types = result.columns.map((column) => column.type);
    return { rows: result.map((row: unknown[]) => row.map((value, index) => undecode(value, types[index]))) };
  });
}

// `simple` is read by postgres.js but missing in its types; without it a statement without parameters could hold several.
const EXTENDED: { prepare: boolean; simple: boolean } = { prepare: true, simple: false };

type Bindable = Parameters<Sql["unsafe"]>[1] extends (infer V)[] | undefined ? V : never;

function bindValue(client: Sql | Tx, value: unknown, typing: unknown): Bindable {
  // drizzle hands JSON over as text; the client would encode that text once more.
  if (typing === "json" && typeof value === "string") return client.json(JSON.parse(value));
  return value as Bindable;
}

const JSON_OIDS: readonly (number | undefined)[] = [114, 3802];
const DATE_OID = 1082;
const TIMESTAMP_OID = 1114;

/** drizzle decodes dates and JSON texts itself; what the client has decoded already goes back to text. */
function undecode(value: unknown, oid: number | undefined): unknown {
  if (typeof value === "string") return JSON_OIDS.includes(oid) ? JSON.stringify(value) : value;
  if (!(value instanceof Date)) return value;
  const iso = value.toISOString();
  if (oid === DATE_OID) return iso.slice(0, 10);
  return oid === TIMESTAMP_OID ? iso.slice(0, -1) : iso;
}

function parseInt8(raw: string): number {
  const value = Number(raw);
  if (!Number.isSafeInteger(value)) throw new RangeError("a database integer is too large to be held exactly");
  return value;
}
