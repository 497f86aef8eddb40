import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as chats from "@aiw/core/chats";
import * as runs from "@aiw/core/runs";
import { setFaultPlan } from "@aiw/platform/fault";
import { eventually, callsOf, itemsOf, readFile, topic, violations } from "../kit/runs.ts";
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
  chats.postMessage(await world.member("member"), chatId, { id, text }, world.deps.vault);

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

  test("RUN-1 a message that is being written while its chat's run is cancelled starts a run of its own, or waits for nothing", async () => {
    const t = topic();
    const { runId, chatId } = await world.ask(t);
    const id = randomUUID();
    let cancelling: Promise<unknown> = Promise.resolve();
    // The sender has seen the run at work and lets the message wait; before it commits, the run is cancelled.
    await world.admin.begin(async (tx) => {
      await tx`select 1 from chats where id = ${chatId} for update`;
      await tx`insert into messages (id, workspace_id, chat_id, role, text, author_id, waiting)
        values (${id}, ${world.workspaceId}, ${chatId}, 'user', 'next', ${world.people.member.userId}, true)`;
      const asked = { done: false };
      cancelling = runs.cancel(world.as("member"), [world.workspaceId], runId).finally(() => (asked.done = true));
      await eventually(async () => {
        const waits = await world.admin.sql`
          select 1 from pg_stat_activity where application_name = 'test-api' and wait_event_type = 'Lock' and datname = current_database()`;
        return asked.done || waits.length > 0 ? true : undefined;
      });
    });
    await cancelling;
    const [message] = await world.admin.sql`select waiting, run_id from messages where id = ${id}`;
    expect(message).toMatchObject({ waiting: false, run_id: expect.any(String) as string });
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
