import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

const order = z.object({
  id: z.string(),
  customer: z.string(),
  item: z.string(),
  quantity: z.int(),
  /** Euro, two decimals at most. */
  total: z.number(),
  status: z.enum(["open", "processed"]),
  refunded: z.number(),
});
export type Order = z.infer<typeof order>;

const fileSchema = z.object({
  orders: z.array(order),
  stock: z.record(z.string(), z.int()),
  /** Writes already carried out, by their key, with the answer given then. */
  done: z.record(z.string(), z.string()),
});
type Data = z.infer<typeof fileSchema>;

const SEED: Data = {
  orders: [
    {
      id: "A-1001",
      customer: "Bakery North",
      item: "paper-bags",
      quantity: 400,
      total: 96,
      status: "open",
      refunded: 0,
    },
    {
      id: "A-1002",
      customer: "Corner Cafe",
      item: "coffee-beans",
      quantity: 12,
      total: 178.8,
      status: "open",
      refunded: 0,
    },
    {
      id: "A-1003",
      customer: "Harbour Hotel",
      item: "napkins",
      quantity: 2_000,
      total: 54,
      status: "processed",
      refunded: 0,
    },
    {
      id: "A-1004",
      customer: "School Canteen",
      item: "paper-bags",
      quantity: 900,
      total: 216,
      status: "open",
      refunded: 0,
    },
  ],
  stock: { "paper-bags": 750, "coffee-beans": 40, napkins: 5_000 },
  done: {},
};

/** What a call asked for cannot be done; the message is the tool's answer. */
export class OrderRefusal extends Error {
  override readonly name = "OrderRefusal";
}

export interface OrderBook {
  readonly all: () => readonly Order[];
  readonly stockOf: (item: string) => number;
  readonly process: (orderId: string, key?: string) => string;
  readonly refund: (orderId: string, amount: number, reason: string, key?: string) => string;
  readonly remove: (orderId: string) => string;
}

/** The orders of the demo, kept in one JSON file. A write that comes with a known key is answered, not repeated. */
export const openOrderBook = (file: string): OrderBook => {
  const data = read(file);
  const find = (id: string): Order => {
    const found = data.orders.find((entry) => entry.id === id);
    if (found === undefined) throw new OrderRefusal(`There is no order ${id}.`);
    return found;
  };
  const once = (key: string | undefined, work: () => string): string => {
    const before = key === undefined ? undefined : data.done[key];
    if (before !== undefined) return before;
    const answer = work();
    if (key !== undefined) data.done[key] = answer;
    write(file, data);
    return answer;
  };
  return {
    all: () => data.orders,
    stockOf: (item) => {
      const count = data.stock[item];
      if (count === undefined)
        throw new OrderRefusal(`There is no item ${item}. Items: ${Object.keys(data.stock).join(", ")}.`);
      return count;
    },
    process: (orderId, key) => once(key, () => processed(data, find(orderId))),
    refund: (orderId, amount, reason, key) => once(key, () => refunded(find(orderId), amount, reason)),
    remove: (orderId) =>
      once(undefined, () => {
        const gone = find(orderId);
        data.orders = data.orders.filter((entry) => entry !== gone);
        return `Order ${gone.id} of ${gone.customer} is deleted.`;
      }),
  };
};

const processed = (data: Data, entry: Order): string => {
  if (entry.status === "processed") throw new OrderRefusal(`Order ${entry.id} is processed already.`);
  const stock = data.stock[entry.item] ?? 0;
  if (stock < entry.quantity)
    throw new OrderRefusal(`Only ${stock} of ${entry.item} are in stock; the order needs ${entry.quantity}.`);
  data.stock[entry.item] = stock - entry.quantity;
  entry.status = "processed";
  return `Order ${entry.id} is processed; ${stock - entry.quantity} of ${entry.item} are left.`;
};

const refunded = (entry: Order, amount: number, reason: string): string => {
  const left = Math.round((entry.total - entry.refunded) * 100) / 100;
  if (amount > left) throw new OrderRefusal(`At most ${left} euro of order ${entry.id} can be refunded.`);
  entry.refunded = Math.round((entry.refunded + amount) * 100) / 100;
  return `${amount} euro of order ${entry.id} are refunded to ${entry.customer} (${reason}).`;
};

const read = (file: string): Data => {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return structuredClone(SEED);
    throw error;
  }
};

/** In one move, so that a stop in the middle leaves the old file. */
const write = (file: string, data: Data): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
};
