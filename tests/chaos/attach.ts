import { createGitConnector } from "@aiw/connectors/git";
import { createMcpConnector } from "@aiw/connectors/mcp";
import type { Connector } from "@aiw/connectors/connector";
import * as tools from "@aiw/core/tools";
import * as workspaces from "@aiw/core/workspaces";
import type { EngineDeps } from "@aiw/engine/deps";
import { step } from "@aiw/engine/step";
import type { GitRepository } from "@aiw/infra/local/git-server";
import { createGateways } from "@aiw/model/gateways";
import { connect } from "@aiw/platform/db";
import { createEgress } from "@aiw/platform/egress";
import type { FaultPlan } from "@aiw/platform/fault";
import { createLog } from "@aiw/platform/log";
import { createVault } from "@aiw/platform/vault";
import type { Role, RunRow, World } from "../kit/world.ts";
import type { Episode, Hands } from "./scenarios.ts";
import type { Stage } from "./stage.ts";

/** All that another process needs to work in the same world. */
interface WorldSpec {
  readonly adminUrl: string;
  readonly apiUrl: string;
  readonly stepUrl: string;
  readonly vaultKey: string;
  readonly gatewayUrl: string;
  readonly gitPort: number;
  readonly ledgerUrl: string;
  readonly repository: GitRepository;
  readonly workspaceId: string;
  readonly people: World["people"];
  readonly limits: EngineDeps["limits"];
}

/** What a process of its own is told: whose conversation it plays on, and where it dies. */
export interface ChildOrder {
  readonly world: WorldSpec;
  readonly episode: Episode;
  readonly rule: FaultPlan["rules"][number];
}

export const specOf = ({ world, ledger }: Stage): WorldSpec => ({
  adminUrl: world.database.adminUrl,
  apiUrl: world.database.apiUrl,
  stepUrl: world.database.stepUrl,
  vaultKey: world.vaultKey,
  gatewayUrl: world.gateway.url,
  gitPort: world.git.port,
  ledgerUrl: ledger.url,
  repository: world.repository,
  workspaceId: world.workspaceId,
  people: world.people,
  limits: world.deps.limits,
});

/** The same world in this process, with connections and caches of its own. */
export const attach = (spec: WorldSpec): Hands => {
  const admin = connect({ url: spec.adminUrl, max: 2, applicationName: "test-child-admin" });
  const api = connect({ url: spec.apiUrl, max: 2, applicationName: "test-child-api" });
  const db = connect({ url: spec.stepUrl, max: 4, applicationName: "test-child-step" });
  const log = createLog({ level: "silent" });
  const stored = new Map<string, Uint8Array>();
  const git = createGitConnector({
    egress: { allowedHosts: [`127.0.0.1:${spec.gitPort}`], allowLocal: true },
    bucket: {
      put: async (key: string, bytes: Uint8Array) => void stored.set(key, bytes),
      get: async (key: string) => stored.get(key) ?? null,
    },
  });
  const mcpHost = new URL(spec.ledgerUrl).host;
  const mcp = createMcpConnector({
    egress: createEgress({ allowedHosts: [mcpHost], allowLocal: true }),
    canonical: tools.canonical,
    nativeTools: git.tools,
  });
  const rung: World["rung"] = [];
  const deps: EngineDeps = {
    db,
    log,
    vault: createVault(spec.vaultKey),
    connectors: new Map<string, Connector>([
      ["git", git],
      ["mcp", mcp],
    ]),
    gateways: createGateways({
      environment: { baseUrl: spec.gatewayUrl, apiKey: "sk-test-gateway-key" },
      allowedHosts: [],
      allowLocal: true,
      idleTimeoutMs: 5000,
      turnTimeoutMs: 20_000,
    }),
    limits: spec.limits,
    notify: () => undefined,
    ring: async (runs) => void rung.push(...runs.map((run) => ({ runId: run.runId, delayMs: run.delayMs }))),
  };
  const as = (role: Role) => ({ actor: spec.people[role], db: api, log, requestId: "test" });
  return {
    admin,
    deps,
    rung,
    as,
    repository: spec.repository,
    workspaceId: spec.workspaceId,
    ledgerUrl: spec.ledgerUrl,
    member: (role) => workspaces.enter(as(role), spec.workspaceId),
    row: async (runId) => {
      const [found] = await admin.sql<RunRow[]>`
        select status, end_reason, error_code, error_text, step, attempts, fence, last_seq, tool_rounds from runs where id = ${runId}`;
      if (found === undefined) throw new Error("no such run");
      return found;
    },
    stepOnce: (runId, with_ = deps, goesOn = false) => step(with_, { v: 1, runId }, () => goesOn),
    shift: async (seconds) => {
      await admin.sql`update aiw_test_clock set shift = shift + make_interval(secs => ${seconds})`;
    },
  };
};
