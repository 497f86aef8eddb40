import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connector } from "@aiw/connectors/connector";
import type { ToolDefinition } from "@aiw/contract/tools";
import * as tools from "@aiw/core/tools";
import type { EngineDeps } from "@aiw/engine/deps";
import { step } from "@aiw/engine/step";
import { startPostgres } from "@aiw/infra/local/postgres";
import type { Gateway } from "@aiw/model/gateway";
import type { TurnEvent } from "@aiw/model/turn";
import { connect, type Database } from "@aiw/platform/db";
import { createLog } from "@aiw/platform/log";
import { migrate, provisionRoles, roleUrl } from "@aiw/platform/migrate";
import { createVault } from "@aiw/platform/vault";

/** One result of a tool and one argument text, of the size real calls have. */
const RESULT = "The order service reads the discount from its configuration. ".repeat(17).slice(0, 1000);
const ARGS = JSON.stringify({ path: "src/discount.ts", note: "x".repeat(160) });

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

/** A source that answers at once, so that only the engine is measured. */
const instantConnector: Connector = {
  kind: "git",
  tools: [TOOL],
  readConfig: () => ({}),
  testConnection: async () => ({ ok: true, stages: [], warnings: [] }),
  pin: async () => ({ ok: true, pin: { commit: "0".repeat(40) } }),
  describe: async () => ({ summary: '- "bench"', conventions: null }),
  read: async () => ({ ok: true, text: RESULT, truncated: false }),
  prepare: async () => ({ ok: false, text: "" }),
  recheck: async () => ({ ok: true }),
  write: async () => ({ kind: "unknown", text: "" }),
  probe: async () => ({ kind: "cannot_tell", text: "" }),
};

/** A model that asks for the tool `rounds` times and then answers, at once. */
const instantGateway = (rounds: number): Gateway => {
  let n = 0;
  return {
    turn: async function* (): AsyncIterable<TurnEvent> {
      n += 1;
      const usage = { inputTokens: 10, outputTokens: 10, cachedTokens: 0, reasoningTokens: 0 };
      if (n <= rounds) {
        yield {
          type: "done",
          items: [{ type: "function_call", call_id: `call_${n}`, name: TOOL.wireName, arguments: ARGS }],
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

export interface EngineCost {
  readonly rounds: number;
  /** Milliseconds a step, claim to commit, median over the rounds. */
  readonly engineMs: number;
  readonly floorMs: number;
  /** Median of the ratios of paired rounds. */
  readonly ratio: number;
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Steps of a run of `turns` tool rounds (two steps each and one for the answer), engine and floor in turn, A B A B. */
export const measureEngineCost = async (turns: number, rounds: number): Promise<EngineCost> => {
  const directory = mkdtempSync(join(tmpdir(), "aiw-bench-"));
  const postgres = await startPostgres({ dataDir: join(directory, "postgres"), durable: true });
  try {
    const admin = connect({ url: postgres.url(), max: 2, applicationName: "bench" });
    await migrate({ adminUrl: postgres.url() });
    await provisionRoles(postgres.url(), { api: "a".repeat(20), step: "b".repeat(20), retention: "c".repeat(20) });
    const db = connect({
      url: roleUrl(postgres.url(), "aiw_step", "b".repeat(20)),
      max: 4,
      applicationName: "bench-step",
    });
    await admin.sql.unsafe(FLOOR);
    const ids = await world(admin);
    const engine: number[] = [];
    const floor: number[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const a = await engineRun(admin, db, ids, turns);
      const b = await floorRun(db, turns * 2 + 1);
      // The first pair warms up.
      if (round < 0) continue;
      engine.push(a);
      floor.push(b);
    }
    await Promise.all([admin.close(), db.close()]);
    return {
      rounds,
      engineMs: median(engine),
      floorMs: median(floor),
      ratio: median(engine.map((ms, i) => ms / (floor[i] ?? Number.NaN))),
    };
  } finally {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
};

interface Ids {
  readonly userId: string;
  readonly workspaceId: string;
}

const world = async (admin: Database): Promise<Ids> => {
  const userId = randomUUID();
  const workspaceId = randomUUID();
  const teamId = randomUUID();
  const log = createLog({ level: "silent" });
  await admin.sql`insert into users (id, name, display_name) values (${userId}, 'bench', 'Bench')`;
  await admin.sql`insert into teams (id, name) values (${teamId}, 'Bench')`;
  await admin.sql`insert into workspaces (id, team_id, name, max_tool_rounds, created_by) values (${workspaceId}, ${teamId}, 'Bench', 100, ${userId})`;
  await admin.sql`insert into memberships (workspace_id, user_id, role) values (${workspaceId}, ${userId}, 'admin')`;
  await admin.sql`insert into sources (workspace_id, kind, name, config, status, confirmed_by, created_by) values (${workspaceId}, 'git', 'bench', '{}', 'tested', ${userId}, ${userId})`;
  await tools.register({ actor: { kind: "system" }, db: admin, log, requestId: "bench" }, [
    { definition: TOOL, sourceKind: "git", kind: "native", defaultActive: true },
  ]);
  await tools.acceptSuggestions({ actor: { kind: "system" }, db: admin, log, requestId: "bench" }, userId);
  return { userId, workspaceId };
};

const engineRun = async (admin: Database, db: Database, ids: Ids, turns: number): Promise<number> => {
  const chatId = randomUUID();
  const messageId = randomUUID();
  await admin.sql`insert into chats (id, workspace_id, title, created_by) values (${chatId}, ${ids.workspaceId}, 'bench', ${ids.userId})`;
  await admin.sql`insert into messages (id, workspace_id, chat_id, role, text, author_id) values (${messageId}, ${ids.workspaceId}, ${chatId}, 'user', 'go', ${ids.userId})`;
  const [run] = await admin.sql<
    { id: string }[]
  >`select run_start_v1(${ids.workspaceId}::uuid, ${chatId}::uuid, ${messageId}::uuid, 'go', ${ids.userId}::uuid, 'go') as id`;
  const runId = run?.id ?? "";
  const gateway = instantGateway(turns);
  const deps: EngineDeps = {
    db,
    log: createLog({ level: "silent" }),
    vault: createVault(Buffer.alloc(32, 1).toString("base64")),
    connectors: new Map([["git", instantConnector]]),
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
  const started = performance.now();
  let steps = 0;
  for (;;) {
    const result = await step(deps, { v: 1, runId });
    if (result.did === "nothing") break;
    steps += 1;
    if (result.status !== "queued") break;
  }
  const elapsed = performance.now() - started;
  if (steps !== turns * 2 + 1) throw new Error(`the run took ${steps} steps instead of ${turns * 2 + 1}`);
  return elapsed / steps;
};

/**
 * The floor: what anybody would have to write by hand for the same promises on the same database: claim with a fence and a
 * lease, load the history as plain rows, commit item, event and state in one statement under the fence.
 */
const FLOOR = `
  create table floor_runs (id uuid primary key, status text not null, fence bigint not null default 0, lease_until timestamptz, last_seq bigint not null default 0);
  create table floor_items (run_id uuid, item bigint, data text, primary key (run_id, item));
  create table floor_events (run_id uuid, seq bigint, type text, data text, at timestamptz default now(), primary key (run_id, seq));
  create table floor_audit (id bigint generated always as identity primary key, run_id uuid, event text, at timestamptz default now());
  grant select, insert, update on floor_runs, floor_items, floor_events, floor_audit to aiw_step;`;

const floorRun = async (db: Database, steps: number): Promise<number> => {
  const id = randomUUID();
  await db.sql`insert into floor_runs (id, status) values (${id}, 'queued')`;
  const started = performance.now();
  for (let n = 0; n < steps; n += 1) {
    const [run] = await db.sql<{ fence: number; last_seq: number }[]>`
      update floor_runs set status = 'running', fence = fence + 1, lease_until = now() + interval '30 s' where id = ${id} and status = 'queued' returning fence, last_seq`;
    const items = await db.sql<{ data: string }[]>`select data from floor_items where run_id = ${id} order by item`;
    for (const item of items) JSON.parse(item.data);
    const data =
      n % 2 === 0
        ? JSON.stringify({ type: "function_call", call_id: `c${n}`, arguments: ARGS })
        : JSON.stringify({ type: "function_call_output", call_id: `c${n}`, output: RESULT });
    await db.sql`
      with r as (update floor_runs set status = 'queued', last_seq = last_seq + 1, lease_until = null where id = ${id} and fence = ${run?.fence ?? 0} and status = 'running' returning id, last_seq),
           i as (insert into floor_items select id, ${n}, ${data} from r),
           e as (insert into floor_events (run_id, seq, type, data) select id, last_seq, 'tool', ${data.slice(0, 200)} from r),
           a as (insert into floor_audit (run_id, event) select id, 'tool' from r)
      select last_seq from r`;
  }
  return (performance.now() - started) / steps;
};
