import { randomBytes, randomUUID } from "node:crypto";
import { BUILT_IN_AGENT } from "@aiw/contract/agents";
import { type Endpoint, ENDPOINTS, type EndpointName } from "@aiw/contract/api";
import * as identity from "@aiw/core/identity";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, type Api, type Client, type Role, startApi } from "./http-fixture.ts";
import { addWaiting, SNAPSHOT_HASH } from "./http-records.ts";

const ACTORS = ["anonymous", "disabled", "outsider", "admin", "global", "member", "approver", "owner"] as const;
type Actor = (typeof ACTORS)[number];

interface Row {
  /** What each actor gets for things of the workspace "Orders", in the order of ACTORS. The requester is the member. */
  readonly own: string;
  readonly body?: (ids: Ids) => unknown;
}

const hash = SNAPSHOT_HASH;
const MEMBERS = "401 401 404 404 404 200 200 200";
const ADMINS = "401 401 404 404 404 403 403 200";
const PLATFORM = "401 401 403 200 403 403 403 403";
const NO_LIMITS = { modelCalls: null, runTokens: null, runWallS: null, toolResultBytes: null, identicalCalls: null };
const PLATFORM_MAKES = "401 401 403 201 403 403 403 403";

const RULE = {
  pattern: "git",
  decision: "approve",
  condition: null,
  approvalLevel: null,
  fourEyes: null,
  label: "",
} as const;
const MODEL = {
  displayName: "Model",
  class: "standard",
  tools: true,
  streaming: true,
  contextWindow: null,
  priceIn: null,
  priceCachedIn: null,
  priceOut: null,
  active: true,
} as const;
const SAMPLE = { toolId: "git.read_file", args: "{}", role: "member", draft: null } as const;

/** An endpoint without a row fails: nobody thought about who may call it. */
const TABLE: Record<string, Row> = {
  config: { own: "200 200 200 200 200 200 200 200" },
  login: { own: "401 401 401 401 401 401 401 401", body: () => ({ name: randomUUID(), password: "wrong" }) },
  logout: { own: "204 204 204 204 204 204 204 204" },
  me: { own: "401 401 200 200 200 200 200 200" },
  changePassword: { own: "401 401 400 400 400 400 400 400", body: () => ({ current: "x", next: "short" }) },

  listWorkspaces: { own: "401 401 200 200 200 200 200 200" },
  // Who is in no team has no place to make one.
  createWorkspace: { own: "401 401 201 403 403 201 201 201", body: () => ({ name: randomUUID() }) },
  getWorkspace: { own: MEMBERS },
  updateWorkspace: { own: ADMINS, body: () => ({ description: "changed" }) },
  listCandidates: { own: ADMINS },
  setMember: { own: ADMINS, body: () => ({ role: "member" }) },
  removeMember: { own: ADMINS },
  listWorkspaceTools: { own: MEMBERS },
  setWorkspaceTool: { own: ADMINS, body: () => ({ active: true }) },
  listAudit: { own: ADMINS },
  getAgent: { own: MEMBERS },
  // The starter answers; the question does not say that others may (RUN-22).
  answerQuestion: { own: "401 401 404 404 404 200 403 403", body: () => ({ text: "yes" }) },
  saveAgent: { own: ADMINS, body: () => ({ version: 0, settings: BUILT_IN_AGENT }) },

  listSources: { own: MEMBERS },
  createSource: {
    own: "401 401 404 404 404 403 403 201",
    body: () => ({ kind: "git", name: randomUUID(), url: "https://git.example.com/a/b", confirmed: true }),
  },
  listAvailableServers: { own: ADMINS },
  connectServer: {
    own: "401 401 404 404 404 403 403 201",
    body: (ids) => ({ serverId: ids.serverId, name: randomUUID(), confirmed: true }),
  },
  getSource: { own: MEMBERS },
  replaceSecret: { own: ADMINS, body: () => ({ token: "a-new-token-for-git" }) },
  setSourceLabels: { own: ADMINS, body: () => ({ environment: "test", sensitivity: null, trust: null }) },
  listCombinations: { own: PLATFORM },
  liftCombination: {
    own: PLATFORM,
    body: (ids) => ({ workspaceId: ids.workspaceId, lifted: true, reason: "looked at" }),
  },
  removeSource: { own: "401 401 404 404 404 403 403 204" },
  // Once per workspace, and the second one is told so.
  connectUploads: {
    own: "401 401 404 404 404 403 403 409",
    body: () => ({ name: randomUUID(), confirmed: true }),
  },
  listUploads: { own: MEMBERS },
  createUpload: { own: "401 401 404 404 404 201 201 201", body: () => ({ name: "a.csv", sizeBytes: 10 }) },
  // Of the member: nobody else says that it was sent; an admin may delete it.
  completeUpload: { own: "401 401 404 404 404 202 403 403" },
  removeUpload: { own: "401 401 404 404 404 204 403 204" },
  testSource: { own: "401 401 404 404 404 403 403 202" },
  getJob: { own: MEMBERS },

  listChats: { own: MEMBERS },
  createChat: { own: "401 401 404 404 404 201 201 201", body: () => ({}) },
  getChat: { own: MEMBERS },
  updateChat: { own: MEMBERS, body: () => ({ title: "renamed" }) },
  sendMessage: { own: "401 401 404 404 404 202 202 202", body: () => ({ id: randomUUID(), text: "hello" }) },

  listRuns: { own: MEMBERS },
  getRun: { own: MEMBERS },
  runEvents: { own: MEMBERS },
  runEventList: { own: MEMBERS },
  cancelRun: { own: "401 401 404 404 404 200 403 200" },
  // The run waits: who may resume is told that there is nothing to resume.
  resumeRun: { own: "401 401 404 404 404 409 403 409" },
  reconcileRun: {
    own: "401 401 404 404 404 403 403 409",
    body: (ids) => ({ approvalId: ids.approvalId, outcome: "end", comment: "looked" }),
  },

  listApprovals: { own: "401 401 200 200 200 200 200 200" },
  getApproval: { own: MEMBERS },
  approve: { own: "401 401 404 404 404 403 200 200", body: () => ({ seenHash: hash }) },
  reject: { own: "401 401 404 404 404 403 200 200", body: () => ({ seenHash: hash, reason: "no" }) },
  requestAgain: { own: "401 401 404 404 404 409 403 409" },
  decide: { own: "401 401 404 404 404 403 200 200", body: () => ({ status: "approved", seen_hash: hash }) },
  decideMany: {
    own: "401 401 200 200 200 200 200 200",
    body: (ids) => ({ status: "rejected", reason: "no", requests: [{ approvalId: ids.approvalId, seenHash: hash }] }),
  },
  listKeys: { own: MEMBERS },
  createKey: {
    own: "401 401 404 404 404 201 201 201",
    body: () => ({ name: "service", scopes: ["approvals.view"], expiresInDays: 1 }),
  },
  // A key of the member: its owner and admins, and nobody else learns of it.
  revokeKey: { own: "401 401 404 404 404 204 404 204" },
  inboxEvents: { own: "401 401 200 200 200 200 200 200" },

  listPolicies: { own: MEMBERS },
  createPolicy: { own: "401 401 404 404 404 403 403 201", body: () => ({ ...RULE, sourceId: null }) },
  updatePolicy: { own: ADMINS, body: () => ({ ...RULE, sourceId: null, version: 1 }) },
  removePolicy: { own: "401 401 404 404 404 403 403 204" },
  tryPolicy: { own: ADMINS, body: () => ({ ...SAMPLE, sourceId: null }) },
  setWriteStop: { own: ADMINS, body: () => ({ stopped: false }) },
  getWriteStop: { own: MEMBERS },
  listPlatformPolicies: { own: PLATFORM },
  createPlatformPolicy: { own: PLATFORM_MAKES, body: () => RULE },
  updatePlatformPolicy: { own: PLATFORM, body: () => ({ ...RULE, version: 1 }) },
  removePlatformPolicy: { own: "401 401 403 204 403 403 403 403" },
  tryPlatformPolicy: { own: PLATFORM, body: () => ({ ...SAMPLE, writePolicy: "risk_based" }) },
  setPlatformWriteStop: { own: PLATFORM, body: () => ({ stopped: false }) },
  getPlatformWriteStop: { own: PLATFORM },

  listUsers: { own: PLATFORM },
  createUser: {
    own: PLATFORM_MAKES,
    body: () => ({
      name: randomUUID(),
      displayName: "New",
      teamIds: [],
      isPlatformAdmin: false,
      isGlobalApprover: false,
    }),
  },
  updateUser: {
    own: PLATFORM,
    body: () => ({ displayName: "Renamed", teamIds: [], isPlatformAdmin: false, isGlobalApprover: false }),
  },
  disableUser: { own: PLATFORM },
  enableUser: { own: PLATFORM },
  resetPassword: { own: PLATFORM },
  listTeams: { own: PLATFORM },
  createTeam: { own: PLATFORM_MAKES, body: () => ({ name: randomUUID(), maxParallelRuns: 2 }) },
  updateTeam: { own: PLATFORM, body: () => ({ maxParallelRuns: 3 }) },
  listDeadLetters: { own: PLATFORM },
  redriveDeadLetter: { own: "401 401 403 204 403 403 403 403" },
  removeDeadLetter: { own: "401 401 403 204 403 403 403 403" },
  getLimits: { own: PLATFORM },
  setLimits: { own: "401 401 403 409 403 403 403 403", body: () => ({ ...NO_LIMITS, version: 99 }) },

  listMcpServers: { own: PLATFORM },
  registerMcpServer: {
    own: PLATFORM_MAKES,
    body: () => ({ name: `s${randomUUID().slice(0, 8)}`, url: "https://mcp.example.com/mcp" }),
  },
  fetchMcpTools: { own: "401 401 403 202 403 403 403 403" },
  replaceMcpToken: { own: PLATFORM, body: () => ({ token: "a-new-token-for-it" }) },
  removeMcpServer: { own: "401 401 403 204 403 403 403 403" },

  listModels: { own: PLATFORM },
  createModel: {
    own: PLATFORM_MAKES,
    body: (ids) => ({ endpointId: ids.endpointId, name: randomUUID(), ...MODEL }),
  },
  updateModel: { own: PLATFORM, body: () => ({ ...MODEL, version: 1 }) },
  removeModel: { own: "401 401 403 204 403 403 403 403" },
  testModel: { own: "401 401 403 202 403 403 403 403" },
  setModelDefaults: {
    own: PLATFORM,
    body: (ids) => ({ fast: ids.standingModelId, standard: ids.standingModelId, thorough: ids.standingModelId }),
  },
  createModelEndpoint: {
    own: PLATFORM_MAKES,
    body: () => ({ name: randomUUID(), url: "https://gateway.example.com/v1", api: "responses", key: null }),
  },
  updateModelEndpoint: { own: PLATFORM, body: () => ({ name: randomUUID(), api: "responses" }) },
  removeModelEndpoint: { own: "401 401 403 204 403 403 403 403" },
  importModels: { own: "401 401 403 202 403 403 403 403" },
  setSharedKey: { own: PLATFORM, body: () => ({ key: "a-new-shared-key" }) },
  setTeamKey: { own: PLATFORM, body: () => ({ key: "a-new-team-key" }) },
  listWorkspaceModels: { own: MEMBERS },
  setWorkspaceModel: { own: ADMINS, body: () => ({ choice: { class: "standard" } }) },
  listGuardrails: { own: PLATFORM },
  saveGuardrail: {
    own: PLATFORM,
    body: () => ({ name: "own_line", match: { code: ["x"] }, direction: null, userText: null, enabled: true }),
  },
  resetGuardrail: { own: PLATFORM },

  listTools: { own: PLATFORM },
  classifyTool: {
    own: "401 401 403 409 403 403 403 403",
    body: () => ({
      version: 999,
      definitionHash: hash,
      riskClass: "read",
      decision: null,
      level: "workspace_admin",
      fourEyes: false,
    }),
  },
};

type Ids = Readonly<
  Record<
    | "workspaceId"
    | "projectId"
    | "userId"
    | "toolId"
    | "sourceId"
    | "keyId"
    | "jobId"
    | "chatId"
    | "runId"
    | "approvalId"
    | "policyId"
    | "platformPolicyId"
    | "serverId"
    | "endpointId"
    | "modelId"
    | "standingModelId"
    | "teamId"
    | "guardrailName"
    | "messageId"
    | "queue"
    | "questionId"
    | "uploadId",
    string
  >
>;

let api: Api;
let clients: Record<Actor, Client>;
let foreign: Ids;

beforeAll(async () => {
  api = await startApi();
  await api.addTestedSource(api.workspaceId, "owner");
  await api.addTestedSource(api.otherWorkspaceId, "outsider");
  const disabled = await api.signIn("leaver");
  clients = {
    anonymous: api.anonymous,
    disabled,
    outsider: await api.signIn("outsider"),
    admin: await api.signIn("admin"),
    global: await api.signIn("global"),
    member: await api.signIn("member"),
    approver: await api.signIn("approver"),
    owner: await api.signIn("owner"),
  };
  await identity.disableUser(api.system, api.ids.leaver);
  foreign = await records(api.otherWorkspaceId, "outsider", "outsider");
});
afterAll(() => api.stop());

/** One of each kind in a workspace, made anew because some calls use them up. */
async function records(workspaceId: string, requester: Role, admin: Role): Promise<Ids> {
  const sourceId = await api.addTestedSource(workspaceId, admin);
  const [user] = await api.admin
    .sql`insert into users (name, display_name) values (${randomUUID()}, 'Somebody') returning id`;
  const userId = String(user?.["id"]);
  await api.admin
    .sql`insert into team_members (team_id, user_id) select team_id, ${userId} from workspaces where id = ${workspaceId}`;
  await api.admin
    .sql`insert into memberships (workspace_id, user_id, role) values (${workspaceId}, ${userId}, 'member')`;
  const [job] = await api.admin
    .sql`insert into jobs (workspace_id, kind, subject_id, created_by, status) values (${workspaceId}, 'source_test', ${sourceId}, ${api.ids[admin]}, 'done') returning id`;
  const waiting = await addWaiting(api, workspaceId, requester, sourceId);
  const [question] = await api.admin.sql`
    insert into questions (id, workspace_id, run_id, tool_call_id, text)
    values (${randomUUID()}, ${workspaceId}, ${waiting.runId}, ${waiting.toolCallId}, 'Go on?') returning id`;
  await api.admin.sql`delete from tool_policies where workspace_id = ${workspaceId} or workspace_id is null`;
  const [policy] = await api.admin.sql`
    insert into tool_policies (workspace_id, level, pattern, decision) values (${workspaceId}, 'workspace', '*', 'approve') returning id`;
  const [platformPolicy] = await api.admin
    .sql`insert into tool_policies (level, pattern, decision) values ('platform', '*', 'approve') returning id`;
  const [server] = await api.admin.sql`
    insert into mcp_servers (name, url, created_by) values (${`s${randomUUID().slice(0, 8)}`}, 'https://mcp.example.com/mcp', ${api.ids.admin}) returning id`;
  const [endpoint] = await api.admin.sql`
    insert into model_endpoints (name, url, api) values (${randomUUID()}, 'https://gateway.example.com/v1', 'responses') returning id`;
  const [model] = await api.admin.sql`
    insert into models (endpoint_id, name, display_name, class) values (${String(endpoint?.["id"])}, 'm', 'm', 'fast') returning id`;
  const [standing] = await api.admin.sql`select id from models where configured`;
  const [team] = await api.admin.sql`insert into teams (name) values (${randomUUID()}) returning id`;
  await api.admin.sql`
    insert into guardrail_rules (name, match, enabled, changed_by) values ('row_line', '{"code":["x"]}', true, ${api.ids.admin}) on conflict do nothing`;
  await api.admin.sql`delete from uploads where workspace_id = ${workspaceId}`;
  await api.admin.sql`
    insert into sources (workspace_id, kind, name, config, confirmed_by, created_by)
      values (${workspaceId}, 'uploads', ${randomUUID()}, '{}', ${api.ids[admin]}, ${api.ids[admin]}) on conflict do nothing`;
  const [upload] = await api.admin.sql`
    insert into uploads (workspace_id, source_id, name, table_name, format, size_bytes, created_by, expires_at)
      select workspace_id, id, 'sales.csv', 'sales', 'csv', 10, ${api.ids[requester]}, aiw_now() + interval '1 hour'
        from sources where workspace_id = ${workspaceId} and kind = 'uploads' and removed_at is null returning id`;
  const [key] = await api.admin.sql`
    insert into api_keys (workspace_id, user_id, name, scopes, token_hash, last4, expires_at)
      values (${workspaceId}, ${api.ids[requester]}, 'service', '{approvals.view}', ${randomBytes(32)}, 'abcd', aiw_now()) returning id`;
  return {
    workspaceId,
    projectId: workspaceId,
    keyId: String(key?.["id"]),
    endpointId: String(endpoint?.["id"]),
    modelId: String(model?.["id"]),
    standingModelId: String(standing?.["id"]),
    teamId: String(team?.["id"]),
    queue: "steps",
    messageId: `letter-${randomUUID()}`,
    guardrailName: "row_line",
    questionId: String(question?.["id"]),
    uploadId: String(upload?.["id"]),
    userId,
    serverId: String(server?.["id"]),
    toolId: "git.read_file",
    sourceId,
    jobId: String(job?.["id"]),
    policyId: String(policy?.["id"]),
    platformPolicyId: String(platformPolicy?.["id"]),
    ...waiting,
  };
}

const absent = (): Ids => {
  const id = (): string => randomUUID();
  return {
    workspaceId: id(),
    projectId: id(),
    userId: id(),
    keyId: id(),
    toolId: "no.such_tool",
    sourceId: id(),
    jobId: id(),
    chatId: id(),
    runId: id(),
    approvalId: id(),
    policyId: id(),
    platformPolicyId: id(),
    serverId: id(),
    endpointId: id(),
    modelId: id(),
    standingModelId: id(),
    teamId: id(),
    queue: "jobs",
    messageId: id(),
    guardrailName: "no_such_line",
    questionId: id(),
    uploadId: id(),
  };
};
const malformed: Ids = {
  questionId: "answer",
  uploadId: "original",
  workspaceId: "1",
  projectId: "x",
  keyId: "malformed",
  userId: "%27or%201=1",
  toolId: "nothing",
  sourceId: "..%2f",
  jobId: "null",
  chatId: "%00",
  runId: "-1",
  approvalId: "9".repeat(40),
  policyId: "built-in:Mail.send",
  serverId: "orders",
  platformPolicyId: "try",
  endpointId: "x",
  modelId: "0",
  standingModelId: "0",
  teamId: "-",
  guardrailName: "__proto__",
  queue: "nothing",
  messageId: "a b",
};

const row = (name: string): Row => {
  const found = TABLE[name];
  if (found === undefined) throw new Error(`${name} is in no row of the access table`);
  return found;
};

/** Calls an endpoint; of a stream only the head is read. */
async function call(name: EndpointName, client: Client, ids: Ids): Promise<Answer> {
  const endpoint: Endpoint = ENDPOINTS[name];
  const path = endpoint.path.replace(
    /:(\w+)/g,
    (_, key: keyof Ids) => ids[key === "policyId" && endpoint.access === "platform" ? "platformPolicyId" : key],
  );
  const body = endpoint.body === undefined ? undefined : row(name).body?.(ids);
  if (endpoint.response !== "stream") return client.call(endpoint.method, path, body);
  const response = await api.request(
    new Request(`http://localhost${path}`, { headers: client.cookie === "" ? {} : { cookie: client.cookie } }),
  );
  if (response.status !== 200)
    return {
      status: response.status,
      body: JSON.parse(await response.text()),
      headers: response.headers,
      cookie: undefined,
    };
  await response.body?.cancel();
  return { status: 200, body: {}, headers: response.headers, cookie: undefined };
}

/** Tools and people belong to the platform, not to a workspace: there is no foreign one for its admins. */
const foreignTo = (name: EndpointName): Ids => ({
  ...foreign,
  toolId: "no.such_tool",
  ...(ENDPOINTS[name].access === "platform"
    ? {
        userId: randomUUID(),
        platformPolicyId: randomUUID(),
        serverId: randomUUID(),
        messageId: randomUUID(),
        endpointId: randomUUID(),
        modelId: randomUUID(),
        teamId: randomUUID(),
        guardrailName: "no_line",
      }
    : {}),
});

const visible = (answer: Answer): unknown => ({ status: answer.status, body: { ...answer.body, requestId: "" } });
const names = Object.keys(ENDPOINTS) as EndpointName[];
const withIds = names.filter((name) => ENDPOINTS[name].path.includes(":"));

test("N1: every endpoint of the contract is in the access table, and nothing else", () => {
  expect(names.filter((name) => TABLE[name] === undefined)).toEqual([]);
  expect(Object.keys(TABLE).filter((name) => !names.includes(name as EndpointName))).toEqual([]);
});

test.for(names)("SEC-1: %s answers each role as the table says", async (name) => {
  const got: string[] = [];
  for (const actor of ACTORS) {
    // Signing out would end the session the other rows need.
    const client = name === "logout" ? clients.anonymous : clients[actor];
    got.push(String((await call(name, client, await records(api.workspaceId, "member", "owner"))).status));
  }
  expect(got.join(" ")).toBe(row(name).own);
});

test.for(withIds)(
  "N1: %s tells nobody a thing of another workspace from one that does not exist or a malformed id",
  async (name) => {
    for (const actor of ACTORS.filter((one) => one !== "outsider" && one !== "anonymous")) {
      const expected = visible(await call(name, clients[actor], absent()));
      expect(visible(await call(name, clients[actor], foreignTo(name))), `${actor}, foreign`).toEqual(expected);
      expect(visible(await call(name, clients[actor], malformed)), `${actor}, malformed`).toEqual(expected);
    }
  },
);

test.for(withIds.filter((name) => (ENDPOINTS[name].path.match(/:/g) ?? []).length > 1))(
  "N2: %s with the own workspace in the path and a foreign id behind it is as if there were nothing",
  async (name) => {
    const own = { workspaceId: api.workspaceId, projectId: api.workspaceId };
    for (const actor of ["member", "approver", "owner"] as const) {
      const expected = visible(await call(name, clients[actor], { ...absent(), ...own }));
      const got = await call(name, clients[actor], { ...foreign, ...own, toolId: "no.such_tool" });
      expect(visible(got), actor).toEqual(expected);
      expect([403, 404]).toContain(got.status);
    }
  },
);

test("N1: after all these calls nothing in the other workspace has changed", async () => {
  const [left] = await api.admin.sql`
    select (select status from approvals where id = ${foreign.approvalId}) as approval, (select status from runs where id = ${foreign.runId}) as run,
           (select removed_at is null from sources where id = ${foreign.sourceId}) as source, (select title from chats where id = ${foreign.chatId}) as chat,
           (select count(*) from messages where chat_id = ${foreign.chatId}) as messages, (select description from workspaces where id = ${foreign.workspaceId}) as description,
           (select role from memberships where workspace_id = ${foreign.workspaceId} and user_id = ${foreign.userId}) as role,
           (select version from tool_policies where id = ${foreign.policyId}) as rule`;
  expect(left).toEqual({
    approval: "pending",
    run: "waiting_approval",
    source: true,
    chat: "hello",
    messages: 1,
    description: "",
    role: "member",
    rule: 1,
  });
});

test("APR-5: a global approver sees and decides requests of that level in workspaces they are no member of, and no others", async () => {
  const global = await addWaiting(api, api.otherWorkspaceId, "outsider", null, "global_approver");
  expect((await clients.global.call("GET", `/api/approvals/${global.approvalId}`)).status).toBe(200);
  expect(
    (await clients.global.call("POST", `/api/approvals/${global.approvalId}/approve`, { seenHash: hash })).status,
  ).toBe(200);
  expect((await clients.owner.call("GET", `/api/approvals/${global.approvalId}`)).status).toBe(404);
  expect((await clients.global.call("GET", `/api/approvals/${foreign.approvalId}`)).status).toBe(404);
});

test("SEC-2: the API's database role sees no row of a workspace without a scope, or with a foreign one", async () => {
  for (const scope of ["", randomUUID()]) {
    const counts = await api.deps.db.sql.begin(async (tx) => {
      await tx`select set_config('aiw.workspaces', ${scope}, true)`;
      return tx`select (select count(*) from chats) + (select count(*) from runs) + (select count(*) from messages) + (select count(*) from approvals)
                     + (select count(*) from sources) + (select count(*) from workspaces) + (select count(*) from memberships)
                     + (select count(*) from run_events) + (select count(*) from jobs) + (select count(*) from audit_events) as seen`;
    });
    expect(counts[0]?.["seen"]).toBe(0);
  }
});
