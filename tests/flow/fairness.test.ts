import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { stepMessage } from "@aiw/contract/runs";
import { claim, commit } from "@aiw/core/runs";
import type { EngineDeps } from "@aiw/engine/deps";
import { step } from "@aiw/engine/step";
import { startEmulator, type Emulator } from "@aiw/infra/local/emulator";
import { run } from "@aiw/infra/local/runner";
import type { Gateway } from "@aiw/model/gateway";
import type { TurnEvent } from "@aiw/model/turn";
import { createLog } from "@aiw/platform/log";
import { createQueue, ensureQueues } from "@aiw/platform/queue";
import { eventually } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

const REGION = "eu-central-1";
let world: World;
let emulator: Emulator;
let directory: string;
let otherTeam: string;
let otherWorkspace: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "aiw-fairness-"));
  emulator = await startEmulator({ dataDir: directory });
  world = await startWorld();
  await world.admin.sql`update sources set removed_at = aiw_now()`;
  const [team] = await world.admin.sql<{ id: string }[]>`select id from teams where name = 'Logistics'`;
  otherTeam = team?.id ?? "";
  const [made] = await world.admin.sql<{ id: string }[]>`
    insert into workspaces (team_id, name, created_by) values (${otherTeam}, 'Routes', ${world.people.outsider.userId}) returning id`;
  otherWorkspace = made?.id ?? "";
  await world.admin
    .sql`insert into memberships (workspace_id, user_id, role) values (${otherWorkspace}, ${world.people.outsider.userId}, 'admin')`;
});
beforeEach(async () => {
  await world.admin.sql`update runs set status = 'cancelled' where status = 'queued'`;
});
afterAll(async () => {
  await world.stop();
  await emulator.stop();
  rmSync(directory, { recursive: true, force: true });
});

const limits = async (ours: number, others: number): Promise<void> => {
  await world.admin
    .sql`update teams set max_parallel_runs = case when id = ${otherTeam} then ${others}::integer else ${ours}::integer end`;
};

/** Runs queued in this order, one chat each. */
const queued = async (workspaceId: string, count: number): Promise<string[]> => {
  const user = workspaceId === otherWorkspace ? world.people.outsider.userId : world.people.owner.userId;
  const rows = await world.admin.sql<{ id: string }[]>`
    with c as (insert into chats (workspace_id, title, created_by) select ${workspaceId}, 'c', ${user} from generate_series(1, ${count}) returning id),
         m as (insert into messages (id, workspace_id, chat_id, role, text, author_id)
                 select uuidv7(), ${workspaceId}, c.id, 'user', 'go', ${user} from c returning id, chat_id)
    select run_start_v1(${workspaceId}::uuid, m.chat_id, m.id, 'go', ${user}::uuid, 'go') as id from m`;
  return rows.map((r) => r.id);
};

/** A model that answers at once, so that nothing but the order of the runs is looked at. */
const instant: Gateway = {
  turn: async function* (): AsyncIterable<TurnEvent> {
    const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 };
    yield { type: "done", items: [{ type: "message", role: "assistant", content: "Done." }], usage, endReason: "stop" };
  },
  listModels: async () => [],
};

interface Drained {
  /** Runs in the order in which they were taken. */
  readonly taken: string[];
  readonly receiveCounts: number[];
  readonly deadLetters: number;
}

/**
 * A real queue, the messages of one team in it before those of the other, and `workers` that work until the others' runs and
 * `enough` of the first have ended. No sweeper helps.
 */
const drain = async (
  name: string,
  workers: number,
  first: readonly string[],
  enough: number,
  second: () => Promise<string[]>,
): Promise<Drained & { readonly others: string[] }> => {
  const { [name]: made } = await ensureQueues(emulator.endpoint, REGION, [
    { name, visibilityS: 30, maxReceiveCount: 2 },
  ]);
  if (made === undefined) throw new Error("the queue was not made");
  const open = (url: string) => createQueue({ endpoint: emulator.endpoint, region: REGION, url });
  const [queue, dead] = [open(made.url), open(made.deadLetterUrl)];
  const receiveCounts: number[] = [];
  const deps: EngineDeps = {
    ...world.deps,
    gateways: { open: () => instant },
    ring: async (rung) =>
      void (await queue.sendMany(rung.map(({ runId, teamId }) => ({ body: { v: 1, runId }, group: teamId })))),
  };
  const send = (teamId: string, ids: readonly string[]) =>
    queue.sendMany(ids.map((runId) => ({ body: { v: 1, runId }, group: teamId })));
  await send(world.teamId, first);
  const others = await second();
  await send(otherTeam, others);
  const runner = run(
    {
      name,
      queueUrl: made.url,
      endpoint: emulator.endpoint,
      region: REGION,
      visibilityS: 30,
      concurrency: workers,
      handler: async ({ Records: [record] }) => {
        receiveCounts.push(Number(record?.attributes.ApproximateReceiveCount));
        await step(deps, stepMessage.parse(JSON.parse(record?.body ?? "null")));
        return { batchItemFailures: [] };
      },
    },
    createLog({ level: "silent" }),
  );
  const ended = async (ids: readonly string[]): Promise<number> => {
    const [row] = await world.admin.sql<
      { n: number }[]
    >`select count(*)::int as n from runs where id = any(${[...ids]}::uuid[]) and ended_at is not null`;
    return row?.n ?? 0;
  };
  await eventually(
    async () => ((await ended(others)) === others.length && (await ended(first)) >= enough ? true : undefined),
    25_000,
  );
  await runner.stop();
  const deadLetters = (await dead.depth()).ready;
  queue.close();
  dead.close();
  const taken = await world.admin.sql<
    { run_id: string }[]
  >`select run_id from run_steps where run_id = any(${[...first, ...others]}::uuid[]) order by started_at`;
  return { others, taken: taken.map((r) => r.run_id), receiveCounts, deadLetters };
};

const p95QueueMs = async (ids: readonly string[]): Promise<number> => {
  const [row] = await world.admin.sql<
    { p95: number }[]
  >`select percentile_disc(0.95) within group (order by queue_ms) as p95 from run_steps where run_id = any(${[...ids]}::uuid[])`;
  return row?.p95 ?? Number.NaN;
};

for (const [what, name, slots, workers, enough] of [
  ["with a slot for one", "narrow", 1, 8, 60],
  ["with more slots than there are workers", "wide", 50, 4, 500],
] as const) {
  test(`RUN-19 F72 F73 a team ${what} and 500 queued runs holds up no other: p95 start below 2 s, every message delivered once, no run lost`, async () => {
    await limits(slots, 4);
    const hogs = await queued(world.workspaceId, 500);
    const drained = await drain(name, workers, hogs, enough, () => queued(otherWorkspace, 10));
    expect(Math.max(...drained.others.map((id) => drained.taken.indexOf(id)))).toBeLessThan(60);
    expect(await p95QueueMs(drained.others)).toBeLessThan(2000);
    expect(Math.max(...drained.receiveCounts)).toBe(1);
    expect(drained.deadLetters).toBe(0);
  }, 60_000);
}

test("RUN-19 F74 a slot goes to the run of the team that has been ready longest, whichever message comes first", async () => {
  await limits(1, 4);
  const [first = "", second = "", third = ""] = [
    ...(await queued(world.workspaceId, 1)),
    ...(await queued(world.workspaceId, 1)),
    ...(await queued(world.workspaceId, 1)),
  ];
  const holder = await claim(world.deps.db, first, 30);
  if (holder.outcome !== "claimed") throw new Error("not claimed");
  for (const id of [third, second]) expect(await claim(world.deps.db, id, 30)).toEqual({ outcome: "parked" });
  // The holder goes on: it queues behind those who wait, although its own message is the first to come.
  expect((await commit(world.deps.db, holder.run, { status: "queued" })).ring).toEqual([first, second]);
  const next = await claim(world.deps.db, first, 30);
  expect(next).toMatchObject({ outcome: "claimed", run: { id: second } });
  expect(await claim(world.deps.db, second, 30)).toEqual({ outcome: "none" });
  if (next.outcome !== "claimed") throw new Error("not claimed");
  expect((await commit(world.deps.db, next.run, { status: "completed", endReason: "answered" })).ring).toEqual([third]);
});

test("RUN-19 a message of a full team takes the oldest ready run of the least loaded team; its own run is rung when a slot frees", async () => {
  await limits(1, 4);
  const [busy = "", parked = ""] = [...(await queued(world.workspaceId, 1)), ...(await queued(world.workspaceId, 1))];
  const [older = "", newer = ""] = [...(await queued(otherWorkspace, 1)), ...(await queued(otherWorkspace, 1))];
  const holder = await claim(world.deps.db, busy, 30);
  if (holder.outcome !== "claimed") throw new Error("not claimed");
  expect(await claim(world.deps.db, parked, 30)).toMatchObject({
    outcome: "claimed",
    run: { id: older, teamId: otherTeam },
  });
  expect(await claim(world.deps.db, parked, 30)).toMatchObject({ outcome: "claimed", run: { id: newer } });
  expect(await claim(world.deps.db, parked, 30)).toEqual({ outcome: "parked" });
  expect((await commit(world.deps.db, holder.run, { status: "completed", endReason: "answered" })).ring).toEqual([
    parked,
  ]);
});

test("RUN-19 F73 however many claim at once, a team never holds more than its slots, and one slot is never left empty", async () => {
  await limits(3, 4);
  await world.admin.sql`update runs set status = 'cancelled' where status = 'running'`;
  const ids = await queued(world.workspaceId, 24);
  const claims = await Promise.all(ids.map((id) => claim(world.deps.db, id, 30)));
  expect(claims.filter((c) => c.outcome === "claimed")).toHaveLength(3);
  const [row] = await world.admin.sql<
    { parked: number }[]
  >`select count(*)::int as parked from runs where id = any(${ids}::uuid[]) and parked_at is not null`;
  expect(row?.parked).toBe(21);
});
