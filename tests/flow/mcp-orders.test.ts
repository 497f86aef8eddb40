import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOrdersServer, type OrdersServer } from "@aiw/infra/local/mcp-server/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectTo, frozen, read, signal, TOKEN, toolOf, type Wired } from "./mcp-fixture.ts";

let directory: string;
let server: OrdersServer;
let wired: Wired;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "mcp-orders-"));
  server = await startOrdersServer({ dataDir: directory, token: TOKEN });
  wired = connectTo(server.url, { server: "orders" });
});
afterAll(async () => {
  wired.egress.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

const order = (id: string, from = server) => from.orders.all().find((entry) => entry.id === id);

test("MCP-1 the demo's server offers its four tools with what they say of themselves", async () => {
  const found = await wired.connector.discover(wired.source, signal());
  expect(found.skipped).toEqual([]);
  expect(found.tools.map(({ id, suggestedRiskClass }) => [id, suggestedRiskClass])).toEqual([
    ["orders.check_stock", "read"],
    ["orders.process", "write_external"],
    ["orders.process_refund", "write_external"],
    ["orders.delete_order", "destructive"],
  ]);
  expect(
    found.tools
      .flatMap(({ findings }) => findings)
      .filter((finding) => finding === "pattern_dropped" || finding === "open_arguments"),
  ).toEqual([]);
});

test("MCP-2 reading the stock changes nothing and keeps its form", async () => {
  const before = JSON.stringify(server.orders.all());
  expect(await read(wired, await toolOf(wired, "check_stock"), { item: "paper-bags" })).toMatchObject({
    ok: true,
    text: '{"item":"paper-bags","in_stock":750}',
    facts: { output: "ok" },
  });
  expect(await read(wired, await toolOf(wired, "check_stock"), { item: "gold" })).toMatchObject({
    ok: false,
    text: expect.stringContaining("There is no item gold"),
  });
  expect(JSON.stringify(server.orders.all())).toBe(before);
});

test("MCP-2 RUN-7 a refund is paid once for one key, and stands after a restart", async () => {
  const tool = await toolOf(wired, "process_refund", { idempotencyArgument: "idempotency_key" });
  const made = await frozen(wired, tool, { order_id: "A-1002", amount: 20, reason: "late" });
  expect(await made.write()).toMatchObject({
    kind: "executed",
    result: { text: "20 euro of order A-1002 are refunded to Corner Cafe (late)." },
  });
  expect(await made.write()).toMatchObject({ kind: "executed" });
  expect(order("A-1002")?.refunded).toBe(20);
  const again = await startOrdersServer({ dataDir: directory, token: TOKEN });
  expect(order("A-1002", again)?.refunded).toBe(20);
  await again.stop();
});

test("F28 what the shop refuses is no success and changes nothing", async () => {
  const refund = await frozen(wired, await toolOf(wired, "process_refund"), {
    order_id: "A-1003",
    amount: 500,
    reason: "x",
  });
  expect(await refund.write()).toMatchObject({
    kind: "refused",
    result: { ok: false, text: expect.stringContaining("At most 54 euro") },
  });
  const tooMuch = await frozen(wired, await toolOf(wired, "process"), { order_id: "A-1004" });
  expect(await tooMuch.write()).toMatchObject({ kind: "refused" });
  expect(order("A-1004")?.status).toBe("open");
});

test("MCP-2 an order is processed and one is deleted", async () => {
  expect(await (await frozen(wired, await toolOf(wired, "process"), { order_id: "A-1001" })).write()).toMatchObject({
    kind: "executed",
  });
  expect(server.orders.stockOf("paper-bags")).toBe(350);
  expect(
    await (await frozen(wired, await toolOf(wired, "delete_order"), { order_id: "A-1003" })).write(),
  ).toMatchObject({ kind: "executed" });
  expect(order("A-1003")).toBeUndefined();
});

test("SRC-2 without its token nobody gets in", async () => {
  const stranger = connectTo(server.url, { server: "orders", token: null });
  expect(await stranger.connector.testConnection(stranger.source, signal())).toMatchObject({
    ok: false,
    stages: [{}, {}, { stage: "login", code: "source_auth_failed" }],
  });
  stranger.egress.close();
});
