import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as runs from "@aiw/core/runs";
import { claim } from "@aiw/core/runs";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import {
  auditOf,
  callsOf,
  decide,
  eventsOf,
  eventually,
  isPushed,
  onlyRequest,
  propose,
  readFile,
  requestsOf,
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

describe("cancel (RUN-8)", () => {
  const cancel = (runId: string, role: "member" | "owner" | "approver" | "outsider" = "member") =>
    runs.cancel(world.as(role), [world.workspaceId], runId);

  test("RUN-8 RUN-22 a queued run is cancelled at once, by its starter or an admin and nobody else; again changes nothing", async () => {
    const t = topic();
    const { runId, chatId } = await world.ask(t);
    await expect(cancel(runId, "approver")).rejects.toMatchObject({ code: "forbidden" });
    await expect(cancel(runId, "outsider")).rejects.toMatchObject({ code: "not_found" });
    await cancel(runId);
    await cancel(runId, "owner");
    expect(await world.row(runId)).toMatchObject({ status: "cancelled" });
    expect(await world.stepOnce(runId)).toEqual({ did: "nothing", why: "none" });
    expect((await auditOf(world, runId)).filter((e) => e === "run.cancelled")).toHaveLength(1);
    const next = topic();
    world.script.push(next, { text: "after" });
    const again = await world.ask(next, "member", chatId);
    expect(await world.drive(again.runId)).toMatchObject({ status: "completed" });
  });

  test("RUN-8 a model that hangs is stopped at once; what it had said does not count", async () => {
    const t = topic();
    world.script.push(t, { chunks: ["half an ", "answer"], streamFault: "hang" });
    const { runId, chatId } = await world.ask(t);
    const stepping = world.stepOnce(runId);
    await eventually(async () => (await eventsOf(world, runId)).find((e) => e.type === "message.delta"));
    const asked = performance.now();
    await cancel(runId);
    await stepping;
    expect(performance.now() - asked).toBeLessThan(2500);
    expect(await world.row(runId)).toMatchObject({ status: "cancelled" });
    expect((await eventsOf(world, runId)).some((e) => e.type === "attempt.reset")).toBe(true);
    expect(await violations(world, [runId])).toEqual([]);
    const next = topic();
    world.script.push(next, { text: "after" });
    const again = await world.ask(next, "member", chatId);
    expect(await world.drive(again.runId)).toMatchObject({ status: "completed" });
  });

  test("RUN-8 I10 cancelling while requests wait closes them, answers every call once, and the next message works", async () => {
    const t = topic();
    world.script.push(t, { calls: [readFile("README.md"), propose("total >= 97"), propose("total >= 96")] });
    const { runId, chatId } = await world.ask(t);
    expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
    await cancel(runId);
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["cancelled", "cancelled"]);
    expect((await callsOf(world, runId)).map((c) => c.status)).toEqual(["executed", "cancelled", "cancelled"]);
    expect(await violations(world, [runId])).toEqual([]);
    const [request] = await requestsOf(world, runId);
    if (request === undefined) throw new Error("no request");
    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "cancelled" });
    const next = topic();
    world.script.push(next, { text: "after" });
    const again = await world.ask(next, "member", chatId);
    expect(await world.drive(again.runId)).toMatchObject({ status: "completed" });
    // The file's words are data in the next question too (AI-4).
    const seen = world.script.requests.at(-1)?.items.find((i) => i.type === "function_call_output");
    expect(seen?.type === "function_call_output" ? seen.output : "").toMatch(
      /^<<<untrusted [\s\S]*<<<end untrusted>>>$/,
    );
  });

  test("RUN-8 F46 a write that is under way is settled first, then the run is cancelled", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 95"), propose("total >= 94")] });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const [first, second] = await requestsOf(world, runId);
    if (first === undefined || second === undefined) throw new Error("two requests expected");
    await decide(world, "approver", first, "approved");
    await decide(world, "approver", second, "approved");
    const unlisten = onPoint((point) => {
      if (point === "git.push:before") void cancel(runId);
    });
    setFaultPlan({ rules: [{ at: "git.push:before", act: "delay", ms: 1300 }] });
    await world.stepOnce(runId);
    unlisten();
    setFaultPlan(undefined);
    expect(await world.row(runId)).toMatchObject({ status: "cancelled" });
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["executed", "cancelled"]);
    expect(isPushed(world, first)).toBe(true);
    expect(isPushed(world, second)).toBe(false);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("F46 a cancel before the claim of the write wins, although the write was approved", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 93")] });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    await decide(world, "approver", request, "approved");
    const asked: Promise<unknown>[] = [];
    const unlisten = onPoint((point) => {
      if (point === "tool.claim:before") asked.push(cancel(runId));
    });
    setFaultPlan({ rules: [{ at: "tool.claim:before", act: "delay", ms: 150 }] });
    await world.stepOnce(runId);
    unlisten();
    setFaultPlan(undefined);
    await Promise.all(asked);
    expect(asked).toHaveLength(1);
    expect(await world.row(runId)).toMatchObject({ status: "cancelled" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "cancelled", attempt: 0 });
    expect(isPushed(world, request)).toBe(false);
  });

  test("F47 a cancel during a write whose step dies: the outcome is found by the probe, then the run ends cancelled", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 92")] });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    await decide(world, "approver", request, "approved");
    setFaultPlan({ rules: [{ at: "run.commit:before", act: "throw" }] });
    await world.stepOnce(runId).catch(() => undefined);
    setFaultPlan(undefined);
    await cancel(runId);
    await world.shift(400);
    await sweepOnce(world);
    expect(await world.drive(runId)).toMatchObject({ status: "cancelled" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed", reconciled: true });
    expect(isPushed(world, request)).toBe(true);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("RUN-8 what ended cannot be cancelled, and an unclear write is ended by a person who looks (RUN-7)", async () => {
    const t = topic();
    world.script.push(t, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    await expect(cancel(runId)).rejects.toMatchObject({ code: "run_not_cancellable" });

    const u = topic();
    world.script.push(u, { calls: [propose("total >= 91")] });
    const unclear = await world.ask(u);
    await world.drive(unclear.runId);
    await decide(world, "approver", await onlyRequest(world, unclear.runId), "approved");
    world.git.switches.dropBeforePush = true;
    expect(await world.drive(unclear.runId)).toMatchObject({ status: "needs_reconciliation" });
    world.git.switches.dropBeforePush = false;
    await expect(cancel(unclear.runId)).rejects.toMatchObject({ code: "run_not_cancellable" });
  });

  test("RUN-8 a run that waits for a person's words is cancelled at once", async () => {
    const { runId } = await world.ask(topic());
    await claim(world.deps.db, runId, 30);
    await world.admin.sql`update runs set status = 'waiting_input' where id = ${runId}`;
    await cancel(runId);
    expect(await world.row(runId)).toMatchObject({ status: "cancelled" });
    expect(await violations(world, [runId])).toEqual([]);
  });
});

describe("limits (RUN-10)", () => {
  test("RUN-10 RUN-15 a model that never stops calling tools ends by the limit, with a summary turn that forbids tools", async () => {
    const t = topic();
    await world.admin.sql`update workspaces set max_tool_rounds = 3 where id = ${world.workspaceId}`;
    world.script.push(t, ...Array.from({ length: 20 }, () => ({ calls: [readFile("README.md")] })));
    const { runId } = await world.ask(t);
    expect(await world.drive(runId, 60)).toMatchObject({
      status: "completed",
      end_reason: "limit_reached",
      tool_rounds: 3,
    });
    const mine = world.script.requests.filter((r) => r.items.some((i) => i.type === "message" && i.text.includes(t)));
    expect(mine).toHaveLength(4);
    expect(mine.at(-1)).toMatchObject({ toolChoice: "none" });
    expect(mine.at(-1)?.instructions).toContain("limit of tool rounds");
    expect(await violations(world, [runId])).toEqual([]);
    const u = topic();
    world.script.push(u, ...Array.from({ length: 3 }, () => ({ calls: [readFile("README.md")] })), {
      text: "This is how far I came.",
    });
    const other = await world.ask(u);
    expect(await world.drive(other.runId)).toMatchObject({ status: "completed", end_reason: "limit_reached" });
    const [answer] = await world.admin
      .sql`select text from messages where run_id = ${other.runId} and role = 'assistant'`;
    expect(answer?.["text"]).toBe("This is how far I came.");
    await world.admin.sql`update workspaces set max_tool_rounds = 24 where id = ${world.workspaceId}`;
  });

  test("RUN-10 F73 parallel runs of a team are counted from leases: one more parks, and is rung when a slot frees or a lease dies", async () => {
    await world.admin.sql`update teams set max_parallel_runs = 1 where id = ${world.teamId}`;
    const [a, b, c] = [topic(), topic(), topic()];
    world.script.push(a, { chunks: ["x"], streamFault: "hang" });
    for (const t of [b, c]) world.script.push(t, { text: "ok" });
    const [first, second, third] = [await world.ask(a), await world.ask(b), await world.ask(c)];
    const stepping = world.stepOnce(first.runId);
    await eventually(async () => ((await world.row(first.runId)).status === "running" ? true : undefined));
    expect(await world.stepOnce(second.runId)).toEqual({ did: "nothing", why: "parked" });
    expect(await world.stepOnce(third.runId)).toEqual({ did: "nothing", why: "parked" });
    expect((await world.row(second.runId)).attempts).toBe(0);
    world.rung.length = 0;
    await runs.cancel(world.as("member"), [world.workspaceId], first.runId);
    await stepping;
    // The one that waited longest, and only it.
    expect(world.rung.map((r) => r.runId)).toEqual([second.runId]);
    expect(await world.drive(second.runId)).toMatchObject({ status: "completed" });
    expect(world.rung.map((r) => r.runId)).toContain(third.runId);
    expect(await world.drive(third.runId)).toMatchObject({ status: "completed" });

    // A holder that died frees its slot by its lease alone; the sweep wakes who waits.
    const [d, e] = [topic(), topic()];
    world.script.push(e, { text: "ok" });
    const dead = await world.ask(d);
    setFaultPlan({ rules: [{ at: "ctx.load:before", act: "hang" }] });
    void world.stepOnce(dead.runId);
    await eventually(async () => ((await world.row(dead.runId)).status === "running" ? true : undefined));
    setFaultPlan(undefined);
    const waiting = await world.ask(e);
    expect(await world.stepOnce(waiting.runId)).toEqual({ did: "nothing", why: "parked" });
    await world.shift(40);
    world.rung.length = 0;
    await sweepOnce(world);
    expect(world.rung.map((r) => r.runId)).toContain(waiting.runId);
    expect(await world.drive(waiting.runId)).toMatchObject({ status: "completed" });
    await world.admin.sql`update teams set max_parallel_runs = 50 where id = ${world.teamId}`;
  });
});
