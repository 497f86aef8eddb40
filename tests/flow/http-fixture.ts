import { randomBytes, randomUUID } from "node:crypto";
import type { Member, System } from "@aiw/contract/actors";
import * as identity from "@aiw/core/identity";
import * as teams from "@aiw/core/teams";
import * as tools from "@aiw/core/tools";
import * as workspaces from "@aiw/core/workspaces";
import { createApp } from "@aiw/function-api/app";
import type { ApiDeps, Rung } from "@aiw/function-api/deps";
import { createLoginGuard } from "@aiw/function-api/http/login-guard";
import { createHub, type HubOptions } from "@aiw/function-api/stream/hub";
import { NATIVE_TOOLS } from "@aiw/function-step/native-tools";
import type { Ctx } from "@aiw/platform/ctx";
import { connect, type Database } from "@aiw/platform/db";
import { createEgress, createModelEgress } from "@aiw/platform/egress";
import { createNotifier } from "@aiw/platform/listen";
import { createLog } from "@aiw/platform/log";
import { createVault } from "@aiw/platform/vault";
import { createDatabase, type TestDatabase } from "../kit/postgres.ts";

export type Role = "owner" | "approver" | "member" | "outsider" | "global" | "admin" | "leaver";
export const ROLES: readonly Role[] = ["owner", "approver", "member", "outsider", "global", "admin", "leaver"];
export const DEMO_PASSWORD = "demo-password-for-tests";

export interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  readonly body: any;
  readonly headers: Headers;
  /** The cookie pair a browser would keep, if one was set. */
  readonly cookie: string | undefined;
}

export interface Client {
  readonly cookie: string;
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export interface Api {
  readonly database: TestDatabase;
  readonly admin: Database;
  readonly step: Database;
  readonly deps: ApiDeps;
  readonly system: Ctx<System>;
  readonly ids: Readonly<Record<Role, string>>;
  readonly teamId: string;
  readonly otherTeamId: string;
  readonly workspaceId: string;
  readonly otherWorkspaceId: string;
  readonly rungRuns: Rung[];
  readonly rungJobs: string[];
  readonly rungIngest: string[];
  readonly logs: string[];
  anonymous: Client;
  signIn(role: Role): Promise<Client>;
  request(request: Request): Promise<Response>;
  member(role: Role, workspaceId?: string): Promise<Ctx<Member>>;
  /** A tested source, so that chats are open. */
  addTestedSource(workspaceId: string, by: Role): Promise<string>;
  /** Moves the clock of the database. */
  shift(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

export interface ApiOptions {
  readonly https?: boolean;
  readonly demoPassword?: string | undefined;
  readonly allowedHosts?: readonly string[];
  readonly mcpHosts?: readonly string[];
  /** Gateways on this machine may be added, as in development. */
  readonly modelsLocal?: boolean;
  readonly hub?: Partial<HubOptions>;
  readonly callsPerKey?: number;
  /** Where and what may be uploaded; default is an address that nobody sends to. */
  readonly uploads?: Partial<ApiDeps["uploads"]>;
  readonly webRoot?: string;
}

const ORIGIN = "http://localhost";

/** The API on a database of its own, called in this process; queues are lists. */
export async function startApi(options: ApiOptions = {}): Promise<Api> {
  const database = await createDatabase();
  const admin = connect({ url: database.adminUrl, max: 3, applicationName: "test-admin" });
  const db = connect({ url: database.apiUrl, max: 10, applicationName: "test-api" });
  const step = connect({ url: database.stepUrl, max: 4, applicationName: "test-step" });
  await admin.sql.unsafe(TEST_CLOCK);
  const logs: string[] = [];
  const log = createLog({ level: "debug", write: (line) => void logs.push(line) });
  const limits = { sessionIdleS: 3_600, sessionMaxS: 86_400 };
  const rungRuns: Rung[] = [];
  const rungJobs: string[] = [];
  const rungIngest: string[] = [];
  const notifier = createNotifier(db, "aiw_runs");
  const https = options.https ?? false;
  const deps: ApiDeps = {
    db,
    log,
    vault: createVault(randomBytes(32).toString("base64")),
    egress: createEgress({
      allowedHosts: [...(options.allowedHosts ?? ["git.example.com"])],
      allowLocal: options.allowedHosts !== undefined,
    }),
    mcpEgress: createEgress({
      allowedHosts: [...(options.mcpHosts ?? ["mcp.example.com"])],
      allowLocal: options.mcpHosts !== undefined,
    }),
    modelGuard: (url) => createModelEgress(url, { allowedHosts: [], allowLocal: options.modelsLocal ?? false }),
    signIn: {
      ...limits,
      demoPassword: "demoPassword" in options ? options.demoPassword : DEMO_PASSWORD,
      strangers: identity.createStrangers(),
    },
    loginGuard: createLoginGuard({ perName: 10_000, inAll: 100_000 }),
    keyGuard: createLoginGuard({ perName: options.callsPerKey ?? 10_000, inAll: 100_000 }),
    hub: createHub({ db, log, limits, listenUrl: database.apiUrl, ...options.hub }),
    settings: {
      config: { version: "test", demo: true, demoModel: true, currency: "USD" },
      demoRoles: new Map(),
      version: { version: "test" },
      ...(https ? { publicOrigin: "https://ai.example.com" } : {}),
      secureCookies: https,
      approvalTtlS: 86_400,
      maxToolRounds: 24,
      maxToolRoundsLimit: 50,
      executeWithinS: 900,
      limits: { modelCalls: 200, runTokens: 2_000_000, runWallS: 3_600, toolResultBytes: 65_536, identicalCalls: 10 },
    },
    // Queues of their own tests; here they are empty, and what is asked for is done (dead-letters.test.ts).
    deadLetters: {
      steps: { list: async () => [], settle: async (id) => id.startsWith("letter-") },
      jobs: { list: async () => [], settle: async (id) => id.startsWith("letter-") },
      ingest: { list: async () => [], settle: async (id) => id.startsWith("letter-") },
    },
    ringStep: async (rung) => void rungRuns.push(rung),
    ringJob: async (jobId) => void rungJobs.push(jobId),
    ringIngest: async (jobId) => void rungIngest.push(jobId),
    uploads: {
      sign: async (key, bytes) => ({
        method: "PUT",
        url: `https://storage.example.com/${key}?bytes=${bytes}`,
        headers: {},
      }),
      maxFileBytes: 1_000_000,
      quotaBytes: 3_000_000,
      ...options.uploads,
    },
    hint: (runIds) => {
      for (const runId of runIds) notifier.notify(runId);
      return notifier.flush();
    },
    checks: {},
    ...(options.webRoot === undefined ? {} : { webRoot: options.webRoot }),
  };
  const app = createApp(deps);
  const request = async (given: Request): Promise<Response> => app.fetch(given);

  const system: Ctx<System> = { actor: { kind: "system" }, db: admin, log, requestId: "test" };
  const teamId = await teams.ensureTeam(system, "Payments", 50);
  const otherTeamId = await teams.ensureTeam(system, "Logistics", 50);
  const ids = {} as Record<Role, string>;
  for (const name of ROLES) {
    ids[name] = await identity.ensureUser(system, {
      name,
      displayName: `The ${name}`,
      isPlatformAdmin: name === "admin",
      isGlobalApprover: name === "global",
    });
    if (name !== "global" && name !== "admin")
      await teams.addMember(system, name === "outsider" ? otherTeamId : teamId, ids[name]);
  }
  await tools.register(system, NATIVE_TOOLS);
  const as = (name: Role): Ctx<identity.Visitor> => ({
    actor: {
      kind: "human",
      sessionId: randomUUID(),
      userId: ids[name],
      name,
      displayName: name,
      isPlatformAdmin: name === "admin",
      isGlobalApprover: name === "global",
      mustChangePassword: false,
    },
    db,
    log,
    requestId: "test",
  });
  const defaults = { approvalTtlS: 86_400, maxToolRounds: 24 };
  const workspaceId = (await workspaces.create(as("owner"), { name: "Orders", description: "" }, defaults)).id;
  const otherWorkspaceId = (await workspaces.create(as("outsider"), { name: "Routes", description: "" }, defaults)).id;
  const member = (name: Role, id = workspaceId): Promise<Ctx<Member>> => workspaces.enter(as(name), id);
  const owner = await member("owner");
  await workspaces.setMember(owner, ids.approver, "approver");
  await workspaces.setMember(owner, ids.member, "member");
  await workspaces.setMember(owner, ids.leaver, "member");

  const clientWith = (cookie: string): Client => ({
    cookie,
    call: async (method, path, body, headers = {}) => {
      const init: RequestInit = {
        method,
        headers: {
          ...(cookie === "" ? {} : { cookie }),
          ...(method === "GET" ? {} : { origin: https ? "https://ai.example.com" : ORIGIN }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      };
      const response = await request(new Request(`${ORIGIN}${path}`, init));
      const text = await response.text();
      const set = response.headers.getSetCookie()[0];
      return {
        status: response.status,
        body: text === "" ? undefined : parse(text),
        headers: response.headers,
        cookie: set?.split(";", 1)[0],
      };
    },
  });
  const anonymous = clientWith("");
  return {
    database,
    admin,
    step,
    deps,
    system,
    ids,
    teamId,
    otherTeamId,
    workspaceId,
    otherWorkspaceId,
    rungRuns,
    rungJobs,
    rungIngest,
    logs,
    anonymous,
    request,
    member,
    signIn: async (role) => {
      const answer = await anonymous.call("POST", "/api/login", { name: role, password: DEMO_PASSWORD });
      if (answer.status !== 200 || answer.cookie === undefined)
        throw new Error(`${role} could not sign in: ${answer.status}`);
      return clientWith(answer.cookie);
    },
    addTestedSource: async (workspace, by) => {
      const id = randomUUID();
      await admin.sql`insert into sources (id, workspace_id, kind, name, config, status, confirmed_by, created_by)
        values (${id}, ${workspace}, 'git', ${`repo-${id.slice(0, 8)}`}, ${admin.sql.json({ url: "https://git.example.com/a/b", branch: null, username: null })}, 'tested', ${ids[by]}, ${ids[by]})`;
      return id;
    },
    shift: async (seconds) => {
      await admin.sql`update aiw_test_clock set shift = shift + make_interval(secs => ${seconds})`;
    },
    stop: async () => {
      await deps.hub.close();
      await notifier.flush();
      await Promise.all([admin.close(), db.close(), step.close()]);
      await database.drop();
    },
  };
}

/** A client that carries this cookie. */
export function withCookie(api: Api, cookie: string): Client {
  return {
    cookie,
    call: (method, path, body, headers = {}) => api.anonymous.call(method, path, body, { cookie, ...headers }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Tests may move the database's clock; the product's own function knows no shift. */
const TEST_CLOCK = `
  create table aiw_test_clock (shift interval not null default '0');
  insert into aiw_test_clock default values;
  grant select on aiw_test_clock to public;
  create or replace function aiw_now() returns timestamptz language sql volatile as
    $$ select clock_timestamp() + (select shift from aiw_test_clock) $$;`;
