import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as chats from "@aiw/core/chats";
import * as guardrails from "@aiw/core/guardrails";
import * as models from "@aiw/core/models";
import * as secrets from "@aiw/core/secrets";
import * as workspaces from "@aiw/core/workspaces";
import { createGateways } from "@aiw/model/gateways";
import { transaction } from "@aiw/platform/db";
import { createModelEgress } from "@aiw/platform/egress";
import { createLog } from "@aiw/platform/log";
import { createVault } from "@aiw/platform/vault";
import { startGatewaySpy, type GatewaySpy } from "../kit/gateway-spy.ts";
import { eventsOf, readFile, topic } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

const SHARED = "sk-shared-key-of-all-5555";
const PAYMENTS = "sk-key-of-payments-1111";
const LOGISTICS = "sk-key-of-logistics-2222";

const FIELDS = {
  class: "standard",
  tools: true,
  streaming: true,
  contextWindow: null,
  priceIn: null,
  priceCachedIn: null,
  priceOut: null,
  active: true,
} as const;

let world: World;
let spy: GatewaySpy;
let endpointId: string;
beforeAll(async () => {
  world = await startWorld();
  spy = await startGatewaySpy((request) => ({ text: `said by ${request.model}` }));
  endpointId = await addEndpoint(spy.url);
});
afterAll(async () => {
  await world.stop();
  await spy.stop();
});
afterEach(() => {
  spy.respond = null;
});

const addEndpoint = async (
  url: string,
  key: string | null = null,
  api: "responses" | "chat_completions" = "responses",
) =>
  (
    await models.createEndpoint(
      world.as("admin"),
      { name: `g-${randomUUID()}`, url, api, key },
      { vault: world.deps.vault, guard: (at) => createModelEgress(at, { allowedHosts: [], allowLocal: true }) },
    )
  ).id;

const addModel = async (change: Partial<Parameters<typeof models.create>[1]> = {}): Promise<string> => {
  const name = `m-${randomUUID().slice(0, 8)}`;
  return (await models.create(world.as("admin"), { endpointId, name, displayName: name, ...FIELDS, ...change })).id;
};
const nameOf = async (id: string): Promise<string> => {
  const [row] = await world.admin.sql<{ name: string }[]>`select name from models where id = ${id}`;
  return row?.name ?? "";
};
const setKey = (teamId: string | null, key: string | null, at = endpointId) =>
  models.setKey(world.as("admin"), { endpointId: at, teamId }, key, world.deps.vault);
const switchOff = async (id: string): Promise<void> => {
  const { models: all } = await models.list(world.as("admin"));
  const model = all.find((one) => one.id === id);
  if (model === undefined) throw new Error("no such model");
  await models.update(world.as("admin"), id, { ...model, active: false });
};

interface Ended {
  readonly status: string;
  readonly error_code: string | null;
  readonly error_text: string | null;
  readonly model: string;
  readonly cost: number | null;
  readonly context_fill: number;
}
const ended = async (runId: string): Promise<Ended> => {
  await world.drive(runId);
  const [row] = await world.admin.sql<Ended[]>`
    select status, error_code, error_text, model, cost::float8 as cost, context_fill from runs where id = ${runId}`;
  if (row === undefined) throw new Error("no such run");
  return row;
};
/** A message in a chat that is answered by this model. */
const askModel = async (modelId: string, text = topic()): Promise<{ runId: string; chatId: string }> => {
  const chat = await chats.create(await world.member("member"), { model: { modelId } });
  return world.ask(text, "member", chat.id);
};

/** A workspace of another team, with a tested source. */
const otherTeam = async (): Promise<{ workspaceId: string; teamId: string }> => {
  const outsider = world.as("outsider");
  const made = await workspaces.create(
    outsider,
    { name: `Routes ${randomUUID().slice(0, 6)}`, description: "" },
    { approvalTtlS: 86_400, maxToolRounds: 24 },
  );
  await world.admin.sql`
    insert into sources (workspace_id, kind, name, config, secret, secret_last4, status, confirmed_by, created_by)
    select ${made.id}, kind, name, config, null, null, 'tested', ${world.people.outsider.userId}, ${world.people.outsider.userId}
      from sources where id = ${world.sourceId}`;
  return { workspaceId: made.id, teamId: made.team.id };
};
const askThere = async (workspaceId: string, modelId: string): Promise<string> => {
  const ctx = await workspaces.enter(world.as("outsider"), workspaceId);
  const chat = await chats.create(ctx, { model: { modelId } });
  const { run } = await chats.postMessage(ctx, chat.id, { id: randomUUID(), text: topic() }, world.deps.vault);
  return run?.id ?? "";
};

describe("keys of teams (GW-3)", () => {
  test("GW-3 two teams reach the gateway each with its own key; without one the shared key goes; what is set or erased counts from the next call on", async () => {
    const modelId = await addModel();
    const other = await otherTeam();
    const keyOfNext = async (run: () => Promise<string>): Promise<string | null | undefined> => {
      expect(await ended(await run())).toMatchObject({ status: "completed" });
      return spy.seen.at(-1)?.key;
    };
    const payments = async () => (await askModel(modelId)).runId;
    const logistics = () => askThere(other.workspaceId, modelId);
    await setKey(null, SHARED);
    await setKey(world.teamId, PAYMENTS);
    expect([await keyOfNext(payments), await keyOfNext(logistics)]).toEqual([PAYMENTS, SHARED]);
    await setKey(other.teamId, LOGISTICS);
    expect([await keyOfNext(payments), await keyOfNext(logistics)]).toEqual([PAYMENTS, LOGISTICS]);
    await setKey(world.teamId, null);
    expect([await keyOfNext(payments), await keyOfNext(logistics)]).toEqual([SHARED, LOGISTICS]);
    await setKey(other.teamId, null);
  });

  test("GW-3 without any key the run fails with a code and a sentence, and nothing is sent; the key of the environment goes to no other gateway", async () => {
    const lonely = await startGatewaySpy(() => ({ text: "never" }));
    const at = await addEndpoint(lonely.url);
    const { runId } = await askModel(await addModel({ endpointId: at }));
    expect(await ended(runId)).toMatchObject({
      status: "failed",
      error_code: "key_missing",
      error_text: expect.stringContaining("no key"),
    });
    expect(lonely.seen).toEqual([]);
    await lonely.stop();
  });

  test("SEC-2 GW-3 a step that is bound to a workspace sees the keys of its team and the shared ones, no other team's", async () => {
    const other = await otherTeam();
    await setKey(null, SHARED);
    await setKey(world.teamId, PAYMENTS);
    await setKey(other.teamId, LOGISTICS);
    const seen = (workspaceIds: readonly string[]) =>
      transaction(
        world.deps.db,
        { workspaces: workspaceIds },
        (tx) =>
          tx<
            { team_id: string | null }[]
          >`select team_id from model_keys where endpoint_id = ${endpointId} order by team_id nulls first`,
      ).then((rows) => rows.map((row) => row.team_id));
    expect(await seen([world.workspaceId])).toEqual([null, world.teamId]);
    expect(await seen([other.workspaceId])).toEqual([null, other.teamId]);
    expect(await seen([])).toEqual([null]);
    const asMember = transaction(
      world.api,
      { workspaces: [world.workspaceId], userId: world.people.owner.userId },
      (tx) => tx<{ id: string }[]>`select id from model_keys`,
    );
    expect(await asMember).toEqual([]);
    await expect(world.api.sql`select secret from model_keys`).rejects.toThrow("permission denied");
    await setKey(other.teamId, null);
  });

  test("SEC-4 a sealed key copied to another team's row does not open: the run fails and says so", async () => {
    const other = await otherTeam();
    await setKey(world.teamId, PAYMENTS);
    await setKey(other.teamId, LOGISTICS);
    await world.admin.sql`
      update model_keys set secret = (select secret from model_keys k where k.endpoint_id = ${endpointId} and k.team_id = ${other.teamId})
       where endpoint_id = ${endpointId} and team_id = ${world.teamId}`;
    const before = spy.seen.length;
    const { runId } = await askModel(await addModel());
    expect(await ended(runId)).toMatchObject({ status: "failed", error_code: "key_unreadable" });
    expect(spy.seen.length).toBe(before);
    await setKey(world.teamId, PAYMENTS);
    await setKey(other.teamId, null);
  });

  test("SEC-4 GW-3 no key stands in any table, log line, answer or audit row in clear", async () => {
    const lines: string[] = [];
    const log = createLog({ level: "debug", write: (line) => void lines.push(line) });
    await setKey(null, SHARED);
    const answer = await setKey(world.teamId, PAYMENTS);
    const modelId = await addModel();
    // A gateway that repeats what it got, once in words and once as a broken document.
    for (const status of [401, 500]) {
      spy.respond = (request, response) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: `refused ${request.headers.authorization}`, code: "x" } }));
      };
      const { runId } = await askModel(modelId);
      await world.stepOnce(runId, { ...world.deps, log, limits: { ...world.deps.limits, stepAttempts: 1 } });
      log.error("as an error of a library might", {
        error: new Error(`request with ${PAYMENTS} failed`),
      });
      expect((await world.row(runId)).status).toBe("failed");
    }
    const tables = await world.admin.sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
    expect(tables.length).toBeGreaterThan(20);
    const kept = await Promise.all(
      tables.map(({ name }) =>
        world.admin.sql.unsafe<{ text: string }[]>(`select row_to_json(t)::text as text from ${name} t`),
      ),
    );
    const rows = kept.flat().map((row) => row.text);
    expect(rows.some((text) => text.includes("model_key.replaced"))).toBe(true);
    const shown = [...rows, ...lines, JSON.stringify(answer), JSON.stringify(await models.list(world.as("admin")))];
    for (const key of [SHARED, PAYMENTS]) expect(shown.filter((text) => text.includes(key))).toEqual([]);
    expect(answer).toMatchObject({ sharedKey: { last4: "5555" }, teamKeys: [{ teamName: "Payments", last4: "1111" }] });
  });

  test("SEC-4 after a rotation every stored secret opens with the new key alone, and what no key opens is named and left", async () => {
    await setKey(null, SHARED);
    await setKey(world.teamId, PAYMENTS);
    const [oldRing, newKey] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
    const old = createVault(oldRing);
    await models.setKey(world.as("admin"), { endpointId, teamId: null }, SHARED, old);
    await models.setKey(world.as("admin"), { endpointId, teamId: world.teamId }, PAYMENTS, old);
    const system = { actor: { kind: "system" as const }, db: world.admin, log: world.deps.log, requestId: "test" };
    // A sensitive answer, and a history that holds it: the one is sealed anew, the other is frozen and told.
    const { runId } = await askModel(await addModel());
    const requestId = randomUUID();
    await world.admin.sql`
      insert into tool_calls (id, workspace_id, run_id, call_id, step, position, wire_name, args_text, args_sha256)
      values (${requestId}, ${world.workspaceId}, ${runId}, 'c', 1, 0, 'x', '{}', '')`;
    await world.admin.sql`
      insert into approvals (id, workspace_id, run_id, tool_call_id, call_id, tool_id, requester_id, title, snapshot, snapshot_hash, args_text,
                             form, form_version, preview, preconditions, definition_hash, policy_version, level, four_eyes, risk_class,
                             explanation, response_label, sensitive, response)
      values (${requestId}, ${world.workspaceId}, ${runId}, ${requestId}, 'c', 'x', ${world.people.member.userId}, 't', '{}', '', '{}', '{}', 1, '{}',
              '{}', '', 1, 'workspace_admin', false, 'read', '{}', 'PIN', true, ${await old.seal("4711", `request:${requestId}`)})`;
    await world.admin.sql`
      insert into run_items (run_id, item, workspace_id, step, kind, data)
      values (${runId}, 900, ${world.workspaceId}, 1, 'assistant', ${`sealed:${await old.seal("{}", "item")}`})`;
    // The source of the world was sealed with a key that is not in this ring.
    const report = await secrets.rotate(system, createVault(`${newKey},${oldRing}`));
    expect(report.resealed).toBe(3);
    expect(report.frozen).toBe(1);
    expect(report.unreadable).toContain(`source ${world.sourceId}`);
    const fresh = createVault(newKey);
    const rows = await world.admin.sql<{ secret: string; team_id: string | null }[]>`
      select secret, team_id from model_keys where endpoint_id = ${endpointId} order by team_id nulls first`;
    expect(
      await Promise.all(rows.map((row) => fresh.open(row.secret, models.keyContext(endpointId, row.team_id)))),
    ).toEqual([SHARED, PAYMENTS]);
    expect(await secrets.rotate(system, createVault(`${newKey},${oldRing}`))).toMatchObject({
      resealed: 0,
      current: 3,
    });
    await expect(secrets.rotate({ ...system, db: world.deps.db }, fresh)).rejects.toThrow();
    await setKey(null, SHARED);
    await setKey(world.teamId, null);
  });
});

describe("which model answers (GW-2, CHT-1)", () => {
  test("GW-2 the chat's choice goes first, then the workspace's, then the platform's standard; the run records which one it was", async () => {
    const [ofChat, ofWorkspace, ofClass] = [await addModel(), await addModel(), await addModel()];
    const owner = await world.member("owner");
    const plain = async (): Promise<Ended> => ended((await world.ask(topic())).runId);
    expect(await plain()).toMatchObject({ status: "failed", model: "scripted" });
    await models.choose(owner, { modelId: ofWorkspace });
    expect(await plain()).toMatchObject({ status: "completed", model: await nameOf(ofWorkspace) });
    expect(await ended((await askModel(ofChat)).runId)).toMatchObject({ model: await nameOf(ofChat) });
    const { defaults } = await models.list(world.as("admin"));
    await models.setDefaults(world.as("admin"), { ...defaults, thorough: ofClass });
    const effective = await models.choose(owner, { class: "thorough" });
    expect(effective).toMatchObject({ choice: { class: "thorough" }, effective: ofClass });
    expect(await plain()).toMatchObject({ model: await nameOf(ofClass) });
    await models.setDefaults(world.as("admin"), defaults);
    await models.choose(owner, null);
  });

  test("GW-2 a model that is switched off in the middle of a chat is passed over from the next turn on; when none is left the run fails with a reason", async () => {
    const [first, second] = [await addModel(), await addModel()];
    const owner = await world.member("owner");
    await models.choose(owner, { modelId: second });
    const { runId, chatId } = await askModel(first);
    expect(await ended(runId)).toMatchObject({ model: await nameOf(first) });
    await switchOff(first);
    expect(await ended((await world.ask(topic(), "member", chatId)).runId)).toMatchObject({
      status: "completed",
      model: await nameOf(second),
    });
    // The chat keeps its choice, and it cannot be made anew.
    expect((await chats.get(await world.member("member"), chatId)).model).toEqual({ modelId: first });
    await expect(
      chats.update(await world.member("member"), chatId, { model: { modelId: first } }, world.deps.vault),
    ).rejects.toMatchObject({
      code: "model_not_active",
    });
    await switchOff(second);
    const { defaults } = await models.list(world.as("admin"));
    await models.setDefaults(world.as("admin"), { fast: null, standard: null, thorough: null });
    expect(await ended((await world.ask(topic(), "member", chatId)).runId)).toMatchObject({
      status: "failed",
      error_code: "model_missing",
    });
    await models.setDefaults(world.as("admin"), defaults);
    await models.choose(owner, null);
  });

  test("GW-1 GW-2 what one model thought is not sent to another, within a run and in later ones", async () => {
    const t = topic();
    const thoughtful = await startGatewaySpy((request) =>
      request.items.some((item) => item.type === "function_call_output")
        ? { text: "done" }
        : { calls: [readFile("README.md")], reasoning: "sealed thought" },
    );
    const at = await addEndpoint(thoughtful.url, SHARED);
    const [one, two] = [await addModel({ endpointId: at }), await addModel({ endpointId: at })];
    const { runId, chatId } = await askModel(one, t);
    await world.stepOnce(runId);
    await world.stepOnce(runId);
    await chats.update(await world.member("member"), chatId, { model: { modelId: two } }, world.deps.vault);
    expect(await ended(runId)).toMatchObject({ status: "completed", model: await nameOf(two) });
    const sent = thoughtful.asked.at(-1);
    expect(sent?.model).toBe(await nameOf(two));
    expect(sent?.items.map((item) => item.type)).toEqual(["message", "function_call", "function_call_output"]);
    // Back to the first: its own thought is there again.
    await chats.update(await world.member("member"), chatId, { model: { modelId: one } }, world.deps.vault);
    await ended((await world.ask(t, "member", chatId)).runId);
    expect(thoughtful.asked.at(-1)?.items.map((item) => item.type)).toContain("reasoning");
    await thoughtful.stop();
  });

  test.each(["responses", "chat_completions"] as const)(
    "GW-1 GW-2 a model without streaming answers in one piece, one without tools is offered none (%s)",
    async (api) => {
      const at = await addEndpoint(spy.url, SHARED, api);
      const { runId } = await askModel(await addModel({ endpointId: at, streaming: false, tools: false }));
      expect(await ended(runId)).toMatchObject({ status: "completed" });
      expect(spy.asked.at(-1)).toMatchObject({ stream: false, tools: [], api });
      const deltas = (await eventsOf(world, runId)).filter((e) => e.type === "message.delta");
      expect(deltas.map((e) => e.data["text"])).toEqual([expect.stringContaining("said by")]);
    },
  );
});

test("GW-2 the model that configuration names goes along with it at the next start; what admins said about it stays", async () => {
  const system = { actor: { kind: "system" as const }, db: world.admin, log: world.deps.log, requestId: "test" };
  const configured = async () =>
    (await world.admin.sql`select id, name, display_name, version from models where configured`)[0];
  const before = await configured();
  await models.ensureConfigured(system, "gpt-next");
  expect(await configured()).toMatchObject({ name: "gpt-next", display_name: "gpt-next" });
  await world.admin.sql`update models set display_name = 'House model' where configured`;
  await models.ensureConfigured(system, "gpt-after");
  expect(await configured()).toMatchObject({ name: "gpt-after", display_name: "House model" });
  const { version } = { ...(await configured()) };
  await models.ensureConfigured(system, "gpt-after");
  expect(await configured()).toMatchObject({ version });
  const { defaults } = await models.list(world.as("admin"));
  expect(defaults.standard).toBe(before?.["id"]);
  await models.ensureConfigured(system, "scripted");
});

describe("what a run costs (AI-6, RUN-17)", () => {
  test("AI-6 RUN-17 tokens, cost and fill are those of the model that answered; without prices there is no cost", async () => {
    const priced = await addModel({ priceIn: 2, priceOut: 10, contextWindow: 100_000 });
    const { runId, chatId } = await askModel(priced);
    const first = await ended(runId);
    const usage = (await eventsOf(world, runId)).find((e) => e.type === "usage")?.data;
    const tokens = { input: Number(usage?.["inputTokens"]), output: Number(usage?.["outputTokens"]) };
    expect(tokens.input).toBeGreaterThan(0);
    const cost = (tokens.input * 2 + tokens.output * 10) / 1e6;
    expect(first.cost).toBeCloseTo(cost, 9);
    expect(usage).toMatchObject({ model: await nameOf(priced), cost: expect.closeTo(cost, 9) });
    expect(first.context_fill).toBeCloseTo(tokens.input / 100_000, 5);
    const chat = await chats.get(await world.member("member"), chatId);
    expect(chat.runs[0]?.cost).toBeCloseTo(cost, 9);
    expect(await ended((await askModel(await addModel())).runId)).toMatchObject({ cost: null });
  });
});

describe("gateways that cannot be reached (SRC-3)", () => {
  const onceOnly = { stepAttempts: 1 };
  const failing = async (url: string, gateways = world.deps.gateways): Promise<Ended> => {
    const id = randomUUID();
    await world.admin.sql`insert into model_endpoints (id, name, url, api) values (${id}, ${id}, ${url}, 'responses')`;
    await setKey(null, SHARED, id);
    const { runId } = await askModel(await addModel({ endpointId: id }));
    await world.stepOnce(runId, { ...world.deps, gateways, limits: { ...world.deps.limits, ...onceOnly } });
    return ended(runId);
  };

  test("a wrong address, a wrong path and a redirect end the run with a code of their own; the key goes nowhere else", async () => {
    const thief = await startGatewaySpy(() => ({ text: "thanks" }));
    expect(await failing("http://127.0.0.1:9/v1")).toMatchObject({ status: "failed", error_code: "connection_failed" });
    expect(await failing(spy.url.replace("/v1", "/v2"))).toMatchObject({ status: "failed", error_code: "not_found" });
    spy.respond = (_request, response) => void response.writeHead(307, { location: `${thief.url}/responses` }).end();
    expect(await failing(spy.url)).toMatchObject({ status: "failed", error_code: "redirected" });
    expect(thief.seen).toEqual([]);
    await thief.stop();
  });

  test.each([
    "http://127.0.0.1:PORT/v1",
    "http://localhost:PORT/v1",
    "http://[::1]:PORT/v1",
    "https://127.0.0.1/v1",
    "https://10.0.0.8/v1",
    "https://169.254.169.254/v1",
    "https://[fd00:ec2::254]/v1",
    "https://[::ffff:127.0.0.1]/v1",
    "https://localhost/v1",
    "https://gateway.example.com:8443/v1",
    "http://gateway.example.com/v1",
  ])("SRC-3 in production %s is not reached, whatever the row says", async (form) => {
    const port = new URL(spy.url).port;
    const strict = createGateways({
      environment: { baseUrl: spy.url, apiKey: undefined },
      allowedHosts: [],
      allowLocal: false,
      idleTimeoutMs: 2000,
      turnTimeoutMs: 4000,
    });
    const before = spy.seen.length;
    expect(await failing(form.replace("PORT", port), strict)).toMatchObject({
      status: "failed",
      error_code: "host_not_allowed",
    });
    expect(spy.seen.length).toBe(before);
    strict.close();
  });

  test("SRC-3 a name that leads into the private network is not reached either; the operator's list opens exactly one port of it", () => {
    const url = "https://gateway.internal:8443/v1";
    const guard = (allowedHosts: readonly string[]) => createModelEgress(url, { allowedHosts, allowLocal: false });
    expect(() => guard([]).check(url)).toThrow();
    expect(() => guard(["gateway.internal:9999"]).check(url)).toThrow();
    expect(guard(["gateway.internal:8443"]).check(url).host).toBe("gateway.internal:8443");
  });
});

describe("the guardrail map (GW-4, RUN-13)", () => {
  const refuse = (code: string) => {
    spy.respond = (_request, response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "no", code } }));
    };
  };
  const save = (change: Partial<Parameters<typeof guardrails.save>[1]> & { readonly name: string }) =>
    guardrails.save(world.as("admin"), { match: {}, direction: null, userText: null, enabled: true, ...change });

  test("GW-4 RUN-13 a code that an admin adds blocks the next run with its sentence, without a restart, and is not repeated", async () => {
    await setKey(null, SHARED);
    const modelId = await addModel();
    refuse("HOUSE_77");
    expect(await ended((await askModel(modelId)).runId)).toMatchObject({
      status: "failed",
      error_code: "request_refused",
    });
    await save({ name: "house", match: { code: ["HOUSE_77"] }, userText: "The house says no." });
    const before = spy.seen.length;
    const { runId } = await askModel(modelId);
    expect(await ended(runId)).toMatchObject({
      status: "blocked_by_guardrail",
      error_code: "HOUSE_77",
      error_text: "The house says no.",
    });
    expect(spy.seen.length).toBe(before + 1);
    const audit = await world.admin
      .sql`select data from audit_events where run_id = ${runId} and event = 'guardrail.blocked'`;
    expect(audit).toMatchObject([{ data: { rule: "house", code: "HOUSE_77" } }]);
  });

  test("GW-4 RUN-13 the map counts in the middle of a stream too: what was shown is withheld", async () => {
    const midstream = await startGatewaySpy(() => ({
      chunks: ["first half ", "second half"],
      streamFault: "error_event",
      faultCode: "MID_9",
    }));
    await save({ name: "mid", match: { code: ["MID_9"] } });
    const at = await addEndpoint(midstream.url, SHARED);
    const { runId } = await askModel(await addModel({ endpointId: at }));
    expect(await ended(runId)).toMatchObject({ status: "blocked_by_guardrail", error_code: "MID_9" });
    const told = await eventsOf(world, runId);
    expect(told.find((e) => e.type === "message.completed")?.data).toMatchObject({ withheld: true, text: "" });
    await midstream.stop();
  });

  test("GW-4 a line of the product can be switched off and put back; own lines are looked at first", async () => {
    const modelId = await addModel();
    refuse("content_filter");
    const [line] = (await guardrails.list(world.as("admin"))).filter(({ name }) => name === "known_code");
    expect(line).toMatchObject({ builtIn: true, changed: false, enabled: true });
    await save({ name: "known_code", match: line?.match ?? {}, enabled: false });
    expect(await ended((await askModel(modelId)).runId)).toMatchObject({ status: "failed" });
    const after = await guardrails.reset(world.as("admin"), "known_code");
    expect(after.find(({ name }) => name === "known_code")).toMatchObject({ changed: false, enabled: true });
    expect(await ended((await askModel(modelId)).runId)).toMatchObject({ status: "blocked_by_guardrail" });
    await save({ name: "mine", match: { code: ["content_filter"] }, userText: "Mine." });
    expect(await ended((await askModel(modelId)).runId)).toMatchObject({ error_text: "Mine." });
    await guardrails.reset(world.as("admin"), "mine");
    await expect(guardrails.reset(world.as("admin"), "mine")).rejects.toMatchObject({ code: "not_found" });
    await expect(save({ name: "empty" })).rejects.toMatchObject({ code: "bad_request" });
  });
});
