import { randomUUID } from "node:crypto";
import type { Connector } from "@aiw/connectors/connector";
import type { ToolDefinition } from "@aiw/contract/tools";
import * as tools from "@aiw/core/tools";
import type { EngineDeps } from "@aiw/engine/deps";
import { step } from "@aiw/engine/step";
import type { Gateway } from "@aiw/model/gateway";
import type { TurnEvent } from "@aiw/model/turn";
import type { Database } from "@aiw/platform/db";
import { createLog } from "@aiw/platform/log";
import { createVault } from "@aiw/platform/vault";

/** One result of a tool and one argument text, of the size real calls have. */
export const RESULT = "The order service reads the discount from its configuration. ".repeat(17).slice(0, 1000);
export const ARGS = JSON.stringify({ path: "src/discount.ts", note: "x".repeat(160) });

const TOOL: ToolDefinition = {
  id: "bench.read",
  wireName: "bench_read",
  description: "Reads",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["path"],
    properties: { path: { type: "string" }, note: { type: "string" } },
  },
  suggestedRiskClass: "read",
  reconcile: "probe",
};

/** A change that asks nobody, so that its whole way is the engine's. */
const WRITE: ToolDefinition = {
  ...TOOL,
  id: "bench.commit_change",
  wireName: "bench_commit_change",
  suggestedRiskClass: "write_internal",
};

/** A change that a person has to approve. */
const ASKS: ToolDefinition = {
  ...TOOL,
  id: "bench.propose",
  wireName: "bench_propose",
  suggestedRiskClass: "write_external",
};

/** Sources that answer at once, so that only the engine is measured; a write tells `onWrite` that it was reached. */
const instantConnector = (onWrite: () => void): Connector => ({
  kind: "git",
  tools: [TOOL, WRITE, ASKS],
  readConfig: () => ({}),
  testConnection: async () => ({ ok: true, stages: [], warnings: [] }),
  pin: async () => ({ ok: true, pin: { commit: "0".repeat(40) } }),
  describe: async () => ({ summary: '- "bench"', conventions: null }),
  read: async () => ({ ok: true, text: RESULT, truncated: false }),
  prepare: async () => ({
    ok: true,
    prepared: {
      form: ARGS,
      formVersion: 1,
      preview: { title: "Change src/discount.ts", kind: "arguments", fields: [] },
      preconditions: {},
    },
  }),
  recheck: async () => ({ ok: true }),
  write: async () => {
    onWrite();
    return { kind: "executed", result: { ok: true, text: RESULT, truncated: false } };
  },
  probe: async () => ({ kind: "cannot_tell", text: "" }),
});

/** A model that calls these tools one after another and then answers, at once. */
const instantGateway = (calls: readonly ToolDefinition[]): Gateway => {
  let n = 0;
  return {
    turn: async function* (): AsyncIterable<TurnEvent> {
      const tool = calls[n];
      n += 1;
      const usage = { inputTokens: 10, outputTokens: 10, cachedTokens: 0, reasoningTokens: 0 };
      if (tool !== undefined) {
        yield {
          type: "done",
          items: [{ type: "function_call", call_id: `call_${n}`, name: tool.wireName, arguments: ARGS }],
          usage,
          endReason: "tool_calls",
        };
      } else {
        yield {
          type: "done",
          items: [{ type: "message", role: "assistant", content: "Done." }],
          usage,
          endReason: "stop",
        };
      }
    },
    listModels: async () => [],
  };
};

export interface Ids {
  readonly userId: string;
  readonly approverId: string;
  readonly workspaceId: string;
}

export const world = async (admin: Database): Promise<Ids> => {
  const userId = randomUUID();
  const approverId = randomUUID();
  const workspaceId = randomUUID();
  const teamId = randomUUID();
  const log = createLog({ level: "silent" });
  await admin.sql`insert into users (id, name, display_name) values (${userId}, 'bench', 'Bench'), (${approverId}, 'approver', 'Approver')`;
  await admin.sql`insert into teams (id, name) values (${teamId}, 'Bench')`;
  await admin.sql`insert into workspaces (id, team_id, name, max_tool_rounds, created_by) values (${workspaceId}, ${teamId}, 'Bench', 100, ${userId})`;
  await admin.sql`insert into memberships (workspace_id, user_id, role) values (${workspaceId}, ${userId}, 'admin'), (${workspaceId}, ${approverId}, 'approver')`;
  await admin.sql`insert into sources (workspace_id, kind, name, config, status, confirmed_by, created_by) values (${workspaceId}, 'git', 'bench', '{}', 'tested', ${userId}, ${userId})`;
  await tools.register({ actor: { kind: "system" }, db: admin, log, requestId: "bench" }, [
    { definition: TOOL, sourceKind: "git", kind: "native", defaultActive: true },
    { definition: WRITE, sourceKind: "git", kind: "native", defaultActive: true },
    { definition: ASKS, sourceKind: "git", kind: "native", defaultActive: true },
  ]);
  await tools.acceptSuggestions({ actor: { kind: "system" }, db: admin, log, requestId: "bench" }, userId);
  return { userId, approverId, workspaceId };
};

export interface BenchRun {
  readonly runId: string;
  /** One step of the run; false when it has come to its end, or waits for a person. */
  readonly step: () => Promise<boolean>;
  /** All steps, each claimed by the commit of the one before. `before`: once before each commit. */
  readonly toTheEnd: (before?: () => void) => Promise<void>;
}

const times = (count: number, tool: ToolDefinition): ToolDefinition[] => Array.from({ length: count }, () => tool);

const CALLS = {
  read: (turns: number) => times(turns, TOOL),
  write: (turns: number) => times(turns, WRITE),
  /** The last of so many calls waits for a person. */
  asks: (turns: number) => [...times(turns - 1, TOOL), ASKS],
};

/** A run of `turns` tool rounds with an answer behind them, started and not yet stepped. */
export const startRun = async (
  admin: Database,
  db: Database,
  ids: Ids,
  turns: number,
  kind: keyof typeof CALLS = "read",
  onWrite: () => void = () => undefined,
): Promise<BenchRun> => {
  const chatId = randomUUID();
  const messageId = randomUUID();
  await admin.sql`insert into chats (id, workspace_id, title, created_by) values (${chatId}, ${ids.workspaceId}, 'bench', ${ids.userId})`;
  await admin.sql`insert into messages (id, workspace_id, chat_id, role, text, author_id) values (${messageId}, ${ids.workspaceId}, ${chatId}, 'user', 'go', ${ids.userId})`;
  const [run] = await admin.sql<
    { id: string }[]
  >`select run_start_v1(${ids.workspaceId}::uuid, ${chatId}::uuid, ${messageId}::uuid, 'go', ${ids.userId}::uuid, 'go') as id`;
  const runId = run?.id ?? "";
  const gateway = instantGateway(CALLS[kind](turns));
  const deps: EngineDeps = {
    db,
    log: createLog({ level: "silent" }),
    vault: createVault(Buffer.alloc(32, 1).toString("base64")),
    connectors: new Map([["git", instantConnector(onWrite)]]),
    gateways: { open: () => gateway },
    limits: {
      leaseS: 30,
      heartbeatS: 10,
      toolCallS: 60,
      pushS: 60,
      stepS: 780,
      stepAttempts: 5,
      maxModelCalls: 10_000,
      maxRunTokens: 1e9,
      maxIdenticalCalls: 1e6,
      maxRunWallS: 1e6,
      historyMaxTokens: 10_000_000,
      contextWindowTokens: 100_000_000,
      toolResultMaxBytes: 65_536,
      executeWithinS: 900,
      maxRejections: 3,
      deltaMs: 120,
      readsInParallel: 4,
    },
    notify: () => undefined,
    ring: async () => undefined,
  };
  return {
    runId,
    toTheEnd: async (before) => {
      const result = await step(deps, { v: 1, runId }, () => {
        before?.();
        return true;
      });
      if (result.did === "nothing" || result.status !== "completed") throw new Error("the run did not come to its end");
    },
    step: async () => {
      const result = await step(deps, { v: 1, runId });
      if (result.did === "nothing") throw new Error(`the run was not there to be stepped: ${result.why}`);
      if (!["queued", "completed", "waiting_approval"].includes(result.status))
        throw new Error(`the run ended as ${result.status}`);
      return result.status === "queued";
    },
  };
};
