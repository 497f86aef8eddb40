import http from "node:http";

/** One JSON-RPC message as it came in. */
export interface Incoming {
  readonly method: string;
  readonly id: string | number | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  /** The body as received. */
  readonly body: string;
}

/** One HTTP exchange with a client; a handler answers it once, or lets it hang. */
export class Exchange {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly message: Incoming;

  constructor(request: http.IncomingMessage, response: http.ServerResponse, message: Incoming) {
    this.request = request;
    this.response = response;
    this.message = message;
  }

  /** A JSON answer to the message. */
  result(result: unknown, headers: Record<string, string> = {}): void {
    this.json({ jsonrpc: "2.0", id: this.message.id, result }, headers);
  }

  error(code: number, text: string, status = 200): void {
    this.json({ jsonrpc: "2.0", id: this.message.id, error: { code, message: text } }, {}, status);
  }

  json(value: unknown, headers: Record<string, string> = {}, status = 200): void {
    this.response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  }

  status(status: number, text = ""): void {
    this.response.writeHead(status, { "content-type": "text/plain" }).end(text);
  }

  /** Opens an event stream; the returned function sends one message. */
  stream(): (message: unknown, id?: string) => void {
    this.response.writeHead(200, { "content-type": "text/event-stream" });
    return (message, id) =>
      void this.response.write(
        `${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`,
      );
  }

  drop(): void {
    this.request.socket.destroy();
  }
}

export interface RpcServer {
  readonly url: string;
  readonly port: number;
  /** Requests seen, newest last. */
  readonly seen: readonly {
    readonly http: string;
    readonly rpc: string | null;
    readonly authorization: string | null;
  }[];
  stop(): Promise<void>;
}

export interface RpcServerOptions {
  /** Answers an MCP message at /mcp. */
  readonly onMessage: (exchange: Exchange) => void | Promise<void>;
  /** Answers everything else; returns whether it did. */
  readonly onOther?: (request: http.IncomingMessage, response: http.ServerResponse, body: string) => boolean;
  readonly port?: number;
}

/** The bare wire of an MCP server, written without any library, so that it can be wrong in every way and still count right. */
export const startRpcServer = async (options: RpcServerOptions): Promise<RpcServer> => {
  const seen: { http: string; rpc: string | null; authorization: string | null }[] = [];
  const handle = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = await text(request);
    const isMcp = (request.url ?? "").split("?")[0] === "/mcp";
    const message = isMcp && request.method === "POST" ? parse(body) : null;
    seen.push({
      http: `${request.method} ${request.url}`,
      rpc: message?.method ?? null,
      authorization: request.headers.authorization ?? null,
    });
    if (message !== null) return options.onMessage(new Exchange(request, response, message));
    if (options.onOther?.(request, response, body) === true) return;
    response.writeHead(isMcp ? 405 : 404).end();
  };
  const server = http.createServer(
    (request, response) => void handle(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const text = async (request: http.IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString("utf8");
};

const parse = (body: string): Incoming => {
  const value = JSON.parse(body) as { method?: string; id?: string | number; params?: Record<string, unknown> };
  return { method: value.method ?? "", id: value.id, params: value.params ?? {}, body };
};

/** The answer to `initialize` of a well-behaved server. */
export const hello = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name, version: "1.0.0" },
  ...more,
});
