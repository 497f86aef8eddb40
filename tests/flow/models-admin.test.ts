import { createGateways, type Gateways } from "@aiw/model/gateways";
import type { JobsDeps } from "@aiw/function-jobs/compose";
import { runJob } from "@aiw/function-jobs/run-job";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startGatewaySpy, type GatewaySpy } from "../kit/gateway-spy.ts";
import { type Answer, type Api, type Client, startApi } from "./http-fixture.ts";

const KEY = "sk-gateway-key-0123-wxyz";
let api: Api;
let admin: Client;
let owner: Client;
let member: Client;
let spy: GatewaySpy;
let gateways: Gateways;
let jobs: JobsDeps;
beforeAll(async () => {
  spy = await startGatewaySpy(() => ({ text: "ok" }), ["zeta", "alpha", "alpha"]);
  api = await startApi({ modelsLocal: true });
  await api.addTestedSource(api.workspaceId, "owner");
  [admin, owner, member] = [await api.signIn("admin"), await api.signIn("owner"), await api.signIn("member")];
  gateways = createGateways({
    environment: { baseUrl: spy.url, apiKey: "sk-of-the-environment" },
    allowedHosts: [],
    allowLocal: true,
    idleTimeoutMs: 3000,
    turnTimeoutMs: 3000,
  });
  jobs = {
    ctx: { ...api.system, db: api.step },
    vault: api.deps.vault,
    connectors: new Map(),
    gateways,
    ring: async () => undefined,
    hint: async () => undefined,
  };
});
afterAll(async () => {
  gateways.close();
  await api.stop();
  await spy.stop();
});
afterEach(() => {
  spy.respond = null;
});

let count = 0;
const addEndpoint = (change: object = {}): Promise<Answer> => {
  count += 1;
  return admin.call("POST", "/api/admin/model-endpoints", {
    name: `Gateway ${count}`,
    url: spy.url,
    api: "responses",
    key: KEY,
    ...change,
  });
};
const MODEL = {
  displayName: "A model",
  class: "standard",
  tools: true,
  streaming: true,
  contextWindow: 100_000,
  priceIn: 1.25,
  priceCachedIn: null,
  priceOut: 10,
  active: true,
} as const;
const addModel = (endpointId: string, change: object = {}): Promise<Answer> =>
  admin.call("POST", "/api/admin/models", { endpointId, name: "alpha", ...MODEL, ...change });
const everything = async () => (await admin.call("GET", "/api/admin/models")).body;
const endpointOf = async (id: string) => (await everything()).endpoints.find((one: { id: string }) => one.id === id);
const modelOf = async (id: string) => (await everything()).models.find((one: { id: string }) => one.id === id);
const runNewest = (): Promise<void> => runJob(jobs, api.rungJobs.at(-1) ?? "");
const auditOf = async (objectId: string): Promise<string[]> =>
  (
    await api.admin.sql<{ event: string }[]>`select event from audit_events where object_id = ${objectId} order by id`
  ).map((row) => row.event);

test("GW-2 a fresh installation has one model that stands for every class, at the gateway of the environment", async () => {
  const { endpoints, models, defaults } = await everything();
  expect(endpoints).toMatchObject([{ url: null, api: "responses", sharedKey: null, teamKeys: [] }]);
  expect(models).toMatchObject([{ name: "gpt-6-luna", active: true, endpointId: endpoints[0].id }]);
  expect(defaults).toEqual({ fast: models[0].id, standard: models[0].id, thorough: models[0].id });
});

describe("gateways and keys (GW-2, GW-3)", () => {
  test("SEC-4 GW-3 a key is shown by its last four characters alone, replaced, erased, and audited each time without it", async () => {
    const { body } = await addEndpoint();
    expect(body).toMatchObject({
      url: spy.url,
      sharedKey: { last4: "wxyz", changedBy: { name: "admin" } },
      teamKeys: [],
    });
    const at = `/api/admin/model-endpoints/${body.id}`;
    const team = await admin.call("PUT", `${at}/teams/${api.teamId}/key`, { key: "sk-of-a-team-0000-team" });
    expect(team.body.teamKeys).toMatchObject([{ teamName: "Payments", last4: "team" }]);
    expect((await admin.call("PUT", `${at}/key`, { key: "sk-a-later-key-later" })).body.sharedKey.last4).toBe("ater");
    expect((await admin.call("PUT", `${at}/key`, { key: null })).body.sharedKey).toBe(null);
    expect(await auditOf(body.id)).toEqual([
      "model_endpoint.added",
      "model_key.replaced",
      "model_key.replaced",
      "model_key.erased",
    ]);
    const shown = JSON.stringify([
      body,
      team.body,
      await everything(),
      api.logs,
      await api.admin.sql`select data from audit_events`,
    ]);
    for (const key of [KEY, "sk-of-a-team-0000-team", "sk-a-later-key-later"]) expect(shown).not.toContain(key);
  });

  test.for([
    [{ key: "short" }],
    [{ key: "with a blank in it" }],
    [{ key: "sk-ümlaut-0123456789" }],
    [{ key: "sk-line\nbreak-0123456" }],
    [{ key: KEY, isPlatformAdmin: true }],
    [{}],
  ])("N8 a key that cannot travel in a header, or a field nobody knows, is refused: %j", async ([body]) => {
    const { body: made } = await addEndpoint();
    expect((await admin.call("PUT", `/api/admin/model-endpoints/${made.id}/key`, body)).status).toBe(400);
    expect((await endpointOf(made.id)).sharedKey.last4).toBe("wxyz");
  });

  test.for([
    ["ftp://gateway.example.com/v1", "gateway_url_invalid"],
    ["gateway.example.com", "gateway_url_invalid"],
    ["https://user:pass@gateway.example.com/v1", "gateway_url_invalid"],
    ["https://gateway.example.com/v1?api_key=x", "gateway_url_invalid"],
    ["https://gateway.example.com/v1?version=2", "gateway_url_invalid"],
    ["https://gateway.example.com/v1#x", "gateway_url_invalid"],
    ["http://gateway.example.com/v1", "gateway_url_invalid"],
    ["https://gateway.example.com:8443/v1", "gateway_host_not_allowed"],
    ["https://169.254.169.254/v1", "gateway_host_not_allowed"],
    ["https://[fd00:ec2::254]/v1", "gateway_host_not_allowed"],
    ["https://10.1.2.3/v1", "gateway_host_not_allowed"],
    ["https://2130706433.example:22/v1", "gateway_host_not_allowed"],
    ["https://0x0a000001/v1", "gateway_host_not_allowed"],
    ["https://[::ffff:10.0.0.1]/v1", "gateway_host_not_allowed"],
  ])("SRC-3 the address %s is refused with %s", async ([url, code]) => {
    const answer = await addEndpoint({ url });
    expect([answer.status, answer.body.code, Object.keys(answer.body.fields)]).toEqual([400, code, ["url"]]);
  });

  test("GW-3 a removed gateway loses its keys and its models; one whose model stands for a class stays", async () => {
    const { body: endpoint } = await addEndpoint();
    const { body: model } = await addModel(endpoint.id);
    const { defaults } = await everything();
    await admin.call("PUT", "/api/admin/model-defaults", { ...defaults, fast: model.id });
    const remove = () => admin.call("DELETE", `/api/admin/model-endpoints/${endpoint.id}`);
    expect((await remove()).body).toMatchObject({ code: "model_in_use" });
    expect((await admin.call("DELETE", `/api/admin/models/${model.id}`)).body).toMatchObject({ code: "model_in_use" });
    const off = await admin.call("PUT", `/api/admin/models/${model.id}`, { ...MODEL, version: 1, active: false });
    expect(off.body).toMatchObject({ code: "model_in_use" });
    await admin.call("PUT", "/api/admin/model-defaults", defaults);
    expect((await remove()).status).toBe(204);
    expect(await api.admin.sql`select from model_keys where endpoint_id = ${endpoint.id}`).toHaveLength(0);
    expect(await modelOf(model.id)).toBeUndefined();
    const environment = (await everything()).endpoints[0].id;
    expect((await admin.call("DELETE", `/api/admin/model-endpoints/${environment}`)).status).toBe(404);
  });
});

describe("models (GW-2)", () => {
  test("GW-2 a model is added once, changed by whoever saw its latest state, and audited with old and new values", async () => {
    const { body: endpoint } = await addEndpoint();
    const made = await addModel(endpoint.id);
    expect(made).toMatchObject({
      status: 201,
      body: { priceIn: 1.25, priceCachedIn: null, contextWindow: 100_000, version: 1 },
    });
    expect((await addModel(endpoint.id)).body).toMatchObject({ code: "name_taken", fields: { name: "taken" } });
    const at = `/api/admin/models/${made.body.id}`;
    const change = await admin.call("PUT", at, { ...MODEL, version: 1, priceOut: 12.5 });
    expect(change.body).toMatchObject({ priceOut: 12.5, version: 2 });
    expect((await admin.call("PUT", at, { ...MODEL, version: 1 })).body).toMatchObject({ code: "conflict" });
    const [row] = await api.admin.sql`
      select data from audit_events where event = 'model.changed' and object_id = ${made.body.id}`;
    expect(row?.["data"]).toMatchObject({ changes: { priceOut: { from: 10, to: 12.5 } } });
    expect(Object.keys(row?.["data"].changes)).toEqual(["priceOut"]);
  });

  test("GW-2 the list of a gateway is fetched by a job with the shared key; nothing is added by itself", async () => {
    const { body: endpoint } = await addEndpoint();
    const asked = await admin.call("POST", `/api/admin/model-endpoints/${endpoint.id}/import`);
    expect(asked).toMatchObject({ status: 202, body: { kind: "model_import", status: "queued" } });
    expect((await endpointOf(endpoint.id)).importing).toBe(true);
    const before = (await everything()).models.length;
    await runNewest();
    expect(spy.seen.at(-1)).toEqual({ http: "GET /v1/models", key: KEY });
    expect(await endpointOf(endpoint.id)).toMatchObject({
      importing: false,
      lastImport: { ok: true, models: ["alpha", "zeta"], cut: false, code: null },
    });
    expect((await everything()).models).toHaveLength(before);
  });

  test("GW-2 a gateway that names half a million models, huge ones and unusable ones fills no row", async () => {
    const { body: endpoint } = await addEndpoint();
    spy.respond = (_request, response) => {
      const data = [
        ...Array.from({ length: 3000 }, (_, n) => ({ id: `model-${String(n).padStart(6, "0")}` })),
        { id: "x".repeat(5000) },
        { id: "" },
        { id: 7 },
        { id: "nul\u0000" },
      ];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data }));
    };
    await admin.call("POST", `/api/admin/model-endpoints/${endpoint.id}/import`);
    await runNewest();
    const { lastImport } = await endpointOf(endpoint.id);
    expect([lastImport.models.length, lastImport.cut]).toEqual([500, true]);
  });

  test.for([
    [401, '{"error":{"message":"bad key sk-gateway-key-0123-wxyz","code":"invalid_api_key"}}', "key_refused"],
    [404, '{"error":{"message":"no such model","code":"model_not_found"}}', "model_not_found"],
    [500, "<html>oops</html>", "gateway_error"],
    [302, "", "redirected"],
    [200, "this is no stream", "stream_truncated"],
  ] as const)(
    "GW-2 a test that fails says why, in a code and a sentence without the key (%s %s)",
    async ([status, body, code]) => {
      const { body: endpoint } = await addEndpoint();
      const { body: model } = await addModel(endpoint.id);
      spy.respond = (_request, response) => {
        response.writeHead(status, status === 302 ? { location: "http://127.0.0.1:9/" } : {});
        response.end(body);
      };
      expect((await admin.call("POST", `/api/admin/models/${model.id}/test`)).body).toMatchObject({
        kind: "model_test",
      });
      await runNewest();
      const tested = await modelOf(model.id);
      expect(tested).toMatchObject({ testing: false, lastTest: { ok: false, code } });
      expect(tested.lastTest.message).not.toBe("");
      expect(JSON.stringify(tested)).not.toContain(KEY);
    },
  );

  test("GW-2 a test that succeeds says how long the first text and all of it took; a second click meanwhile finds the same job", async () => {
    const { body: endpoint } = await addEndpoint();
    const { body: model } = await addModel(endpoint.id);
    const first = await admin.call("POST", `/api/admin/models/${model.id}/test`);
    expect((await admin.call("POST", `/api/admin/models/${model.id}/test`)).body.id).toBe(first.body.id);
    await runNewest();
    const { lastTest } = await modelOf(model.id);
    expect(lastTest).toMatchObject({ ok: true, code: null, message: null });
    expect(lastTest.totalMs).toBeGreaterThanOrEqual(lastTest.firstTextMs);
    expect(await auditOf(model.id)).toEqual(["model.added", "model.tested"]);
    // A message for a job that is done changes nothing.
    const asked = spy.asked.length;
    await runNewest();
    expect(spy.asked.length).toBe(asked);
  });

  test("GW-2 without a shared key a test says so; the environment's key serves the environment's gateway alone", async () => {
    const { body: endpoint } = await addEndpoint({ key: null });
    const { body: model } = await addModel(endpoint.id);
    await admin.call("POST", `/api/admin/models/${model.id}/test`);
    const before = spy.seen.length;
    await runNewest();
    expect((await modelOf(model.id)).lastTest).toMatchObject({ ok: false, code: "key_missing" });
    expect(spy.seen.length).toBe(before);
    const standing = (await everything()).models.find((one: { name: string }) => one.name === "gpt-6-luna");
    await admin.call("POST", `/api/admin/models/${standing.id}/test`);
    await runNewest();
    expect((await modelOf(standing.id)).lastTest).toMatchObject({ ok: true });
    expect(spy.seen.at(-1)?.key).toBe("sk-of-the-environment");
  });
});

describe("choosing (GW-2, CHT-1)", () => {
  test("GW-2 CHT-1 admins choose for the workspace, every member for a chat, among what is switched on; a foreign or dead id is none", async () => {
    const { body: endpoint } = await addEndpoint();
    const { body: model } = await addModel(endpoint.id, { displayName: "Chosen" });
    const { body: dead } = await addModel(endpoint.id, { name: "dead", active: false });
    const at = `/api/workspaces/${api.workspaceId}`;
    const offered = (await member.call("GET", `${at}/models`)).body;
    expect(offered.models.map((one: { id: string }) => one.id)).toContain(model.id);
    expect(JSON.stringify(offered)).not.toContain(dead.id);
    expect((await owner.call("PUT", `${at}/model`, { choice: { modelId: model.id } })).body).toMatchObject({
      choice: { modelId: model.id },
      effective: model.id,
    });
    expect((await owner.call("PUT", `${at}/model`, { choice: { modelId: dead.id } })).body).toMatchObject({
      code: "model_not_active",
    });
    // What never was a model is a fault of the field, not one that is switched off.
    for (const unknown of [endpoint.id, "00000000-0000-7000-8000-000000000000"]) {
      const no = { status: 400, body: { code: "bad_request", fields: { model: "invalid" } } };
      expect(await owner.call("PUT", `${at}/model`, { choice: { modelId: unknown } })).toMatchObject(no);
      expect(await member.call("POST", `${at}/chats`, { model: { modelId: unknown } })).toMatchObject(no);
    }
    for (const choice of [{ modelId: model.id, class: "fast" }, { class: "best" }, "fast", {}, { modelId: "x" }])
      expect((await owner.call("PUT", `${at}/model`, { choice })).status).toBe(400);
    const chat = await member.call("POST", `${at}/chats`, { model: { class: "fast" } });
    expect(chat.body).toMatchObject({ model: { class: "fast" } });
    const changed = await owner.call("PATCH", `${at}/chats/${chat.body.id}`, { model: { modelId: model.id } });
    expect(changed.body).toMatchObject({ model: { modelId: model.id } });
    expect((await member.call("PATCH", `${at}/chats/${chat.body.id}`, { title: "kept" })).body).toMatchObject({
      model: { modelId: model.id },
    });
    expect((await member.call("PATCH", `${at}/chats/${chat.body.id}`, { model: null })).body).toMatchObject({
      model: null,
    });
    expect((await member.call("POST", `${at}/chats`, { model: { modelId: dead.id } })).body).toMatchObject({
      code: "model_not_active",
    });
    await owner.call("PUT", `${at}/model`, { choice: null });
    const rows = await api.admin.sql`
      select data from audit_events where workspace_id = ${api.workspaceId} and event = 'workspace.updated' order by id`;
    expect(rows.map((row) => row["data"])).toEqual([
      { model: { modelId: model.id }, before: null },
      { model: null, before: { modelId: model.id } },
    ]);
  });

  test("N8 nothing of a gateway, its keys or its prices is told to who only chooses", async () => {
    await addEndpoint({ name: "Secret gateway" });
    const { body } = await member.call("GET", `/api/workspaces/${api.workspaceId}/models`);
    expect(Object.keys(body.models[0])).toEqual(["id", "displayName", "class", "tools", "contextWindow"]);
    expect(JSON.stringify(body)).not.toMatch(/Secret gateway|127\.0\.0\.1|wxyz/);
  });
});
