import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setFaultPlan } from "@aiw/platform/fault";
import {
  callsOf,
  decide,
  eventually,
  onlyRequest,
  outputsOf,
  requestsOf,
  stopAt,
  sweepOnce,
  topic,
} from "../kit/runs.ts";
import { startLedger, type Ledger } from "../kit/ledger/server.ts";
import { connectServer, type ConnectedServer } from "../kit/mcp.ts";
import { startWorld, type World } from "../kit/world.ts";

const TOKEN = "canary-platform-51b0c2";
let world: World;
let ledger: Ledger;
let server: ConnectedServer;
beforeAll(async () => {
  ledger = await startLedger({ token: TOKEN });
  world = await startWorld({ mcpPorts: [ledger.port], limits: { pushS: 300, toolCallS: 3 } });
  server = await connectServer(world, { name: "ledger", url: ledger.url, token: TOKEN });
  await server.classify("find_entry", "read");
  for (const name of ["blind", "honours_keys", "fails_before"]) await server.classify(name, "write_external");
  const probe = { tool: "find_entry", arguments: { key: { $key: true as const } }, path: "found", equals: true };
  for (const name of ["searchable", "drops", "drops_before"])
    await server.classify(name, "write_external", { serverArguments: {}, idempotencyArgument: "key", probe });
});
beforeEach(() => ledger.reset());
afterEach(() => {
  setFaultPlan(undefined);
  ledger.reset();
});
afterAll(async () => {
  await world.stop();
  await ledger.stop();
});

/** A run whose model calls this tool once and then says that it is done. */
const proposed = async (name: string, args: object = { text: "Müller & Söhne", amount: 12.5 }): Promise<string> => {
  const t = topic();
  world.script.push(t, { calls: [{ name: server.wireName(name), arguments: JSON.stringify(args) }] }, { text: "done" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  return runId;
};
const approved = async (name: string, args?: object): Promise<string> => {
  const runId = await proposed(name, args);
  await decide(world, "approver", await onlyRequest(world, runId), "approved");
  await world.drive(runId);
  return runId;
};

describe("MCP tools behind the gate", () => {
  test("SRC-2 MCP-1 a connected server is tested by the staged job, and its tools are known with their server", async () => {
    const [source] = await world.admin
      .sql`select status, kind, secret, last_test from sources where id = ${server.sourceId}`;
    expect(source).toMatchObject({ status: "tested", kind: "mcp", secret: null, last_test: { ok: true } });
    expect(await server.tool("blind")).toMatchObject({ server: "ledger", wireName: "ledger__blind", missingAt: null });
  });

  test("RUN-23 RUN-6 a write to a server has the time of a call, not of a push: so long it may take, so long its lease lasts", async () => {
    ledger.setMode("blind", "hangs");
    const runId = await proposed("blind");
    await decide(world, "approver", await onlyRequest(world, runId), "approved");
    const started = performance.now();
    const stepping = world.stepOnce(runId);
    const leaseS = await eventually(async () => {
      const [row] = await world.admin.sql<{ left: number }[]>`
        select extract(epoch from r.lease_until - aiw_now())::float8 as left from runs r join approvals a on a.run_id = r.id
         where r.id = ${runId} and a.status = 'executing'`;
      return row?.left;
    });
    expect(leaseS).toBeLessThan(world.deps.limits.leaseS + 1);
    expect(await stepping).toEqual({ did: "step", status: "needs_reconciliation" });
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test("POL-4 a tool nobody classified does not exist for the model, and called by its exact name nothing is sent (N46)", async () => {
    const runId = await proposed("late");
    expect((await world.row(runId)).status).toBe("completed");
    expect((await callsOf(world, runId))[0]).toMatchObject({ status: "failed" });
    expect((await outputsOf(world, runId))[0]).toContain('There is no tool named "ledger__late"');
    expect(ledger.entries).toEqual([]);
  });

  test("POL-5 a reading tool is carried out at once, its words are marked as untrusted", async () => {
    const runId = await proposed("find_entry", { key: "nothing" });
    expect((await world.row(runId)).status).toBe("completed");
    expect(await requestsOf(world, runId)).toEqual([]);
    expect((await outputsOf(world, runId))[0]).toMatch(/^<<<untrusted[\s\S]*"found":false[\s\S]*end untrusted>>>$/);
  });

  test("APR-2 MCP-2 a write waits frozen; approved, it has exactly one effect, with exactly the frozen canonical bytes", async () => {
    const runId = await proposed("blind", { text: "é \u202e <b>", amount: 1e2 });
    expect((await world.row(runId)).status).toBe("waiting_approval");
    const request = await onlyRequest(world, runId);
    expect(request).toMatchObject({ status: "pending", args_text: '{"amount":100,"text":"é \u202e <b>"}' });
    expect(ledger.entries).toEqual([]);
    await decide(world, "approver", request, "approved");
    await world.drive(runId);
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed", reconciled: false, attempt: 1 });
    expect(ledger.entries.map((entry) => entry.argumentBytes)).toEqual([request.args_text]);
    expect((await world.row(runId)).status).toBe("completed");
  });

  test("RUN-7 the key of the request goes out where the tool takes one, behind the frozen bytes", async () => {
    const runId = await approved("searchable", { text: "x" });
    const request = await onlyRequest(world, runId);
    expect(ledger.entries.map((entry) => [entry.argumentBytes, entry.key])).toEqual([
      [`{"text":"x","key":"aiw_${request.id}"}`, `aiw_${request.id}`],
    ]);
  });

  test("APR-6 APR-7 rejected or expired, nothing reaches the server", async () => {
    const rejected = await proposed("blind");
    await decide(world, "approver", await onlyRequest(world, rejected), "rejected", { reason: "no" });
    await world.drive(rejected);
    const expired = await proposed("honours_keys");
    await world.shift(86_401);
    await sweepOnce(world);
    await world.drive(expired);
    expect((await onlyRequest(world, rejected)).status).toBe("rejected");
    expect((await onlyRequest(world, expired)).status).toBe("expired");
    expect(ledger.entries).toEqual([]);
  });

  test("RUN-7 F96 a server that acts and then drops the connection is asked by the declared probe, and not called again", async () => {
    const runId = await approved("drops");
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed", reconciled: true });
    expect((await world.row(runId)).status).toBe("completed");
    expect(ledger.effects("drops")).toBe(1);
  });

  test("RUN-7 a probe that finds nothing settles nothing: the server may still act, so a person looks", async () => {
    const runId = await approved("drops_before");
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "unknown" });
    expect((await world.row(runId)).status).toBe("needs_reconciliation");
    expect(ledger.effects()).toBe(0);
  });

  test("RUN-7 F97 without a probe a dropped write needs a person, and no second call is made", async () => {
    ledger.setMode("blind", "drops");
    const runId = await approved("blind");
    expect((await onlyRequest(world, runId)).status).toBe("unknown");
    expect((await world.row(runId)).status).toBe("needs_reconciliation");
    await sweepOnce(world);
    await world.drive(runId);
    expect(ledger.entries).toHaveLength(1);
  });

  test.each([
    ["mcp.relist:after", "searchable", 0, "unknown"],
    ["mcp.write:after", "searchable", 1, "executed"],
    ["run.commit:before", "searchable", 1, "executed"],
    ["mcp.write:before", "blind", 0, "unknown"],
    ["mcp.write:after", "blind", 1, "unknown"],
  ] as const)(
    "RUN-7 F15 F16 a step that dies at %s in a call of %s: the server is asked or a person is, and never called again",
    async (at, tool, effects, status) => {
      const runId = await proposed(tool);
      await decide(world, "approver", await onlyRequest(world, runId), "approved");
      expect(await stopAt(at, 1, () => world.stepOnce(runId))).toBe(true);
      await world.shift(400);
      await sweepOnce(world);
      await world.drive(runId);
      expect(await onlyRequest(world, runId)).toMatchObject({ status, attempt: 1, reconciled: status === "executed" });
      expect(ledger.effects()).toBe(effects);
    },
  );

  test("POL-4 a reading tool that needs approval is frozen and shown with what the platform sets, and runs after the decision", async () => {
    await server.classify("count_effects", "read", { serverArguments: { tool: "blind" } }, "require_approval");
    const runId = await proposed("count_effects", {});
    const request = await onlyRequest(world, runId);
    expect(request).toMatchObject({ status: "pending", args_text: "{}" });
    expect(JSON.parse(request.form)).toMatchObject({ arguments: '{"tool":"blind"}' });
    await decide(world, "approver", request, "approved");
    await world.drive(runId);
    expect((await onlyRequest(world, runId)).status).toBe("executed");
    expect((await outputsOf(world, runId))[0]).toContain('"count":0');
  });

  test("N46 a probe is asked only while its tool is classified as reading", async () => {
    const { id } = await server.tool("find_entry");
    await world.admin.sql`update tools set risk_class = null where id = ${id}`;
    const runId = await approved("drops");
    expect((await onlyRequest(world, runId)).status).toBe("unknown");
    expect(ledger.entries.filter((entry) => entry.tool === "find_entry")).toEqual([]);
    await server.classify("find_entry", "read");
  });

  test("N44 what the platform sets is hidden from the model, overwritten, shown to the approver and sent", async () => {
    await server.classify("conflict", "write_external", {
      serverArguments: { text: "set by the platform", key: { $context: "workspaceId" } },
    });
    const runId = await proposed("conflict", { amount: 1 });
    const { id } = await onlyRequest(world, runId);
    const [row] = await world.admin.sql<{ preview: string }[]>`select preview from approvals where id = ${id}`;
    expect(JSON.parse(row?.preview ?? "{}").fields).toEqual(
      expect.arrayContaining([{ label: "text (set by the platform)", value: "set by the platform" }]),
    );
    await decide(world, "approver", await onlyRequest(world, runId), "approved");
    await world.drive(runId);
    expect(ledger.entries.map((entry) => entry.argumentBytes)).toEqual([
      `{"amount":1,"key":"${world.workspaceId}","text":"set by the platform"}`,
    ]);
    const forged = await proposed("conflict", { amount: 1, text: "mine" });
    expect((await callsOf(world, forged))[0]).toMatchObject({ status: "failed" });
  });
});
