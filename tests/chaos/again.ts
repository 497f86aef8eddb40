import * as approvals from "@aiw/core/approvals";
import { runJob } from "@aiw/function-jobs/run-job";
import { onPoint, setFaultPlan, wakeHung } from "@aiw/platform/fault";
import { expect } from "vitest";
import { jobsOf } from "../kit/mcp.ts";
import { fingerprint, violations } from "../kit/oracle.ts";
import { commitToMain, resetMain } from "../kit/requests.ts";
import { decide, isPushed, propose, requestsOf, stopAt, sweepOnce, topic, type Request } from "../kit/runs.ts";
import { FILES, startWorld, type World } from "../kit/world.ts";

const PATH = "src/discount.ts";

let world: World;
let start: string;

/** A run that waits with a proposal whose target then changes, elsewhere in the same file. */
const begin = async (): Promise<string> => {
  resetMain(world, start);
  const t = topic();
  world.script.push(t, { calls: [propose("total >= 4711")] }, { text: "done" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  commitToMain(world, PATH, `// ${t}\n${FILES[PATH] ?? ""}`);
  return runId;
};

interface Open {
  readonly id: string;
  readonly stale: boolean;
  readonly follows: boolean;
}

/** The approver opens the page a while later; the look that this asks for is made, and one that a dead process left behind, too. */
const look = async (id: string): Promise<void> => {
  await world.shift(70);
  const { jobId } = await approvals.view(world.as("approver"), [world.workspaceId], id, world.deps.vault);
  const [left] = await world.admin.sql<{ id: string }[]>`select id from jobs where subject_id = ${id}`;
  const job = jobId ?? left?.id;
  if (job !== undefined) await runJob(jobsOf(world), job);
};

/** One thing that happens: a step, a look, somebody asks again, somebody approves the successor, time passes. */
const once = async (runId: string): Promise<void> => {
  const [ready] = await world.admin.sql`
    select 1 from runs where id = ${runId} and status = 'queued' and (wake_at is null or wake_at <= aiw_now())`;
  if (ready !== undefined) return void (await world.stepOnce(runId));
  const [open] = await world.admin.sql<Open[]>`
    select id, stale_at is not null as stale, predecessor_id is not null as follows from approvals
     where run_id = ${runId} and status = 'pending' and again_asked_at is null`;
  const request = (await requestsOf(world, runId)).find(({ id }) => id === open?.id);
  if (open === undefined || request === undefined) {
    await world.shift(20);
    await sweepOnce(world);
  } else if (open.stale) await approvals.requestAgain(world.as("member"), [world.workspaceId], open.id);
  else if (open.follows) await decide(world, "approver", request, "approved");
  else await look(open.id);
};

/** What throws is a process that died; the next round is another one. */
const play = async (runId: string): Promise<boolean> => {
  for (let round = 0; round < 60; round += 1) {
    if ((await world.row(runId)).status === "completed") return true;
    await once(runId).catch(() => undefined);
  }
  return false;
};

const statuses = (all: readonly Request[]): string => all.map(({ status }) => status).join(" ");

const faultsOf = async (runId: string, ended: boolean): Promise<string[]> => {
  const requests = await requestsOf(world, runId);
  if (!ended) return [`I3 it did not come to an end: ${statuses(requests)}`];
  const faults = await violations(world, [runId]);
  if (statuses(requests) !== "invalid executed") faults.push(`ended as "${statuses(requests)}"`);
  const pushed = requests.filter((request) => isPushed(world, request)).length;
  if (pushed !== 1) faults.push(`${pushed} pushes`);
  const [left] = await world.admin.sql`select 1 from jobs where kind = 'approval_check'`;
  if (left !== undefined) faults.push("a look left its job behind");
  return faults;
};

/** Where something about a request that changed was read, written or asked outside and something else is still to be. */
const POINTS = [
  "approval.ask_check",
  "check.load",
  "check.secret",
  "check.look",
  "check.record",
  "check.hint",
  "again.tx",
  "again.pin",
  "again.prepare",
  "again.request",
];

interface Case {
  readonly point: string;
  readonly act: "throw" | "hang";
}

/**
 * APR-19: plays a request that is found stale and prepared again, and stops it at every point of both: thrown, or standing still
 * until others have taken over and then woken. `both`: each point in both ways; otherwise thrown before it and standing after it.
 */
export const stopAgain = async (both: boolean): Promise<void> => {
  // The target moves here: what was known of it a moment ago is never taken.
  world = await startWorld({ limits: { heartbeatS: 3600 }, gitLimits: { headTtlMs: 0 } });
  try {
    start = commitToMain(world, "NOTES.md", "begin\n");
    await stopEverywhere(both);
  } finally {
    setFaultPlan(undefined);
    wakeHung();
    await world.stop();
  }
};

const stopEverywhere = async (both: boolean): Promise<void> => {
  const passed = new Set<string>();
  const unlisten = onPoint((point) => void passed.add(point));
  const first = await begin();
  const fine = await play(first);
  unlisten();
  expect(await faultsOf(first, fine)).toEqual([]);
  const cases = POINTS.flatMap((name): Case[] => {
    const [before, after] = [`${name}:before`, `${name}:after`];
    const half: Case[] = [
      { point: before, act: "throw" },
      { point: after, act: "hang" },
    ];
    return both ? [...half, { point: before, act: "hang" }, { point: after, act: "throw" }] : half;
  });
  expect(cases.filter(({ point }) => !passed.has(point))).toEqual([]);

  const wrong: string[] = [];
  const missed: string[] = [];
  const over = new Map<string, { readonly point: string; readonly mark: string }>();
  for (const { point, act } of cases) {
    world.rung.length = 0;
    const runId = await begin();
    if (act === "throw") setFaultPlan({ rules: [{ at: point, act }] });
    else if (!(await stopAt(point, 1, () => play(runId)))) missed.push(point);
    const ended = await play(runId);
    setFaultPlan(undefined);
    wrong.push(...(await faultsOf(runId, ended)).map((fault) => `${act} at ${point}: ${fault}`));
    if (act === "hang") over.set(runId, { point, mark: await fingerprint(world, runId) });
  }
  wakeHung();
  // Whoever stood still does what is left to do, and loses.
  await expect
    .poll(() => world.admin.sql`select 1 from pg_stat_activity where state like 'idle in transaction%'`)
    .toEqual([]);
  for (const [runId, { point, mark }] of over)
    if ((await fingerprint(world, runId)) !== mark) wrong.push(`woken at ${point}: I6 it changed what was over`);
  console.log(
    `${cases.length - over.size} thrown, ${over.size} stood still and woken, ${missed.length} not reached, ${wrong.length} violations`,
  );
  expect(wrong).toEqual([]);
  expect(missed).toEqual([]);
};
