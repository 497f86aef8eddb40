import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGitConnector, type GitLimits } from "@aiw/connectors/git";
import { createMcpConnector } from "@aiw/connectors/mcp";
import type { Connector } from "@aiw/connectors/connector";
import type { Human, Member, System } from "@aiw/contract/actors";
import * as chats from "@aiw/core/chats";
import * as identity from "@aiw/core/identity";
import * as models from "@aiw/core/models";
import * as teams from "@aiw/core/teams";
import * as tools from "@aiw/core/tools";
import * as workspaces from "@aiw/core/workspaces";
import type { EngineDeps, EngineLimits } from "@aiw/engine/deps";
import { step, type StepResult } from "@aiw/engine/step";
import { scriptBrain } from "@aiw/infra/local/demo-gateway/brain-script";
import type { BrainRequest, ScriptTurn } from "@aiw/infra/local/demo-gateway/brain";
import { startDemoGateway, type DemoGateway } from "@aiw/infra/local/demo-gateway/server";
import { runGit } from "@aiw/infra/local/git-command";
import { startGitServer, type GitRepository, type GitServer } from "@aiw/infra/local/git-server";
import { createGateways } from "@aiw/model/gateways";
import type { Ctx } from "@aiw/platform/ctx";
import { connect, type Database } from "@aiw/platform/db";
import { createEgress, type Egress } from "@aiw/platform/egress";
import { createLog } from "@aiw/platform/log";
import { createVault } from "@aiw/platform/vault";
import { createDatabase, type TestDatabase } from "./postgres.ts";

export type Role = "owner" | "approver" | "approver2" | "member" | "outsider" | "global" | "admin";

/** A small world on real parts: database with its roles, Git server, scripted model over HTTP; steps run by hand. */
export interface World {
  readonly database: TestDatabase;
  readonly admin: Database;
  readonly api: Database;
  readonly deps: EngineDeps;
  readonly gateway: DemoGateway;
  readonly script: ReturnType<typeof scriptBrain>;
  readonly git: GitServer;
  /** What opens the sealed secrets; with it another process can work in the same world. */
  readonly vaultKey: string;
  /** What must never be seen anywhere (I8). */
  readonly canaries: readonly string[];
  /** The network guard of MCP servers; it lets out to `mcpPorts` alone. */
  readonly mcpEgress: Egress;
  readonly repository: GitRepository;
  readonly teamId: string;
  readonly workspaceId: string;
  readonly sourceId: string;
  readonly people: Readonly<Record<Role, Human>>;
  /** Doorbells rung so far, newest last. */
  readonly rung: { runId: string; delayMs: number | undefined }[];
  readonly as: (role: Role) => Ctx<Human>;
  readonly member: (role: Role) => Promise<Ctx<Member>>;
  /** A chat and a first message in it; the run it started. */
  readonly ask: (
    text: string,
    role?: Role,
    chatId?: string,
  ) => Promise<{ chatId: string; runId: string; messageId: string }>;
  /** Steps the run until it no longer is queued and due; returns its row. */
  readonly drive: (runId: string, maxSteps?: number) => Promise<RunRow>;
  readonly row: (runId: string) => Promise<RunRow>;
  /** One message; with `goesOn` it carries the run as far as it goes at once. */
  readonly stepOnce: (runId: string, deps?: EngineDeps, goesOn?: boolean) => Promise<StepResult>;
  readonly refs: () => string[];
  readonly shift: (seconds: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface RunRow {
  readonly status: string;
  readonly end_reason: string | null;
  readonly error_code: string | null;
  readonly error_text: string | null;
  readonly step: number;
  readonly attempts: number;
  readonly fence: number;
  readonly last_seq: number;
  readonly tool_rounds: number;
}

export const TEST_LIMITS: EngineLimits = {
  leaseS: 30,
  heartbeatS: 10,
  toolCallS: 20,
  pushS: 20,
  stepS: 60,
  stepAttempts: 5,
  maxModelCalls: 200,
  maxRunTokens: 2_000_000,
  maxIdenticalCalls: 10,
  maxRunWallS: 3600,
  historyMaxTokens: 60_000,
  contextWindowTokens: 128_000,
  toolResultMaxBytes: 65_536,
  executeWithinS: 900,
  maxRejections: 3,
  deltaMs: 20,
  readsInParallel: 4,
};

export const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Orders\n\nA discount applies from 100 on.\n",
  "AGENTS.md": "Keep functions small.\n",
  "src/discount.ts": "export const discount = (total: number): number => (total > 100 ? 0.1 : 0);\n",
  "src/greeting.ts": 'export const greeting = "hello";\n',
};

export const startWorld = async (
  options: {
    readonly limits?: Partial<EngineLimits>;
    readonly files?: Readonly<Record<string, string>>;
    readonly model?: (request: BrainRequest) => ScriptTurn;
    readonly gitLimits?: Partial<GitLimits>;
    /** Ports of this machine where MCP servers may be reached; they are connected by kit/mcp.ts. */
    readonly mcpPorts?: readonly number[];
    /** A database of the caller's own instead of a fresh one of the test run. */
    readonly database?: TestDatabase;
  } = {},
): Promise<World> => {
  const directory = mkdtempSync(join(tmpdir(), "aiw-world-"));
  const database = options.database ?? (await createDatabase());
  const admin = connect({ url: database.adminUrl, max: 3, applicationName: "test-admin" });
  const api = connect({ url: database.apiUrl, max: 8, applicationName: "test-api" });
  const stepDb = connect({ url: database.stepUrl, max: 12, applicationName: "test-step" });
  await admin.sql.unsafe(TEST_CLOCK);
  const log = createLog({ level: "silent" });
  const vaultKey = randomBytes(32).toString("base64");
  const vault = createVault(vaultKey);
  const token = `tok-${randomUUID()}`;
  const git = await startGitServer({ root: join(directory, "git"), users: [{ name: "service", token }] });
  const repository = git.createRepository(`orders-${randomBytes(3).toString("hex")}`);
  seed(repository.directory, options.files ?? FILES);
  // A model that answers by what it sees, or one that says what the test pushes.
  const script = scriptBrain(options.model ?? []);
  const gateway = await startDemoGateway({ apiKey: "sk-test-gateway-key", brain: script });

  const stored = new Map<string, Uint8Array>();
  const connector = createGitConnector({
    ...(options.gitLimits === undefined ? {} : { limits: options.gitLimits }),
    egress: { allowedHosts: [`127.0.0.1:${git.port}`], allowLocal: true },
    bucket: {
      put: async (key: string, bytes: Uint8Array) => void stored.set(key, bytes),
      get: async (key: string) => stored.get(key) ?? null,
    },
  });
  const mcpEgress = createEgress({
    allowedHosts: (options.mcpPorts ?? []).map((port) => `127.0.0.1:${port}`),
    allowLocal: true,
  });
  const mcp = createMcpConnector({ egress: mcpEgress, canonical: tools.canonical, nativeTools: connector.tools });
  const system: Ctx<System> = { actor: { kind: "system" }, db: api, log, requestId: "test" };
  // Teams and users are an operator's; the operator's connection makes them.
  const operator: Ctx<System> = { ...system, db: admin };
  const teamId = await teams.ensureTeam(operator, "Payments", 50);
  const otherTeam = await teams.ensureTeam(operator, "Logistics", 50);
  const people = {} as Record<Role, Human>;
  for (const name of ["owner", "approver", "approver2", "member", "outsider", "global", "admin"] as const) {
    const flags = { isPlatformAdmin: name === "admin", isGlobalApprover: name === "global" };
    const userId = await identity.ensureUser(operator, {
      name,
      displayName: name[0]?.toUpperCase() + name.slice(1),
      ...flags,
    });
    if (name !== "global" && name !== "admin")
      await teams.addMember(operator, name === "outsider" ? otherTeam : teamId, userId);
    people[name] = { kind: "human", userId, name, displayName: name, mustChangePassword: false, ...flags };
  }
  await models.ensureConfigured(operator, "scripted");
  await tools.register(
    operator,
    connector.tools.map((definition) => ({ definition, sourceKind: "git", kind: "native", defaultActive: true })),
  );
  await tools.acceptSuggestions(operator, people.admin.userId);

  const as = (role: Role): Ctx<Human> => ({ actor: people[role], db: api, log, requestId: "test" });
  const created = await workspaces.create(
    as("owner"),
    { name: "Orders", description: "", teamId },
    { approvalTtlS: 86_400, maxToolRounds: 24 },
  );
  const workspaceId = created.id;
  for (const [role, userId] of [
    ["approver", people.approver.userId],
    ["approver", people.approver2.userId],
    ["member", people.member.userId],
  ] as const) {
    await admin.sql`insert into memberships (workspace_id, user_id, role) values (${workspaceId}, ${userId}, ${role})`;
  }
  const sourceId = randomUUID();
  await admin.sql`insert into sources (id, workspace_id, kind, name, config, secret, secret_last4, status, confirmed_by, created_by)
    values (${sourceId}, ${workspaceId}, 'git', 'orders', ${admin.sql.json({ url: repository.url, branch: null, username: null })},
            ${await vault.seal(token, `source:${sourceId}`)}, 'oken', 'tested', ${people.owner.userId}, ${people.owner.userId})`;

  const rung: World["rung"] = [];
  const gateways = createGateways({
    environment: { baseUrl: gateway.url, apiKey: "sk-test-gateway-key" },
    allowedHosts: [],
    allowLocal: true,
    idleTimeoutMs: 5000,
    turnTimeoutMs: 20_000,
  });
  const deps: EngineDeps = {
    db: stepDb,
    log,
    vault,
    connectors: new Map<string, Connector>([
      ["git", connector],
      ["mcp", mcp],
    ]),
    gateways,
    limits: { ...TEST_LIMITS, ...options.limits },
    notify: () => undefined,
    ring: async (runs) => void rung.push(...runs.map((r) => ({ runId: r.runId, delayMs: r.delayMs }))),
  };
  const member = (role: Role): Promise<Ctx<Member>> => workspaces.enter(as(role), workspaceId);
  const row = async (runId: string): Promise<RunRow> => {
    const [found] = await admin.sql<
      RunRow[]
    >`select status, end_reason, error_code, error_text, step, attempts, fence, last_seq, tool_rounds from runs where id = ${runId}`;
    if (found === undefined) throw new Error("no such run");
    return found;
  };
  const stepOnce = (runId: string, with_: EngineDeps = deps, goesOn = false): Promise<StepResult> =>
    step(with_, { v: 1, runId }, () => goesOn);
  return {
    database,
    admin,
    api,
    deps,
    gateway,
    script,
    git,
    vaultKey,
    canaries: [token, "sk-test-gateway-key", vaultKey],
    mcpEgress,
    repository,
    teamId,
    workspaceId,
    sourceId,
    people,
    rung,
    as,
    member,
    row,
    stepOnce,
    ask: async (text, role = "member", chatId) => {
      const ctx = await member(role);
      const chat = chatId ?? (await chats.create(ctx, {})).id;
      const messageId = randomUUID();
      const posted = await chats.postMessage(ctx, chat, { id: messageId, text }, deps.vault);
      const runId = posted.run?.id;
      if (runId === undefined) throw new Error("the message waits behind another run");
      return { chatId: chat, runId, messageId };
    },
    drive: async (runId, maxSteps = 40) => {
      for (let n = 0; n < maxSteps; n += 1) {
        const result = await stepOnce(runId);
        if (result.did === "nothing") break;
      }
      return row(runId);
    },
    refs: () =>
      runGit(["-C", repository.directory, "for-each-ref", "--format=%(refname)"])
        .toString()
        .split("\n")
        .filter((line) => line !== ""),
    shift: async (seconds) => {
      await admin.sql`update aiw_test_clock set shift = shift + make_interval(secs => ${seconds})`;
    },
    stop: async () => {
      await Promise.all([admin.close(), api.close(), stepDb.close()]);
      mcpEgress.close();
      gateways.close();
      await Promise.all([gateway.stop(), git.stop()]);
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** Tests may move the database's clock; the product's own function knows no shift (spec 70, F67). */
const TEST_CLOCK = `
  create table if not exists aiw_test_clock (shift interval not null default '0');
  insert into aiw_test_clock select where not exists (select from aiw_test_clock);
  grant select on aiw_test_clock to public;
  create or replace function aiw_now() returns timestamptz language sql volatile as
    $$ select clock_timestamp() + (select shift from aiw_test_clock) $$;`;

const seed = (directory: string, files: Readonly<Record<string, string>>): void => {
  const blobs = Object.entries(files).map(([path, text]) => {
    const bytes = Buffer.byteLength(text);
    return `M 100644 inline ${path}\ndata ${bytes}\n${text}\n`;
  });
  const stream = `commit refs/heads/main\nauthor Maintainer <maintainer@example.com> 1790000000 +0000\ncommitter Maintainer <maintainer@example.com> 1790000000 +0000\ndata 5\nstart\n${blobs.join("")}\n`;
  runGit(["-C", directory, "fast-import", "--quiet"], stream);
  runGit(["-C", directory, "symbolic-ref", "HEAD", "refs/heads/main"]);
};
