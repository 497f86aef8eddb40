import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as approvals from "@aiw/core/approvals";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import {
  auditOf,
  callsOf,
  decide,
  isPushed,
  outputsOf,
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

describe("several calls in one turn (RUN-14)", () => {
  test("RUN-14 three reads run together; the model gets each result once, in call order", async () => {
    const t = topic();
    const together = { now: 0, most: 0 };
    const unlisten = onPoint((point) => {
      if (point === "tool.read:before") together.most = Math.max(together.most, (together.now += 1));
      if (point === "tool.read:after") together.now -= 1;
    });
    world.script.push(
      t,
      { calls: [readFile("README.md"), readFile("src/discount.ts"), readFile("src/greeting.ts")] },
      { text: "read" },
    );
    const { runId } = await world.ask(t);
    // The first one takes long: the others are not kept waiting.
    setFaultPlan({ rules: [{ at: "tool.read:before", act: "delay", ms: 100 }] });
    await world.drive(runId);
    setFaultPlan(undefined);
    unlisten();
    expect(together.most).toBe(2);
    const outputs = await outputsOf(world, runId);
    expect(outputs.map((o) => /A discount applies|total > 100|hello/.exec(o)?.[0])).toEqual([
      "A discount applies",
      "total > 100",
      "hello",
    ]);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("F8 RUN-14 after a crash with two of three reads kept, only the third runs again", async () => {
    const t = topic();
    world.script.push(
      t,
      { calls: [readFile("README.md"), readFile("src/discount.ts"), readFile("src/greeting.ts")] },
      { text: "read" },
    );
    const { runId } = await world.ask(t);
    await world.stepOnce(runId);
    setFaultPlan({ rules: [{ at: "run.commit:before", act: "throw" }] });
    await world.stepOnce(runId).catch(() => undefined);
    setFaultPlan(undefined);
    const kept = (await callsOf(world, runId)).filter((c) => c.status === "executed");
    expect(kept).toHaveLength(2);
    expect(kept.every((c) => c.decision === "allow")).toBe(true);
    await world.shift(40);
    await sweepOnce(world);
    let reads = 0;
    const unlisten = onPoint((point) => {
      if (point === "tool.read:before") reads += 1;
    });
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    unlisten();
    expect(reads).toBe(1);
    expect((await auditOf(world, runId)).filter((e) => e === "tool.executed")).toHaveLength(3);
    const outputs = await outputsOf(world, runId);
    expect(outputs.every((o) => o.startsWith("<<<untrusted"))).toBe(true);
    expect(await violations(world, [runId])).toEqual([]);
  });

  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ] as const;
  test.each(orders)(
    "F66 RUN-14 three requests approved in the order %i %i %i are executed in call order, results in call order",
    async (...order) => {
      const t = topic();
      const changes = ["total >= 81", "total >= 82", "total >= 83"];
      world.script.push(t, { calls: changes.map((c) => propose(c)) }, { text: "done" });
      const { runId } = await world.ask(t);
      await world.drive(runId);
      const requests = await requestsOf(world, runId);
      for (const index of order) {
        const request = requests[index];
        if (request === undefined) throw new Error("three requests expected");
        await decide(world, "approver", request, "approved");
        await world.drive(runId);
      }
      expect(await world.row(runId)).toMatchObject({ status: "completed" });
      const after = await requestsOf(world, runId);
      expect(after.map((r) => r.status)).toEqual(["executed", "executed", "executed"]);
      const done = await world.admin.sql<
        { object_id: string }[]
      >`select object_id from audit_events where run_id = ${runId} and event = 'approval.executing' order by id`;
      expect(done.map((d) => d.object_id)).toEqual(after.map((r) => r.id));
      expect(await violations(world, [runId])).toEqual([]);
    },
  );

  test("RUN-14 after a rejected one the later ones of the turn are cancelled (dependency), the earlier one stands", async () => {
    const t = topic();
    world.script.push(
      t,
      { calls: [propose("total >= 71"), propose("total >= 72"), propose("total >= 73")] },
      { text: "done" },
    );
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const [first, second, third] = await requestsOf(world, runId);
    if (first === undefined || second === undefined || third === undefined) throw new Error("three requests expected");
    await decide(world, "approver", third, "approved");
    await decide(world, "approver", second, "rejected", { reason: "too high" });
    await decide(world, "approver", first, "approved");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["executed", "rejected", "cancelled"]);
    const outputs = await outputsOf(world, runId);
    expect(outputs[1]).toMatch(/^rejected: .*too high/);
    expect(outputs[2]).toMatch(/^cancelled: .*dependency/);
    expect(isPushed(world, third)).toBe(false);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("RUN-14 after one that failed the later ones are cancelled too, although approved; the approver sees what belongs together", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 81"), propose("total >= 82")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const [first, second] = await requestsOf(world, runId);
    if (first === undefined || second === undefined) throw new Error("two requests expected");
    const { siblings } = await approvals.detail(world.as("approver"), [world.workspaceId], second.id);
    expect(siblings.map((s) => [s.id, s.status])).toEqual([[first.id, "pending"]]);
    await decide(world, "approver", second, "approved");
    await decide(world, "approver", first, "approved");
    world.git.switches.refusePushWith = 403;
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    world.git.switches.refusePushWith = null;
    expect((await requestsOf(world, runId)).map((r) => [r.status, r.attempt])).toEqual([
      ["failed", 1],
      ["cancelled", 0],
    ]);
    expect((await outputsOf(world, runId))[1]).toMatch(/^cancelled: .*dependency/);
    expect(isPushed(world, second)).toBe(false);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("RUN-14 while the outcome of an earlier write is unknown the later ones are cancelled", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 61"), propose("total >= 62")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const [first, second] = await requestsOf(world, runId);
    if (first === undefined || second === undefined) throw new Error("two requests expected");
    await decide(world, "approver", first, "approved");
    await decide(world, "approver", second, "approved");
    world.git.switches.dropBeforePush = true;
    expect(await world.drive(runId)).toMatchObject({ status: "needs_reconciliation" });
    world.git.switches.dropBeforePush = false;
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["unknown", "cancelled"]);
    await approvals.reconcile(
      world.as("owner"),
      [world.workspaceId],
      { runId, approvalId: first.id, outcome: "end", comment: "looked, nothing there" },
      900,
      world.deps.vault,
    );
    expect(await world.row(runId)).toMatchObject({ status: "failed", error_code: "ended_by_person" });
    expect(await violations(world, [runId])).toEqual([]);
  });
});

describe("what a model may call (RUN-15)", () => {
  const cases: readonly (readonly [string, string | Readonly<Record<string, unknown>>, RegExp, string])[] = [
    ["bash", { command: "ls" }, /no tool named "bash"/, "tool.unknown"],
    ["run_python", { code: "1" }, /no tool named "run_python"/, "tool.unknown"],
    ["git_push", {}, /no tool named "git_push"/, "tool.unknown"],
    ["git_read_file", '{"path": "README.md"', /could not be used/, "tool.bad_arguments"],
    ["git_read_file", '{"path":"a","path":"README.md"}', /could not be used/, "tool.bad_arguments"],
    ["git_read_file", '{"path":"README.md","p\\u0061th":"x"}', /could not be used/, "tool.bad_arguments"],
    ["git_read_file", '{"path":"README.md","start_line":9007199254740993}', /could not be used/, "tool.bad_arguments"],
    ["git_read_file", '{"path":"README.md","__proto__":{"is_admin":true}}', /could not be used/, "tool.bad_arguments"],
    ["git_read_file", { path: "README.md", extra: 1 }, /could not be used/, "tool.bad_arguments"],
    ["git_read_file", { path: 5 }, /could not be used/, "tool.bad_arguments"],
    ["git_read_file", '["README.md"]', /could not be used/, "tool.bad_arguments"],
    ["git_read_file", { path: "x".repeat(1024 * 1024) }, /could not be used/, "tool.bad_arguments"],
  ];
  test.each(cases)(
    "RUN-15 a call of %s with unusable arguments is an error for the model and an audit row, and the run goes on (case %#)",
    async (name, args, says, event) => {
      const t = topic();
      world.script.push(t, { calls: [{ name, arguments: args }] }, { text: "understood" });
      const { runId } = await world.ask(t);
      let reads = 0;
      const unlisten = onPoint((point) => {
        if (point === "tool.read:before" || point === "approval.prepare:before") reads += 1;
      });
      expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "answered" });
      unlisten();
      expect(reads).toBe(0);
      expect((await outputsOf(world, runId))[0]).toMatch(says);
      expect(await auditOf(world, runId)).toContain(event);
      expect(await violations(world, [runId])).toEqual([]);
      // What the model wrote by the megabyte does not fill its own window in the next turn.
      const sent = JSON.stringify(world.script.requests.at(-1)?.items ?? []);
      expect(sent.length).toBeLessThan(100_000);
    },
  );

  test("RUN-15 a hundred calls in one turn, known and unknown, are each answered once, in order", async () => {
    const t = topic();
    const calls = Array.from({ length: 100 }, (_, n) =>
      n % 10 === 3 ? { name: "bash", arguments: { n } } : readFile(n % 2 === 0 ? "README.md" : "src/greeting.ts"),
    );
    world.script.push(t, { calls }, { text: "all" });
    const { runId } = await world.ask(t);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    const outputs = await outputsOf(world, runId);
    expect(outputs).toHaveLength(100);
    expect(outputs.flatMap((o, n) => (o.includes("no tool named") ? [n % 10] : [])).every((n) => n === 3)).toBe(true);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("F93 I10 a gateway that uses a call id twice is asked again; no call is lost or answered twice", async () => {
    const t = topic();
    world.script.push(
      t,
      { calls: [{ ...readFile("README.md"), callId: "call_0" }] },
      { calls: [{ ...readFile("src/greeting.ts"), callId: "call_0" }] },
      { text: "ok" },
    );
    const { runId } = await world.ask(t);
    expect(await world.drive(runId)).toMatchObject({ status: "queued", attempts: 1 });
    await world.shift(60);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await callsOf(world, runId)).toHaveLength(1);
    expect(await violations(world, [runId])).toEqual([]);
  });
});
