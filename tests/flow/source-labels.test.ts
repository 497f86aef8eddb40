import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as sources from "@aiw/core/sources";
import * as workspaces from "@aiw/core/workspaces";
import { transaction } from "@aiw/platform/db";
import { startLedger, type Ledger } from "../kit/ledger/server.ts";
import { connectServer, type ConnectedServer } from "../kit/mcp.ts";
import { callsOf, decide, onlyRequest, outputsOf, requestsOf, topic } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

const TOKEN = "canary-labels-7f20";
let world: World;
let ledger: Ledger;
let server: ConnectedServer;
beforeAll(async () => {
  ledger = await startLedger({ token: TOKEN });
  world = await startWorld({ mcpPorts: [ledger.port], limits: { toolCallS: 5 } });
  server = await connectServer(world, { name: "ledger", url: ledger.url, token: TOKEN });
  await server.classify("blind", "write_external");
  await server.classify("find_entry", "read");
});
beforeEach(() => ledger.reset());
afterEach(async () => {
  await label(world.sourceId, {});
  await label(server.sourceId, {});
  await world.admin.sql`delete from tool_policies where workspace_id = ${world.workspaceId}`;
  await world.admin.sql`update workspaces set combination_lifted_at = null`;
});
afterAll(async () => {
  await world.stop();
  await ledger.stop();
});

type Labels = Parameters<typeof sources.setLabels>[2];
const label = async (sourceId: string, labels: Partial<Labels>) =>
  sources.setLabels(await world.member("owner"), sourceId, {
    environment: null,
    sensitivity: null,
    trust: null,
    ...labels,
  });
const write = async (): Promise<string> => {
  const t = topic();
  const args = JSON.stringify({ text: t, amount: 1 });
  world.script.push(t, { calls: [{ name: server.wireName("blind"), arguments: args }] }, { text: "done" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  return runId;
};
/** Both labels that must not come together. */
const combine = async (): Promise<void> => {
  await label(world.sourceId, { sensitivity: "confidential" });
  await label(server.sourceId, { trust: "untrusted" });
};

describe("labels of sources (POL-11)", () => {
  test("POL-11 POL-7 rules use them: four eyes for what goes to production, and the explanation says why", async () => {
    await world.admin.sql`insert into tool_policies (workspace_id, level, pattern, decision, four_eyes, condition)
      values (${world.workspaceId}, 'workspace', 'ledger', 'approve', true, 'context.source.environment == "production"')`;
    await label(server.sourceId, { environment: "test" });
    const harmless = await write();
    const [calm] = await world.admin.sql`select four_eyes from approvals where run_id = ${harmless}`;
    await label(server.sourceId, { environment: "production" });
    const risky = await write();
    const [strict] = await world.admin.sql`select four_eyes, explanation from approvals where run_id = ${risky}`;
    expect([calm?.["four_eyes"], strict?.["four_eyes"]]).toEqual([false, true]);
    expect(String(strict?.["explanation"])).toContain("context.source.environment");
    // What became stricter since ends at the click (F48).
    const request = await onlyRequest(world, harmless);
    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "invalid" });
    await decide(world, "approver", await onlyRequest(world, risky), "rejected");
    for (const runId of [harmless, risky]) await world.drive(runId);
    expect(ledger.entries).toEqual([]);
  });

  test("POL-11 only admins of the workspace set them, audited with old and new", async () => {
    const labels = { environment: null, sensitivity: "internal", trust: null } as const;
    await expect(sources.setLabels(await world.member("approver"), world.sourceId, labels)).rejects.toMatchObject({
      code: "forbidden",
    });
    expect(await label(world.sourceId, labels)).toMatchObject({ labels });
    const [row] = await world.admin
      .sql`select data from audit_events where event = 'source.labelled' order by id desc limit 1`;
    expect(row?.["data"]).toMatchObject({ from: { sensitivity: null }, to: { sensitivity: "internal" } });
  });
});

describe("dangerous combinations (POL-11)", () => {
  test("POL-11 confidential sources and untrusted content: an outward tool cannot be connected, with the sources named; lifted by a platform admin it can", async () => {
    const more = await startLedger({ token: TOKEN });
    const small = await startWorld({ mcpPorts: [more.port] });
    try {
      const first = await connectServer(small, { name: "ledger", url: more.url, token: TOKEN });
      await first.classify("blind", "write_external");
      const owner = await small.member("owner");
      await sources.remove(owner, first.sourceId);
      await small.admin
        .sql`update sources set sensitivity = 'confidential', trust = 'untrusted' where id = ${small.sourceId}`;
      const connect = () =>
        sources.connectServer(owner, { serverId: first.serverId, name: "again", confirmed: true }, small.deps.vault);
      await expect(connect()).rejects.toMatchObject({
        code: "dangerous_combination",
        params: { confidential: "orders", untrusted: "orders", server: "ledger" },
      });
      await expect(
        sources.liftCombination(small.as("owner"), small.workspaceId, { lifted: true, reason: "x" }),
      ).rejects.toMatchObject({ code: "forbidden" });
      await expect(
        sources.liftCombination(small.as("admin"), small.workspaceId, { lifted: true, reason: " " }),
      ).rejects.toMatchObject({ code: "reason_required" });
      await sources.liftCombination(small.as("admin"), small.workspaceId, {
        lifted: true,
        reason: "reviewed with the data owner",
      });
      expect(await connect()).toMatchObject({ name: "again" });
      const [row] = await small.admin
        .sql`select actor_id, data from audit_events where event = 'policy.combination_lifted'`;
      expect(row).toEqual({ actor_id: small.people.admin.userId, data: { reason: "reviewed with the data owner" } });
    } finally {
      await small.stop();
      await more.stop();
    }
  });

  test("POL-11 SEC-2 a platform admin sees the combinations of all workspaces, with who lifted the block and why; nobody else does, and nothing else of a workspace shows", async () => {
    const list = async (role: "admin" | "owner" | "outsider") => sources.listCombinations(world.as(role));
    expect(await list("admin")).toEqual([]);
    await label(world.sourceId, { sensitivity: "confidential" });
    expect(await list("admin")).toEqual([]);
    await label(server.sourceId, { trust: "untrusted" });
    const [name] = await world.admin.sql<
      { name: string }[]
    >`select name from workspaces where id = ${world.workspaceId}`;
    const workspace = { id: world.workspaceId, name: name?.name };
    const blocked = { workspace, confidential: ["orders"], untrusted: ["ledger"], lifted: null };
    expect(await list("admin")).toEqual([blocked]);
    const { workspace: _, ...shown } = blocked;
    expect((await workspaces.get(await world.member("member"))).combination).toEqual(shown);
    for (const role of ["owner", "outsider"] as const)
      await expect(list(role)).rejects.toMatchObject({ code: "forbidden" });

    await sources.liftCombination(world.as("admin"), world.workspaceId, { lifted: true, reason: " reviewed " });
    const [lifted] = await list("admin");
    expect(lifted?.lifted).toMatchObject({ by: { id: world.people.admin.userId }, reason: "reviewed" });
    await label(server.sourceId, {});
    expect(await list("admin")).toMatchObject([{ untrusted: [], lifted: { reason: "reviewed" } }]);
    await sources.liftCombination(world.as("admin"), world.workspaceId, { lifted: false, reason: "" });
    expect(await list("admin")).toEqual([]);
    expect((await workspaces.get(await world.member("member"))).combination).toBeNull();

    // Saying that one reviews opens nothing to others, and to admins nothing without such a label.
    await label(server.sourceId, { trust: "untrusted" });
    await label(world.sourceId, {});
    const seen = (role: "admin" | "owner", review: string) =>
      transaction(world.api, { workspaces: [], userId: world.people[role].userId }, async (tx) => {
        await tx`select set_config('aiw.review', ${review}, true)`;
        const [row] =
          await tx`select (select count(*)::int from workspaces) as workspaces, (select count(*)::int from sources) as sources,
          (select count(*)::int from chats) as chats`;
        return row;
      });
    expect(await seen("owner", "combinations")).toEqual({ workspaces: 0, sources: 0, chats: 0 });
    expect(await seen("admin", "other")).toEqual({ workspaces: 0, sources: 0, chats: 0 });
    expect(await seen("admin", "combinations")).toMatchObject({ sources: 1, chats: 0 });
  });

  test("POL-11 connected before the labels came: the tool is gone for the model, called by name nothing is sent, reading goes on", async () => {
    await combine();
    const runId = await write();
    expect(await requestsOf(world, runId)).toEqual([]);
    expect((await callsOf(world, runId)).map((c) => c.status)).toEqual(["failed"]);
    expect((await outputsOf(world, runId))[0]).toContain("There is no tool named");
    expect(ledger.entries).toEqual([]);
    await sources.liftCombination(world.as("admin"), world.workspaceId, { lifted: true, reason: "reviewed" });
    const lifted = await write();
    await decide(world, "approver", await onlyRequest(world, lifted), "approved");
    await world.drive(lifted);
    expect(ledger.entries).toHaveLength(1);
  });

  test("POL-11 the labels come between the model's call and its turn: the call is denied then, and says why", async () => {
    const t = topic();
    const args = JSON.stringify({ text: t, amount: 1 });
    world.script.push(t, { calls: [{ name: server.wireName("blind"), arguments: args }] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.stepOnce(runId);
    await combine();
    await world.drive(runId);
    expect(await requestsOf(world, runId)).toEqual([]);
    expect((await callsOf(world, runId)).map((c) => c.status)).toEqual(["denied"]);
    expect((await outputsOf(world, runId))[0]).toMatch(/^denied: .*confidential/i);
    expect(ledger.entries).toEqual([]);
  });

  test("POL-11 APR-3 approved before the labels came: nothing is executed; asked for before, the click is told", async () => {
    const before = await write();
    const asked = await write();
    await decide(world, "approver", await onlyRequest(world, before), "approved");
    await combine();
    await world.drive(before);
    expect(await onlyRequest(world, before)).toMatchObject({ status: "invalid", invalid_reason: "superseded" });
    await expect(decide(world, "approver", await onlyRequest(world, asked), "approved")).rejects.toMatchObject({
      code: "invalid",
    });
    await world.drive(asked);
    expect(ledger.entries).toEqual([]);
  });
});
