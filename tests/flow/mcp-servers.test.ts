import { createMcpConnector } from "@aiw/connectors/mcp";
import * as jobs from "@aiw/core/jobs";
import * as mcpServers from "@aiw/core/mcp-servers";
import { canonical } from "@aiw/core/tools";
import type { JobsDeps } from "@aiw/function-jobs/compose";
import { runJob } from "@aiw/function-jobs/run-job";
import { ORDERS_SERVER_NAME, startOrdersServer, type OrdersServer } from "@aiw/infra/local/mcp-server/server";
import { sqlState } from "@aiw/platform/db";
import { createEgress } from "@aiw/platform/egress";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Api, type Client, startApi } from "./http-fixture.ts";

const TOKEN = "orders-token-0123456789-abcd";
let api: Api;
let admin: Client;
let owner: Client;
let orders: OrdersServer;
let deps: JobsDeps;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "aiw-orders-"));
  orders = await startOrdersServer({ dataDir: directory, token: TOKEN });
  const mcpHosts = [`127.0.0.1:${orders.port}`, "mcp.example.com"];
  api = await startApi({ mcpHosts });
  admin = await api.signIn("admin");
  owner = await api.signIn("owner");
  const mcp = createMcpConnector({
    egress: createEgress({ allowedHosts: mcpHosts, allowLocal: true }),
    canonical,
    nativeTools: [],
  });
  deps = {
    ctx: { ...api.system, db: api.step },
    vault: api.deps.vault,
    connectors: new Map([["mcp", mcp]]),
    gateways: {
      open: () => {
        throw new Error("no gateway is asked here");
      },
    },
    ring: async () => undefined,
    hint: async () => undefined,
  };
});
afterAll(async () => {
  await api.stop();
  await orders.stop();
  rmSync(directory, { recursive: true, force: true });
});

let count = 0;
const register = (change: object = {}): Promise<Answer> => {
  count += 1;
  return admin.call("POST", "/api/admin/mcp-servers", {
    name: `server${count}`,
    url: orders.url,
    token: TOKEN,
    ...change,
  });
};
const runNewest = async (): Promise<void> => runJob(deps, api.rungJobs.at(-1) ?? "");
const serverOf = async (id: string) =>
  (await admin.call("GET", "/api/admin/mcp-servers")).body.items.find((one: { id: string }) => one.id === id);
const sourcesAt = (): string => `/api/workspaces/${api.workspaceId}`;

describe("registration (MCP-1)", () => {
  test("MCP-1 a registered server is asked for its tools by a job; they are known, unclassified, with what it says as a suggestion", async () => {
    const made = await register({ name: ORDERS_SERVER_NAME });
    expect(made).toMatchObject({ status: 201, body: { fetching: true, secretLast4: "abcd", lastDiscovery: null } });
    await runNewest();
    expect(await serverOf(made.body.id)).toMatchObject({
      fetching: false,
      lastDiscovery: { ok: true, serverName: "orders", tools: 4, changes: { added: expect.any(Array), reset: [] } },
      tools: { total: 4, unclassified: 4, missing: 0 },
      instructions: expect.stringContaining("Orders of a small shop"),
    });
    const tools = (await admin.call("GET", "/api/admin/tools")).body.items;
    const found = tools.filter((tool: { server: string | null }) => tool.server === "orders");
    expect(
      found.map((tool: Record<string, unknown>) => [tool["id"], tool["riskClass"], tool["suggestedRiskClass"]]),
    ).toEqual([
      ["orders.check_stock", null, "read"],
      ["orders.delete_order", null, "destructive"],
      ["orders.process", null, "write_external"],
      ["orders.process_refund", null, "write_external"],
    ]);
    expect(tools.find((tool: { id: string }) => tool.id === "git.read_file")).toMatchObject({
      server: null,
      settings: null,
    });
  });

  test("SEC-4 the token is sealed for its row, and in no answer, log or audit row", async () => {
    const { body } = await register();
    const [row] = await api.admin.sql`select secret from mcp_servers where id = ${body.id}`;
    expect(await api.deps.vault.open(String(row?.["secret"]), mcpServers.secretContext(body.id))).toBe(TOKEN);
    const audit = await api.admin.sql`select data::text from audit_events`;
    for (const text of [
      JSON.stringify(body),
      JSON.stringify(await serverOf(body.id)),
      JSON.stringify(audit),
      api.logs.join("\n"),
    ])
      expect(text).not.toContain(TOKEN);
  });

  test.for(["Orders", "a__b", "a_", "_a", "1a", "git", "memory", "approvals", "a-b", "a b", "ördres", "x".repeat(25)])(
    "N40 the name %j is refused",
    async (name) => {
      const answer = await register({ name });
      expect([answer.status, Object.keys(answer.body.fields)]).toEqual([400, ["name"]]);
    },
  );

  test.for([
    ["ftp://mcp.example.com/mcp", "source_url_invalid"],
    ["https://user:pass@mcp.example.com/mcp", "source_url_invalid"],
    ["https://mcp.example.com/mcp?api_key=x", "source_url_invalid"],
    ["https://mcp.example.com/mcp#x", "source_url_invalid"],
    ["http://mcp.example.com/mcp", "source_url_invalid"],
    ["https://other.example.com/mcp", "source_host_not_allowed"],
    ["https://git.example.com/mcp", "source_host_not_allowed"],
    ["https://169.254.169.254/mcp", "source_host_not_allowed"],
  ])("SRC-3 N50 the address %s is refused as %s before anything is stored", async ([url, code]) => {
    const answer = await register({ url });
    expect(answer.body).toMatchObject({ code, fields: { url: expect.any(String) } });
  });

  test("MCP-1 a name is one server's; *Fetch tools* clicked twice is one job; a wrong token is told", async () => {
    const { body } = await register({ name: "twice", token: "not-the-right-token" });
    expect((await register({ name: "twice" })).body).toMatchObject({ code: "name_taken", fields: { name: "taken" } });
    const fetchTools = (): Promise<Answer> => admin.call("POST", `/api/admin/mcp-servers/${body.id}/fetch`);
    const ids = (await Promise.all([fetchTools(), fetchTools(), fetchTools()])).map((answer) => answer.body.id);
    expect(new Set(ids).size).toBe(1);
    await runNewest();
    expect(await serverOf(body.id)).toMatchObject({ lastDiscovery: { ok: false, code: "source_auth_failed" } });
    await admin.call("PUT", `/api/admin/mcp-servers/${body.id}/token`, { token: TOKEN });
    await fetchTools();
    await runNewest();
    expect(await serverOf(body.id)).toMatchObject({ lastDiscovery: { ok: true }, tools: { total: 4 } });
  });

  test("MCP-1 servers are asked daily: once, and not while a fetch is open", async () => {
    const { body } = await register();
    expect(await mcpServers.openDue(api.step)).toEqual([]);
    await runNewest();
    await api.shift(86_401);
    // Sessions end in a day too.
    [admin, owner] = await Promise.all([api.signIn("admin"), api.signIn("owner")]);
    const opened = await mcpServers.openDue(api.step);
    expect(opened.length).toBeGreaterThan(0);
    expect(await mcpServers.openDue(api.step)).toEqual([]);
    for (const id of opened) await runJob(deps, id);
    expect((await serverOf(body.id)).lastDiscovery.ok).toBe(true);
  });

  test("RUN-5 a job of the platform whose doorbell was lost is rung again, and only platform admins see it", async () => {
    await register();
    const [id = ""] = api.rungJobs.slice(-1);
    await api.shift(16);
    expect((await jobs.ringDue(api.step, 15)).map((due) => due.id)).toContain(id);
    const seenBy = (userId: string): Promise<number> =>
      api.deps.db.sql.begin(async (tx) => {
        await tx`select set_config('aiw.user_id', ${userId}, true), set_config('aiw.workspaces', ${api.workspaceId}, true)`;
        const [row] = await tx<{ n: number }[]>`select count(*)::int as n from jobs where id = ${id}`;
        return row?.n ?? -1;
      });
    expect([await seenBy(api.ids.owner), await seenBy(api.ids.admin)]).toEqual([0, 1]);
    await runNewest();
  });
});

describe("in a workspace (MCP-1, SRC-2)", () => {
  test("SRC-2 an admin connects a server after confirming who sees it, once; its tools are listed where it is connected alone", async () => {
    const { body: server } = await register({ name: "shared" });
    await runNewest();
    const connect = (change: object = {}): Promise<Answer> =>
      owner.call("POST", `${sourcesAt()}/mcp-sources`, {
        serverId: server.id,
        name: "Shared",
        confirmed: true,
        ...change,
      });
    expect((await connect({ confirmed: false })).body.code).toBe("confirmation_required");
    const listed = async (client: Client, at: string): Promise<string[]> =>
      (await client.call("GET", `${at}/tools`)).body.items.map((tool: { id: string }) => tool.id);
    expect(await listed(owner, sourcesAt())).not.toContain("shared.process");
    const made = await connect();
    expect(made).toMatchObject({
      status: 201,
      body: {
        kind: "mcp",
        status: "untested",
        secretLast4: null,
        usesPlatformToken: true,
        config: { url: orders.url, server: "shared", branch: null },
      },
    });
    expect((await connect({ name: "Again" })).body.code).toBe("mcp_server_connected");
    expect(await listed(owner, sourcesAt())).toContain("shared.process");
    const outsider = await api.signIn("outsider");
    expect(await listed(outsider, `/api/workspaces/${api.otherWorkspaceId}`)).not.toContain("shared.process");
    const available = (await owner.call("GET", `${sourcesAt()}/mcp-servers`)).body.items;
    expect(available.find((one: { name: string }) => one.name === "shared")).toMatchObject({
      connected: true,
      hasToken: true,
      tools: { total: 4, unclassified: 4 },
    });
    expect(JSON.stringify(available)).not.toContain("instructions");

    const test = async (): Promise<void> => {
      await owner.call("POST", `${sourcesAt()}/sources/${made.body.id}/test`);
      await runNewest();
    };
    const status = async (): Promise<string> =>
      (await owner.call("GET", `${sourcesAt()}/sources/${made.body.id}`)).body.status;
    await test();
    expect(await status()).toBe("tested");
    const replace = (body: object): Promise<Answer> =>
      owner.call("PUT", `${sourcesAt()}/sources/${made.body.id}/secret`, body);
    expect((await replace({ token: "a-wrong-own-token", username: "u" })).body.fields).toEqual({ username: "unknown" });
    expect((await replace({ token: "a-wrong-own-token" })).body).toMatchObject({
      status: "untested",
      secretLast4: "oken",
      usesPlatformToken: false,
    });
    await test();
    expect(await status()).toBe("failed");

    await admin.call("DELETE", `/api/admin/mcp-servers/${server.id}`);
    await runNewest();
    expect((await owner.call("GET", `${sourcesAt()}/sources/${made.body.id}`)).body).toMatchObject({
      status: "failed",
      lastTest: { stages: [{ code: "mcp_server_removed" }] },
    });
    expect(await listed(owner, sourcesAt())).not.toContain("shared.process");
    expect((await owner.call("DELETE", `${sourcesAt()}/sources/${made.body.id}`)).status).toBe(204);
  });
});

describe("classification (POL-4, MCP-2)", () => {
  const classify = async (id: string, change: object): Promise<Answer> => {
    const tool = (await admin.call("GET", "/api/admin/tools")).body.items.find((one: { id: string }) => one.id === id);
    const { version, definitionHash, level, fourEyes } = tool;
    const body = { version, definitionHash, riskClass: "write_external", decision: null, level, fourEyes, ...change };
    return admin.call("PUT", `/api/admin/tools/${id}/classification`, body);
  };
  const probe = { tool: "check_stock", arguments: { item: "napkins" }, path: "in_stock", equals: 1 };

  test("MCP-2 declarations are checked against the definition; a probe only with a tool that is classified as reading", async () => {
    const refused = async (settings: object): Promise<string[]> => {
      const answer = await classify("orders.process", { settings });
      expect(answer.status).toBe(400);
      return Object.keys(answer.body.fields);
    };
    expect(await refused({ serverArguments: { nothing: 1 } })).toEqual(["serverArguments.nothing"]);
    expect(await refused({ idempotencyArgument: "nothing" })).toEqual(["idempotencyArgument"]);
    expect(await refused({ probe })).toEqual(["settings.probe.tool"]);
    expect(await refused({ probe: { ...probe, definitionHash: "x" } })).toEqual(["definitionHash"]);
    await classify("orders.check_stock", { riskClass: "read" });
    expect(await refused({ probe: { ...probe, arguments: { other: 1 } } })).toEqual(["settings.probe.arguments.other"]);
    expect(await refused({ probe: { ...probe, arguments: { item: { $argument: "nothing" } } } })).toEqual([
      "probe.arguments.item",
    ]);
    let deep: unknown = 1;
    for (let depth = 0; depth < 100; depth += 1) deep = [deep];
    expect(await refused({ serverArguments: { order_id: deep } })).toHaveLength(1);
    const saved = await classify("orders.process", { settings: { idempotencyArgument: "idempotency_key", probe } });
    expect(saved.body.settings).toMatchObject({
      idempotencyArgument: "idempotency_key",
      probe: { tool: "check_stock" },
    });
    const kept = await classify("orders.process", { decision: "require_approval" });
    expect(kept.body.settings).toEqual(saved.body.settings);
    expect((await classify("git.read_file", { riskClass: "read", settings: {} })).body.fields).toEqual({
      settings: "unknown",
    });
  });

  test("SEC-2 the step's role can make a tool known and take a classification away, and never give one", async () => {
    for (const statement of [
      "update tools set risk_class = 'read'",
      "insert into tools (id, wire_name, kind, source_kind, definition, definition_hash, suggested_risk_class) values ('a.b', 'a__b', 'mcp', 'mcp:a', '{}', 'x', 'read')",
      "update mcp_servers set url = 'https://evil.example/mcp'",
      "insert into mcp_servers (name, url, created_by) select 'evil', 'https://evil.example', id from users",
    ]) {
      const outcome = await api.step.sql.unsafe(statement).then(
        () => "done",
        (error: unknown) => sqlState(error),
      );
      expect([statement, outcome]).toEqual([statement, "42501"]);
    }
    const direct = await api.deps.db.sql`select tools_discovered_v1(uuidv7(), null, '[]')`.then(
      () => "done",
      (error: unknown) => sqlState(error),
    );
    expect(direct).toBe("42501");
  });
});
