import { setTimeout as delay } from "node:timers/promises";
import type { Brain } from "@aiw/infra/local/demo-gateway/brain";
import { connect, type Database } from "@aiw/platform/db";
import { createDeadLetters } from "@aiw/platform/dead-letters";
import { createQueue } from "@aiw/platform/queue";
import { startStack, type Stack } from "@aiw/infra/local/stack";
import { addWaiting } from "../kit/backlog.ts";
import { type Client, signIn } from "../kit/client.ts";
import { demoWorkspace, newChat, say } from "../kit/people.ts";
import { dataFolder } from "../kit/stack.ts";
import { FLOOR, floorStep, startFloorRun } from "./floor.ts";
import { quantile } from "./stats.ts";

export interface LoadOptions {
  /** How long runs are asked for without a pause. */
  readonly seconds: number;
  /** Open approvals in the list. */
  readonly waiting: number;
  /** Queued runs of the team that is in nobody's way. */
  readonly queued: number;
}

/** G14 and G15: the whole local stack under load, with real queues, HTTP and a durable database. */
export interface Load {
  readonly runs: number;
  readonly runsPerS: number;
  /** The same runs by the hand-written floor, straight on the same database, without HTTP, queue, rights and tools. */
  readonly floorRunsPerS: number;
  readonly ofFloor: number;
  /** Transactions of the database for each run, from the request to the last step; reading included. */
  readonly transactionsPerRun: number;
  readonly failed: number;
  readonly queueWaitP95Ms: number;
  readonly decideP95Ms: number;
  readonly listP95Ms: number;
  /** G15: from queued to started, of ten runs of a team beside one with `queued` runs. */
  readonly otherTeamP95Ms: number;
  readonly deadLetters: number;
}

const MODEL_MS = 50;
/** Model, tool, model, tool, model. */
const TOOL_ROUNDS = 2;
const STEPS = TOOL_ROUNDS * 2 + 1;
/** As many as the local stack works at a time. */
const WORKERS = 8;
const ASKING = 12;
const SAMPLES = 60;

const brain: Brain = {
  models: ["demo-load"],
  onlyListedModels: false,
  respond: ({ items }) => {
    const last = items.findLastIndex((item) => item.type === "message" && item.role === "user");
    const asked = items[last];
    if (asked?.type === "message" && asked.text === "go") return { text: "Done." };
    const answered = items.slice(last).filter((item) => item.type === "function_call_output").length;
    const calls = [{ name: "git_read_file", arguments: { path: answered === 0 ? "README.md" : "src/discount.ts" } }];
    return { delayMs: MODEL_MS, ...(answered < TOOL_ROUNDS ? { calls } : { text: "Done." }) };
  },
};

/** Plays all of it on a stack of its own, on this machine alone; every loop is bounded by time or number. */
export const measureLoad = async (options: LoadOptions): Promise<Load> => {
  const folder = dataFolder();
  const stack = await startStack({
    dataDir: folder.path,
    port: 0,
    host: "127.0.0.1",
    reset: false,
    environment: { PATH: process.env["PATH"], AIW_LOG_LEVEL: "error", AIW_TEAM_MAX_PARALLEL_RUNS: "100" },
    brain,
  });
  const admin = connect({ url: stack.adminUrl, max: 4, applicationName: "bench-admin" });
  try {
    const member = await signIn(stack.url, "member", stack.demoPassword);
    const workspaceId = await demoWorkspace(member);
    await askFor(admin, member, workspaceId, 3);
    const floor = await floorFor(admin, options.seconds / 2);
    const asked = await askFor(admin, member, workspaceId, options.seconds);
    const approvals = await measureApprovals(stack, admin, workspaceId, options.waiting);
    const fairness = await measureFairness(stack, admin, workspaceId, options.queued);
    return { ...asked, floorRunsPerS: floor, ofFloor: asked.runsPerS / floor, ...approvals, ...fairness };
  } finally {
    await admin.close();
    await stack.stop();
    folder.end();
  }
};

const transactions = async (admin: Database): Promise<number> => {
  const [row] = await admin.sql<{ n: number }[]>`
    select (xact_commit + xact_rollback)::float8 as n from pg_stat_database where datname = current_database()`;
  return row?.n ?? 0;
};

/** Runs through HTTP for so long; waits for the end of those that began. */
const askFor = async (
  admin: Database,
  member: Client,
  workspaceId: string,
  seconds: number,
): Promise<Pick<Load, "runs" | "runsPerS" | "failed" | "queueWaitP95Ms" | "transactionsPerRun">> => {
  const waiting = new Map<string, () => void>();
  let looks = 0;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      await delay(50);
      looks += 1;
      const ended = await admin.sql<{ id: string }[]>`
        select id from runs where id = any(${[...waiting.keys()]}::uuid[]) and ended_at is not null`;
      for (const { id } of ended) waiting.get(id)?.();
    }
  })();
  const before = await transactions(admin);
  const began = performance.now();
  const ids: string[] = [];
  await Promise.all(
    Array.from({ length: ASKING }, async () => {
      while (performance.now() - began < seconds * 1000) {
        const runId = await say(member, workspaceId, await newChat(member, workspaceId), "read two files");
        ids.push(runId);
        await new Promise<void>((resolve) => void waiting.set(runId, resolve));
        waiting.delete(runId);
      }
    }),
  );
  const runsPerS = (ids.length * 1000) / (performance.now() - began);
  isOver = true;
  await looking;
  // The server publishes its counters within a second.
  await delay(1_200);
  const used = (await transactions(admin)) - before - looks;
  const [row] = await admin.sql<{ failed: number; p95: number }[]>`
    select count(*) filter (where r.status <> 'completed' or r.step <> ${STEPS})::integer as failed,
           (select percentile_disc(0.95) within group (order by queue_ms) from run_steps where run_id = any(${ids}::uuid[]))::float8 as p95
      from runs r where r.id = any(${ids}::uuid[])`;
  return {
    runs: ids.length,
    runsPerS,
    failed: row?.failed ?? ids.length,
    queueWaitP95Ms: row?.p95 ?? Number.NaN,
    transactionsPerRun: used / ids.length,
  };
};

/** Runs of as many steps a second by the floor, as many at a time. */
const floorFor = async (admin: Database, seconds: number): Promise<number> => {
  await admin.sql.unsafe(FLOOR);
  const began = performance.now();
  let runs = 0;
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      while (performance.now() - began < seconds * 1000) {
        const id = await startFloorRun(admin);
        for (let n = 0; n < STEPS; n += 1) {
          if (n % 2 === 0) await delay(MODEL_MS);
          await floorStep(admin, id, n);
        }
        runs += 1;
      }
    }),
  );
  return (runs * 1000) / (performance.now() - began);
};

/** Milliseconds of so many calls, one after another. */
const timed = async (count: number, call: (n: number) => Promise<unknown>): Promise<number[]> => {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    await call(n);
    times.push(performance.now() - began);
  }
  return times;
};

const measureApprovals = async (
  stack: Stack,
  admin: Database,
  workspaceId: string,
  count: number,
): Promise<Pick<Load, "decideP95Ms" | "listP95Ms">> => {
  const [row] = await admin.sql<{ team_id: string; user_id: string }[]>`
    select w.team_id, m.user_id from workspaces w join memberships m on m.workspace_id = w.id where w.id = ${workspaceId} and m.role = 'admin' limit 1`;
  if (row === undefined) throw new Error("the workspace has no admin");
  await addWaiting({ admin, workspaceId, teamId: row.team_id, people: { owner: { userId: row.user_id } } }, count);
  const approver = await signIn(stack.url, "approver", stack.demoPassword);
  const open = await approver.call("listApprovals", {});
  const list = await timed(SAMPLES, () => approver.call("listApprovals", {}));
  const ids = open.items.slice(0, SAMPLES).map(({ id }) => id);
  // A decision wakes the run: these have a chat where they can say how they ended.
  await admin.sql`
    insert into chats (id, workspace_id, title, created_by)
      select run_id, workspace_id, 'waits', ${row.user_id} from approvals where id = any(${ids}::uuid[])`;
  await admin.sql`update runs set chat_id = id where id in (select run_id from approvals where id = any(${ids}::uuid[]))`;
  const decide = await timed(ids.length, (n) =>
    approver.call("reject", {
      params: { approvalId: ids[n] ?? "" },
      // These runs have no history to go on with.
      body: { reason: "measured", seenHash: "0".repeat(64), endRun: true },
    }),
  );
  return { listP95Ms: quantile(list, 0.95), decideP95Ms: quantile(decide, 0.95) };
};

const measureFairness = async (
  stack: Stack,
  admin: Database,
  workspaceId: string,
  count: number,
): Promise<Pick<Load, "otherTeamP95Ms" | "deadLetters">> => {
  await admin.sql`update teams set max_parallel_runs = 4`;
  const [other] = await admin.sql<{ id: string; team_id: string }[]>`
    with t as (select id from teams where name = 'Logistics'), u as (select id from users where name = 'outsider'),
         w as (insert into workspaces (team_id, name, created_by) select t.id, 'Routes', u.id from t, u returning id, team_id),
         m as (insert into memberships (workspace_id, user_id, role) select w.id, u.id, 'admin' from w, u)
    select id, team_id from w`;
  const [ours] = await admin.sql<{ team_id: string }[]>`select team_id from workspaces where id = ${workspaceId}`;
  if (other === undefined || ours === undefined) throw new Error("a team is missing");
  const url = stack.environment["AIW_STEP_QUEUE_URL"] ?? "";
  const place = { endpoint: stack.environment["AIW_SQS_ENDPOINT"] ?? "", region: "eu-central-1", url };
  const queue = createQueue(place);
  const dead = createDeadLetters(place);
  const start = async (workspace: string, teamId: string, runs: number): Promise<string[]> => {
    const rows = await admin.sql<{ id: string }[]>`
      with u as (select user_id as id from memberships where workspace_id = ${workspace} and role = 'admin' limit 1),
           c as (insert into chats (workspace_id, title, created_by) select ${workspace}, 'c', u.id from u, generate_series(1, ${runs}) returning id, created_by),
           m as (insert into messages (id, workspace_id, chat_id, role, text, author_id)
                   select uuidv7(), ${workspace}, c.id, 'user', 'go', c.created_by from c returning id, chat_id, author_id)
      select run_start_v1(${workspace}::uuid, m.chat_id, m.id, 'go', m.author_id, 'go') as id from m`;
    await queue.sendMany(rows.map(({ id }) => ({ body: { v: 1, runId: id }, group: teamId })));
    return rows.map(({ id }) => id);
  };
  try {
    const hogs = await start(workspaceId, ours.team_id, count);
    const others = await start(other.id, other.team_id, 10);
    const end = performance.now() + 60_000;
    for (;;) {
      const [row] = await admin.sql<{ n: number }[]>`
        select count(*)::integer as n from runs where id = any(${others}::uuid[]) and ended_at is not null`;
      if (row?.n === others.length) break;
      if (performance.now() > end) throw new Error("the runs of the other team did not end");
      await delay(50);
    }
    await admin.sql`update runs set status = 'cancelled' where id = any(${hogs}::uuid[]) and status = 'queued'`;
    const [row] = await admin.sql<{ p95: number }[]>`
      select percentile_disc(0.95) within group (order by queue_ms)::float8 as p95 from run_steps where run_id = any(${others}::uuid[])`;
    return { otherTeamP95Ms: row?.p95 ?? Number.NaN, deadLetters: await dead.count() };
  } finally {
    queue.close();
    dead.close();
  }
};
