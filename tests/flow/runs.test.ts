import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as approvals from "@aiw/core/approvals";
import * as chats from "@aiw/core/chats";
import * as runs from "@aiw/core/runs";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import {
  auditOf,
  callsOf,
  decide,
  eventsOf,
  eventually,
  isPushed,
  itemsOf,
  onlyRequest,
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

const post = async (chatId: string, text: string, id = randomUUID()) =>
  chats.postMessage(await world.member("member"), chatId, { id, text });

describe("messages become runs", () => {
  test("RUN-1 one active run per chat; later messages wait and start in their order, also after a failed and a cancelled one", async () => {
    const [one, two, three, four] = [topic(), topic(), topic(), topic()];
    world.script.push(one, {
      fail: { status: 400, body: { error: { message: "no", code: "bad", type: "invalid_request_error" } } },
    });
    world.script.push(three, { text: "three" });
    world.script.push(four, { text: "four" });
    const first = await world.ask(one);
    for (const text of [two, three, four]) expect((await post(first.chatId, text)).run).toBeNull();
    const started = async () => world.admin.sql<{ id: string; status: string; text: string }[]>`
      select r.id, r.status, m.text from runs r join messages m on m.run_id = r.id and m.role = 'user' where r.chat_id = ${first.chatId} order by m.ordinal`;
    expect(await started()).toHaveLength(1);
    expect(await world.drive(first.runId)).toMatchObject({ status: "failed" });
    // The commit that ended the first run started the second and named it to be rung.
    const second = (await started())[1];
    expect(second).toMatchObject({ text: two, status: "queued" });
    expect(world.rung.some((r) => r.runId === second?.id)).toBe(true);
    const cancelled = await runs.cancel(world.as("member"), [world.workspaceId], second?.id ?? "");
    const third = (await started())[2];
    expect(cancelled.ring).toEqual([third?.id]);
    await world.drive(third?.id ?? "");
    const fourth = (await started())[3];
    await world.drive(fourth?.id ?? "");
    expect((await started()).map((r) => [r.text, r.status])).toEqual([
      [one, "failed"],
      [two, "cancelled"],
      [three, "completed"],
      [four, "completed"],
    ]);
  });

  test("RUN-1 ten messages at once in one chat: one run, nine wait in order", async () => {
    const t = topic();
    const chat = await chats.create(await world.member("member"), {});
    await Promise.all(Array.from({ length: 10 }, (_, n) => post(chat.id, `${t} ${n}`)));
    const [row] = await world.admin
      .sql`select count(*)::int as n, count(*) filter (where waiting)::int as waiting, count(run_id)::int as started from messages where chat_id = ${chat.id}`;
    expect(row).toMatchObject({ n: 10, waiting: 9, started: 1 });
  });

  test("RUN-1 the same message id sent twice is sent once; with other content it is refused", async () => {
    const t = topic();
    const chat = await chats.create(await world.member("member"), {});
    const id = randomUUID();
    const both = await Promise.all([post(chat.id, t, id), post(chat.id, t, id)]);
    expect(both[0].run?.id).toBe(both[1].run?.id);
    await expect(post(chat.id, `${t} other`, id)).rejects.toMatchObject({ code: "message_conflict" });
    const [row] = await world.admin.sql`select count(*)::int as n from runs where chat_id = ${chat.id}`;
    expect(row).toMatchObject({ n: 1 });
  });

  test("RUN-17 a run records its model, pinned commit, tokens, steps with outcome, and its phases", async () => {
    const t = topic();
    world.script.push(t, { calls: [readFile("README.md")] }, { text: "read" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const detail = await runs.detail(world.as("member"), [world.workspaceId], runId);
    expect(detail).toMatchObject({ model: "scripted", toolRounds: 1, status: "completed", endReason: "answered" });
    expect(detail.pins[0]?.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(detail.steps.map((s) => [s.step, s.kind, s.outcome])).toEqual([
      [1, "model", "calls"],
      [2, "tools", "answered"],
      [3, "model", "answered"],
    ]);
    expect(detail.inputTokens).toBeGreaterThan(0);
    expect(detail.phases.map((p) => p.status)).toEqual(["queued", "running", "completed"]);
    expect(await violations(world, [runId])).toEqual([]);
  });
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

describe("controlled resume (RUN-9)", () => {
  test("RUN-9 RUN-14 a failed run goes on from its history; finished calls are never made again", async () => {
    const t = topic();
    const failing = {
      fail: { status: 400, body: { error: { message: "no", code: "bad", type: "invalid_request_error" } } },
    };
    world.script.push(t, { calls: [readFile("README.md")] }, failing);
    const { runId } = await world.ask(t);
    expect(await world.drive(runId)).toMatchObject({ status: "failed" });
    await expect(runs.resume(world.as("approver"), [world.workspaceId], runId)).rejects.toMatchObject({
      code: "forbidden",
    });
    await runs.resume(world.as("member"), [world.workspaceId], runId);
    world.script.push(t, { text: "now it works" });
    expect(await world.drive(runId)).toMatchObject({ status: "completed", error_code: null });
    expect(await callsOf(world, runId)).toHaveLength(1);
    expect((await itemsOf(world, runId)).map((i) => i.kind)).toEqual([
      "user",
      "function_call",
      "function_call_output",
      "assistant",
    ]);
    await expect(runs.resume(world.as("member"), [world.workspaceId], runId)).rejects.toMatchObject({
      code: "run_not_resumable",
    });
    expect(await violations(world, [runId])).toEqual([]);
  });
});
