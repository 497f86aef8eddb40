import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stepMessage } from "@aiw/contract/runs";
import * as approvals from "@aiw/core/approvals";
import * as chats from "@aiw/core/chats";
import * as events from "@aiw/core/events";
import { claim, commit, finishCall, LeaseLost, type ClaimedRun } from "@aiw/core/runs";
import { DEFAULT_GUARDRAILS } from "@aiw/contract/guardrails";
import { createGateway } from "@aiw/model/gateway";
import { setFaultPlan } from "@aiw/platform/fault";
import {
  callsOf,
  decide,
  eventsOf,
  eventually,
  isPushed,
  onlyRequest,
  outputsOf,
  propose,
  readFile,
  sweepOnce,
  topic,
  violations,
} from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  setFaultPlan(undefined);
  await world.stop();
});

const take = async (runId: string): Promise<ClaimedRun> => {
  const taken = await claim(world.deps.db, runId, 30);
  if (taken.outcome !== "claimed") throw new Error(`not claimed: ${taken.outcome}`);
  return taken.run;
};

/** Everything the database holds of a run, to see that nothing changed. */
const everything = async (runId: string): Promise<string> => {
  const parts = await Promise.all([
    world.admin.sql`select * from runs where id = ${runId}`,
    world.admin.sql`select * from run_events where run_id = ${runId} order by seq`,
    world.admin.sql`select * from run_items where run_id = ${runId} order by item`,
    world.admin.sql`select * from tool_calls where run_id = ${runId} order by id`,
    world.admin.sql`select * from approvals where run_id = ${runId} order by id`,
    world.admin.sql`select * from run_steps where run_id = ${runId} order by fence`,
    world.admin.sql`select * from audit_events where run_id = ${runId} order by id`,
  ]);
  return JSON.stringify(parts);
};

/** Lets the lease of a step lapse, as if its function had died. */
const lapse = async (): Promise<void> => {
  await world.shift(400);
  await sweepOnce(world);
};

describe("messages are doorbells (RUN-4)", () => {
  test("F30 RUN-3 the same message to ten workers at once is claimed once", async () => {
    const t = topic();
    world.script.push(t, { text: "once" });
    const { runId } = await world.ask(t);
    const results = await Promise.all(Array.from({ length: 10 }, () => world.stepOnce(runId)));
    expect(results.filter((r) => r.did === "step")).toHaveLength(1);
    expect(results.filter((r) => r.did === "nothing" && r.why === "none")).toHaveLength(9);
    expect(await world.row(runId)).toMatchObject({ status: "completed", fence: 1 });
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("F31 RUN-4 late, duplicate and forged messages change nothing", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 50")] });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const before = await everything(runId);
    await world.shift(3600);
    for (const id of [runId, runId, randomUUID()])
      expect(await world.stepOnce(id)).toEqual({ did: "nothing", why: "none" });
    expect(await everything(runId)).toBe(before);
  });

  test("RUN-5 F30 a message that meets its run while a decision holds it waits for that and is not dropped", async () => {
    const t = topic();
    world.script.push(t, { text: "done" });
    const { runId } = await world.ask(t);
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = world.admin.begin(async (tx) => {
      await tx`select 1 from runs where id = ${runId} for update`;
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const stepping = world.stepOnce(runId);
    await eventually(async () => {
      const [row] = await world.admin.sql<{ n: number }[]>`
        select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return row?.n === 1 ? true : undefined;
    });
    held.resolve();
    await holding;
    expect(await stepping).toEqual({ did: "step", status: "completed" });
  });

  test("F35 a message that cannot be read is no message", () => {
    const id = randomUUID();
    for (const body of [
      null,
      {},
      { v: 1 },
      { v: 2, runId: id },
      { v: 1, runId: "x" },
      { v: 1, runId: id, status: "completed" },
      [],
      "text",
      { runId: id },
    ]) {
      expect(stepMessage.safeParse(body).success).toBe(false);
    }
    expect(stepMessage.safeParse({ v: 1, runId: id }).success).toBe(true);
  });

  test("RUN-12 F40 a run that waits for its time is not claimed before it, whoever rings", async () => {
    const t = topic();
    world.script.push(
      t,
      {
        fail: {
          status: 429,
          headers: { "retry-after": "30" },
          body: { error: { message: "slow down", code: "rate_limit_exceeded" } },
        },
      },
      { text: "ok" },
    );
    const { runId } = await world.ask(t);
    await world.stepOnce(runId);
    expect(await world.stepOnce(runId)).toEqual({ did: "nothing", why: "none" });
    await world.shift(31);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
  });
});

describe("fences (I6, F20)", () => {
  test("I6 RUN-4 who lost the lease persists nothing: no commit, no event, no kept result, no claim of a write", async () => {
    const t = topic();
    world.script.push(t, { calls: [readFile("README.md"), propose("total >= 51")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    await decide(world, "approver", request, "approved");
    const [call] = await callsOf(world, runId);
    const zombie = await take(runId);
    await lapse();
    const heir = await take(runId);
    expect(heir.fence).toBe(zombie.fence + 1);
    const before = await everything(runId);
    const update = { id: call?.id ?? "", status: "failed" as const, result: "from the dead" };
    const attempts = [
      () =>
        commit(world.deps.db, zombie, {
          status: "completed",
          endReason: "answered",
          message: { id: randomUUID(), text: "from the dead" },
        }),
      () =>
        events.append(world.deps.db, zombie, 30, [{ type: "message.delta", data: { step: 1, text: "from the dead" } }]),
      () => events.append(world.deps.db, zombie, 30, []),
      () =>
        finishCall(world.deps.db, zombie, 30, {
          update,
          event: { type: "tool.finished", data: {} },
          audit: { actorKind: "agent", event: "tool.failed" },
        }),
      () =>
        approvals.claimExecution(
          {
            actor: { kind: "agent", runId, workspaceId: world.workspaceId, fence: zombie.fence },
            db: world.deps.db,
            log: world.deps.log,
            requestId: "x",
          },
          { approvalId: request.id, callTimeoutS: 10, vault: world.deps.vault },
          () => null,
        ),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toBeInstanceOf(LeaseLost);
    expect(await everything(runId)).toBe(before);
    await lapse();
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("F20 a worker that slept through its lease between claim and call does not call: the write happens at most once", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 52")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    await decide(world, "approver", request, "approved");
    setFaultPlan({ rules: [{ at: "tool.call:before", act: "delay", ms: 1500 }] });
    const sleeper = world.stepOnce(runId);
    await eventually(async () => ((await onlyRequest(world, runId)).status === "executing" ? true : undefined));
    await lapse();
    // The second worker finds the intent and asks the target; it is not there, so a person has to look.
    expect(await world.drive(runId)).toMatchObject({ status: "needs_reconciliation" });
    expect(await sleeper).toEqual({ did: "nothing", why: "lost" });
    setFaultPlan(undefined);
    expect(isPushed(world, request)).toBe(false);
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "unknown", attempt: 1 });
  });

  test("F20 a worker that stood still between the answer that it holds the run and the call does not call", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 56")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    await decide(world, "approver", request, "approved");
    setFaultPlan({
      rules: [
        { at: "tool.call:before", act: "delay", ms: 500 },
        { at: "lease.confirm:after", act: "delay", ms: 2000 },
      ],
    });
    const sleeper = world.stepOnce(runId);
    await eventually(async () => ((await onlyRequest(world, runId)).status === "executing" ? true : undefined));
    // Of the 15 s that the lease outlives the call, about one is left at the look: less than the worker then stands still.
    await world.shift(13.3);
    expect(await sleeper).toEqual({ did: "nothing", why: "lost" });
    setFaultPlan(undefined);
    expect(isPushed(world, request)).toBe(false);
    await lapse();
    expect(await world.drive(runId)).toMatchObject({ status: "needs_reconciliation" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "unknown", attempt: 1 });
  });

  test("RUN-6 RUN-23 a heartbeat holds the lease of a step that works long, and before a write the lease covers the call", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 53")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    await decide(world, "approver", await onlyRequest(world, runId), "approved");
    const deps = { ...world.deps, limits: { ...world.deps.limits, heartbeatS: 0.05, leaseS: 5 } };
    setFaultPlan({
      rules: [
        { at: "git.push:before", act: "delay", ms: 400 },
        { at: "ctx.load:before", act: "delay", ms: 400 },
      ],
    });
    const left = async () => {
      const [row] = await world.admin.sql<
        { left: number }[]
      >`select extract(epoch from lease_until - aiw_now())::float as left from runs where id = ${runId}`;
      return row?.left ?? 0;
    };
    const stepping = world.stepOnce(runId, deps);
    await eventually(async () => ((await world.row(runId)).status === "running" ? true : undefined));
    await world.shift(4);
    const renewed = await eventually(async () => ((await left()) > 4 ? await left() : undefined), 1000);
    expect(renewed).toBeLessThanOrEqual(5);
    await eventually(async () => ((await left()) > deps.limits.pushS + 10 ? true : undefined));
    await stepping;
    setFaultPlan(undefined);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
  });
});

describe("leases that ran out (RUN-6)", () => {
  test("F2 F3 RUN-6 a step that dies in the stream is done again as the same step; what it streamed is withdrawn", async () => {
    const t = topic();
    world.script.push(t, { chunks: ["lost ", "words"], streamFault: "hang" }, { text: "the answer" });
    const { runId } = await world.ask(t);
    const gateway = createGateway({
      baseUrl: world.gateway.url,
      apiKey: "sk-test-gateway-key",
      api: "responses",
      idleTimeoutMs: 700,
      turnTimeoutMs: 20_000,
      guardrails: DEFAULT_GUARDRAILS,
    });
    const dying = world.stepOnce(runId, {
      ...world.deps,
      gateways: { open: () => gateway },
      limits: { ...world.deps.limits, heartbeatS: 3600 },
    });
    await eventually(async () => (await eventsOf(world, runId)).find((e) => e.type === "message.delta"));
    await world.shift(40);
    expect(await sweepOnce(world)).toMatchObject({ expiredLeases: 1, recovered: 1, rung: 1, failures: 0 });
    expect(await world.row(runId)).toMatchObject({ status: "queued", attempts: 1 });
    expect(await world.drive(runId)).toMatchObject({ status: "completed", step: 1, fence: 2 });
    const told = (await eventsOf(world, runId)).map((e) => e.type);
    expect(told.filter((type) => type === "step.started")).toHaveLength(1);
    expect(told.filter((type) => type === "attempt.reset")).toHaveLength(1);
    expect(told.indexOf("attempt.reset")).toBeGreaterThan(told.indexOf("message.delta"));
    expect(await violations(world, [runId])).toEqual([]);
    // The old worker comes to its own end later, and that changes nothing any more.
    expect(await dying).toEqual({ did: "nothing", why: "lost" });
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("RUN-6 RUN-20 a step that keeps killing its process ends after five attempts with the reason; the next message starts", async () => {
    const t = topic();
    const { runId, chatId } = await world.ask(t);
    const next = topic();
    world.script.push(next, { text: "next" });
    await chats.postMessage(await world.member("member"), chatId, { id: randomUUID(), text: next }, world.deps.vault);
    for (let n = 1; n <= 5; n += 1) {
      expect((await take(runId)).attempt).toBe(n);
      world.rung.length = 0;
      await lapse();
    }
    expect(await world.row(runId)).toMatchObject({
      status: "failed",
      error_code: "attempts_used_up",
      error_text: "The step was interrupted 5 times.",
    });
    const [second] = await world.admin.sql<
      { id: string }[]
    >`select id from runs where chat_id = ${chatId} and status = 'queued'`;
    expect(world.rung.map((r) => r.runId)).toEqual([second?.id]);
    expect(await world.drive(second?.id ?? "")).toMatchObject({ status: "completed" });
    expect(await violations(world, [runId, second?.id ?? ""])).toEqual([]);
  });

  test("RUN-6 a write in flight that keeps dying ends with a person, never with failed", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 54")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    await decide(world, "approver", request, "approved");
    setFaultPlan({
      rules: Array.from({ length: 6 }, (_, n) => ({
        at: "recover.probe:before",
        nth: n + 1,
        act: "hang" as const,
      })).concat([{ at: "tool.call:before", nth: 1, act: "hang" as const }]),
    });
    for (let n = 0; n < 5; n += 1) {
      void world.stepOnce(runId);
      await eventually(async () =>
        (await world.row(runId)).attempts === n + 1 && (await onlyRequest(world, runId)).status === "executing"
          ? true
          : undefined,
      );
      await lapse();
    }
    setFaultPlan(undefined);
    expect(await world.row(runId)).toMatchObject({ status: "needs_reconciliation" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "unknown", attempt: 1 });
    await approvals.reconcile(
      world.as("owner"),
      [world.workspaceId],
      { runId, approvalId: request.id, outcome: "retry", comment: "not there, once more" },
      900,
      world.deps.vault,
    );
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed", attempt: 2 });
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("F46 a step that fails after the intent of a write was stored does not end its run, not even when a cancel was asked for", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 55")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    await decide(world, "approver", request, "approved");
    // The last attempt, and the answer of the claim is lost (F77).
    await world.admin.sql`update runs set attempts = 4 where id = ${runId}`;
    setFaultPlan({ rules: [{ at: "tool.claim:after", act: "throw" }] });
    expect(await world.stepOnce(runId)).toEqual({ did: "step", status: "needs_reconciliation" });
    setFaultPlan(undefined);
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "unknown" });
    await approvals.reconcile(
      world.as("owner"),
      [world.workspaceId],
      { runId, approvalId: request.id, outcome: "retry", comment: "not there" },
      900,
      world.deps.vault,
    );
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await violations(world, [runId])).toEqual([]);
  });
});

describe("what cannot be stored (F10)", () => {
  test("F10 M4 NUL and lone surrogates from model and tools are replaced, never a step that fails for ever", async () => {
    const t = topic();
    world.script.push(
      t,
      { chunks: ["before \u0000 and \ud800 after"], streamFault: "cut" },
      {
        text: "a \u0000 b",
        calls: [
          { name: "git_search", arguments: '{"pattern":"a\\u0000b"}' },
          { name: "no\u0000tool", arguments: "\u0000" },
        ],
      },
      { text: "end \ud800" },
    );
    const { runId } = await world.ask(t);
    await world.stepOnce(runId);
    await world.shift(60);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await outputsOf(world, runId)).toHaveLength(2);
    expect(await violations(world, [runId])).toEqual([]);
    // What was stored can be read by the database itself too.
    const rows = await world.admin.sql`select data::json ->> 'step' from run_events where run_id = ${runId}`;
    expect(rows.length).toBeGreaterThan(5);
  });
});
