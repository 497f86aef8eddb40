import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { OrderRefusal, type OrderBook } from "./orders.ts";

const orderId = z
  .string()
  .regex(/^[A-Z]-[0-9]{4}$/)
  .describe("Number of the order, for example A-1001.");
const idempotencyKey = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("A repeated call with the same key is answered, not carried out again.");

/** The tools of the demo shop, with annotations that say what they do. */
export const registerOrderTools = (server: McpServer, orders: OrderBook): void => {
  server.registerTool(
    "check_stock",
    {
      title: "Check stock",
      description: "How many pieces of an item are in stock.",
      inputSchema: z.strictObject({
        item: z.string().min(1).max(100).describe("Name of the item, for example paper-bags."),
      }),
      outputSchema: z.object({ item: z.string(), in_stock: z.int() }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ item }) =>
      answering(() => {
        const structuredContent = { item, in_stock: orders.stockOf(item) };
        return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
      }),
  );
  server.registerTool(
    "process",
    {
      title: "Process an order",
      description: "Processes an open order and takes its pieces out of the stock.",
      inputSchema: z.strictObject({ order_id: orderId, idempotency_key: idempotencyKey }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    (args) => answering(() => said(orders.process(args.order_id, args.idempotency_key))),
  );
  server.registerTool(
    "process_refund",
    {
      title: "Refund",
      description: "Pays back a part of an order's total to the customer.",
      inputSchema: z.strictObject({
        order_id: orderId,
        amount: z.number().gt(0).max(10_000).describe("Amount in euro."),
        reason: z.string().min(1).max(500).describe("Why; the customer reads it."),
        idempotency_key: idempotencyKey,
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    (args) => answering(() => said(orders.refund(args.order_id, args.amount, args.reason, args.idempotency_key))),
  );
  server.registerTool(
    "delete_order",
    {
      title: "Delete an order",
      description: "Deletes an order for good.",
      inputSchema: z.strictObject({ order_id: orderId }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ order_id }) => answering(() => said(orders.remove(order_id))),
  );
};

interface Answer {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

const said = (text: string): Answer => ({ content: [{ type: "text", text }] });

const answering = (work: () => Answer): Answer => {
  try {
    return work();
  } catch (error) {
    if (error instanceof OrderRefusal) return { ...said(error.message), isError: true };
    throw error;
  }
};
