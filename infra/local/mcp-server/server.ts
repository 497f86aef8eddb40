import { createHash, timingSafeEqual } from "node:crypto";
import http from "node:http";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { openOrderBook, type OrderBook } from "./orders.ts";
import { registerOrderTools } from "./tools.ts";

export interface OrdersServerOptions {
  /** Folder of the orders' file. */
  readonly dataDir: string;
  /** 0 or absent = any free port. */
  readonly port?: number;
  /** Who may call, as a Bearer token. */
  readonly token: string;
}

export interface OrdersServer {
  /** Address of the MCP endpoint. */
  readonly url: string;
  readonly port: number;
  readonly orders: OrderBook;
  stop(): Promise<void>;
}

/** Short name under which the demo registers this server. */
export const ORDERS_SERVER_NAME = "orders";

/**
 * The demo's MCP server: a small shop behind streamable HTTP, on loopback only. It keeps no sessions: each request gets a
 * server of its own over the same orders.
 */
export const startOrdersServer = async (options: OrdersServerOptions): Promise<OrdersServer> => {
  const orders = openOrderBook(join(options.dataDir, "orders.json"));
  const server = http.createServer((request, response) => {
    answer(options.token, orders, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The orders server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    orders,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const answer = async (
  token: string,
  orders: OrderBook,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> => {
  if (new URL(request.url ?? "/", "http://localhost").pathname !== "/mcp") return void response.writeHead(404).end();
  if (!isToken(request.headers.authorization, token))
    return void response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  // Without sessions there is nothing to listen to and nothing to end.
  if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
  const server = new McpServer(
    { name: "orders", version: "1.0.0" },
    { instructions: "Orders of a small shop. Look at the stock before you process an order." },
  );
  registerOrderTools(server, orders);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
};

const isToken = (header: string | undefined, token: string): boolean => {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(header ?? ""), digest(`Bearer ${token}`));
};
