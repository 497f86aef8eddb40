import type http from "node:http";
import { rawMember } from "./raw-json.ts";
import { hello, startRpcServer, type Exchange, type RpcServer } from "./rpc-server.ts";

/**
 * How a writing tool of the ledger behaves:
 * `honours_keys` a repeated key has no second effect; `conflict` a repeated key is answered with 409; `blind` each call has an
 * effect and nothing can be looked up; `searchable` the same, and `find_entry` finds it; `drops` acts, then cuts the
 * connection; `drops_before` cuts it without acting; `late` answers nothing and acts after a time; `fails_after` acts, then
 * answers 500; `fails_before` answers 500 without acting; `hangs` neither acts nor answers; `tool_error` answers that it
 * failed; `rpc_error` refuses the arguments.
 */
export type LedgerMode =
  | "honours_keys"
  | "conflict"
  | "blind"
  | "searchable"
  | "drops"
  | "drops_before"
  | "late"
  | "fails_after"
  | "fails_before"
  | "hangs"
  | "tool_error"
  | "rpc_error";

/** One call as it reached the ledger. */
export interface LedgerEntry {
  readonly tool: string;
  /** The arguments as received, byte for byte. */
  readonly argumentBytes: string;
  readonly key: string | null;
  readonly atMs: number;
  /** Whether this call changed something. */
  readonly effect: boolean;
}

export interface Ledger extends RpcServer {
  readonly entries: readonly LedgerEntry[];
  /** Effects, of one tool or of all. */
  effects(tool?: string): number;
  setMode(tool: string, mode: LedgerMode, lateMs?: number): void;
  /** Empties the ledger and gives every tool its first mode again. */
  reset(): void;
  /** Resolves when so many calls have been entered. */
  entered(count: number): Promise<void>;
}

/** Writing tools, named after how they behave until told otherwise. */
export const LEDGER_TOOLS: readonly LedgerMode[] = [
  "honours_keys",
  "conflict",
  "blind",
  "searchable",
  "drops",
  "drops_before",
  "late",
  "fails_after",
  "fails_before",
  "hangs",
  "tool_error",
  "rpc_error",
];

/** A target that counts: the oracle of what really happened (spec 70). Also served over plain HTTP under /control. */
export const startLedger = async (
  options: { readonly token?: string; readonly port?: number } = {},
): Promise<Ledger> => {
  const book = new Book();
  const server = await startRpcServer({
    ...(options.port === undefined ? {} : { port: options.port }),
    onMessage: (exchange) => {
      if (options.token !== undefined && exchange.request.headers.authorization !== `Bearer ${options.token}`)
        return exchange.status(401);
      return answer(book, exchange);
    },
    onOther: (request, response, body) => control(book, request, response, body),
  });
  return {
    ...server,
    entries: book.entries,
    effects: (tool) => book.effects(tool),
    setMode: (tool, mode, lateMs) => book.setMode(tool, mode, lateMs),
    reset: () => book.reset(),
    entered: (count) => book.entered(count),
  };
};

class Book {
  readonly entries: LedgerEntry[] = [];
  private readonly modes = new Map<string, LedgerMode>();
  private readonly late = new Map<string, number>();
  private readonly waiting: { readonly count: number; readonly done: () => void }[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();

  modeOf(tool: string): LedgerMode | undefined {
    return this.modes.get(tool) ?? LEDGER_TOOLS.find((mode) => mode === tool);
  }

  lateMs(tool: string): number {
    return this.late.get(tool) ?? 500;
  }

  setMode(tool: string, mode: LedgerMode, lateMs?: number): void {
    this.modes.set(tool, mode);
    if (lateMs !== undefined) this.late.set(tool, lateMs);
  }

  effects(tool?: string): number {
    return this.entries.filter((entry) => entry.effect && (tool === undefined || entry.tool === tool)).length;
  }

  enter(tool: string, body: string, effect: boolean): void {
    const argumentBytes = rawMember(body, ["params", "arguments"]) ?? "";
    this.entries.push({ tool, argumentBytes, key: keyOf(argumentBytes), atMs: Date.now(), effect });
    for (const { count, done } of this.waiting) if (this.entries.length >= count) done();
  }

  hasKey(tool: string, key: string | null): boolean {
    return key !== null && this.entries.some((entry) => entry.tool === tool && entry.key === key && entry.effect);
  }

  after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, ms);
    this.timers.add(timer);
  }

  entered(count: number): Promise<void> {
    if (this.entries.length >= count) return Promise.resolve();
    return new Promise((done) => void this.waiting.push({ count, done }));
  }

  reset(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.entries.length = 0;
    this.modes.clear();
    this.late.clear();
  }
}

const keyOf = (argumentBytes: string): string | null => {
  const value = argumentBytes === "" ? {} : (JSON.parse(argumentBytes) as Record<string, unknown>);
  return typeof value["key"] === "string" ? value["key"] : null;
};

const answer = (book: Book, exchange: Exchange): void => {
  const { method, id, params } = exchange.message;
  if (id === undefined) return exchange.status(202);
  if (method === "initialize") return exchange.result(hello("ledger"));
  if (method === "ping") return exchange.result({});
  if (method === "tools/list") return exchange.result({ tools: [...LEDGER_TOOLS.map(writingTool), ...READING_TOOLS] });
  if (method !== "tools/call") return exchange.error(-32_601, "Method not found");
  const name = String(params["name"]);
  if (name === "find_entry" || name === "count_effects")
    return exchange.result(looked(book, name, params["arguments"]));
  const mode = book.modeOf(name);
  if (mode === undefined) return exchange.error(-32_602, `Unknown tool: ${name}`);
  act(book, exchange, name, mode);
};

const act = (book: Book, exchange: Exchange, tool: string, mode: LedgerMode): void => {
  const { body } = exchange.message;
  const known = book.hasKey(tool, keyOf(rawMember(body, ["params", "arguments"]) ?? ""));
  const enter = (effect: boolean): void => book.enter(tool, body, effect);
  const done = (): void => exchange.result({ content: [{ type: "text", text: `Entered: ${tool}` }] });
  switch (mode) {
    case "honours_keys":
      enter(!known);
      return done();
    case "conflict":
      enter(!known);
      return known ? exchange.status(409, "Already there") : done();
    case "blind":
    case "searchable":
      enter(true);
      return done();
    case "drops":
      enter(true);
      return exchange.drop();
    case "drops_before":
      return exchange.drop();
    case "late":
      return book.after(book.lateMs(tool), () => {
        enter(true);
        done();
      });
    case "fails_after":
      enter(true);
      return exchange.status(500, "Internal error");
    case "fails_before":
      return exchange.status(500, "Internal error");
    case "hangs":
      return;
    case "tool_error":
      enter(false);
      return exchange.result({ content: [{ type: "text", text: "The ledger is closed." }], isError: true });
    case "rpc_error":
      return exchange.error(-32_602, "Invalid arguments");
  }
};

const looked = (book: Book, name: string, args: unknown): unknown => {
  const { key, tool } = (args ?? {}) as { key?: string; tool?: string };
  const structuredContent =
    name === "count_effects"
      ? { count: book.effects(tool) }
      : {
          found: book.entries.some((entry) => entry.effect && entry.key === key && book.modeOf(entry.tool) !== "blind"),
        };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
};

const writingTool = (name: string): unknown => ({
  name,
  description: `Writes an entry into the ledger (${name}).`,
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" }, amount: { type: "number" }, key: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: false },
});

const READING_TOOLS: readonly unknown[] = [
  {
    name: "find_entry",
    description: "Whether there is an entry with this key.",
    inputSchema: {
      type: "object",
      properties: { key: { type: "string" } },
      required: ["key"],
      additionalProperties: false,
    },
    outputSchema: { type: "object", properties: { found: { type: "boolean" } }, required: ["found"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "count_effects",
    description: "How many entries had an effect.",
    inputSchema: { type: "object", properties: { tool: { type: "string" } }, additionalProperties: false },
    annotations: { readOnlyHint: true },
  },
];

/** GET /control: the entries. POST /control/mode {tool, mode, lateMs?}. POST /control/reset. For tests in other processes. */
const control = (book: Book, request: http.IncomingMessage, response: http.ServerResponse, body: string): boolean => {
  const route = `${request.method} ${request.url}`;
  const reply = (value: unknown): true => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    return true;
  };
  if (route === "GET /control") return reply({ entries: book.entries, effects: book.effects() });
  if (route === "POST /control/reset") {
    book.reset();
    return reply({ ok: true });
  }
  if (route !== "POST /control/mode") return false;
  const { tool, mode, lateMs } = JSON.parse(body) as { tool: string; mode: LedgerMode; lateMs?: number };
  book.setMode(tool, mode, lateMs);
  return reply({ ok: true });
};
