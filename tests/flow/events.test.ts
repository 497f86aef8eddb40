import { afterAll, beforeAll, expect, test } from "vitest";
import { runEventBody } from "@aiw/contract/events";
import * as approvals from "@aiw/core/approvals";
import * as events from "@aiw/core/events";
import { claim } from "@aiw/core/runs";
import { decide, eventsOf, onlyRequest, propose, readFile, topic, violations } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

test("RUN-11 every event of the main path, of a no and of an expiry is one of the contract's, in its shape", async () => {
  const wrong: string[] = [];
  const types = new Set<string>();
  for (const vote of ["approved", "rejected"] as const) {
    const t = topic();
    world.script.push(
      t,
      { text: "I look.", calls: [readFile("README.md"), { name: "bash", arguments: {} }] },
      { calls: [propose("total >= 5")] },
      { text: "Done." },
    );
    const { runId } = await world.ask(t);
    await world.drive(runId);
    await decide(world, "approver", await onlyRequest(world, runId), vote);
    await world.drive(runId);
    for (const event of await events.after(world.api, world.workspaceId, runId, 0)) {
      types.add(event.type);
      const read = runEventBody.safeParse(JSON.parse(events.toJson(event)));
      if (!read.success) wrong.push(`${event.type}: ${read.error.message}`);
    }
    expect(await violations(world, [runId])).toEqual([]);
  }
  expect(wrong).toEqual([]);
  expect([...types].toSorted()).toEqual([
    "approval.changed",
    "approval.requested",
    "message.completed",
    "message.delta",
    "run.status",
    "step.started",
    "tool.finished",
    "tool.requested",
    "tool.started",
    "usage",
  ]);
});

test("RUN-11 I4 M5 many writers at once leave no gap and no double: a reader that follows sees each event once", async () => {
  const t = topic();
  const { runId } = await world.ask(t);
  const taken = await claim(world.deps.db, runId, 600);
  if (taken.outcome !== "claimed") throw new Error("not claimed");
  const { run } = taken;
  const seen: number[] = [];
  let writing = true;
  const reader = (async () => {
    for (let last = 0; writing || seen.length < last;) {
      const batch = await events.after(world.api, world.workspaceId, runId, seen.at(-1) ?? 0, 7);
      seen.push(...batch.map((e) => e.seq));
      last = Math.max(last, (await events.position(world.api, world.workspaceId, runId))?.lastSeq ?? 0);
    }
  })();
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 12; n += 1) {
        await events.append(
          world.deps.db,
          run,
          600,
          Array.from({ length: 1 + (n % 3) }, () => ({
            type: "message.delta",
            data: { step: 1, text: `${writer}.${n} ` },
          })),
        );
      }
    }),
  );
  writing = false;
  await reader;
  const last = (await world.row(runId)).last_seq;
  expect(seen).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  await world.admin.sql`update runs set status = 'cancelled' where id = ${runId}`;
});

test("RUN-11 the same statement that appends proves the fence, extends the lease and tells of a cancel", async () => {
  const { runId } = await world.ask(topic());
  const taken = await claim(world.deps.db, runId, 30);
  if (taken.outcome !== "claimed") throw new Error("not claimed");
  await world.shift(20);
  expect(await events.append(world.deps.db, taken.run, 30, [])).toEqual({ cancel: false });
  const [row] = await world.admin.sql<
    { left: number }[]
  >`select extract(epoch from lease_until - aiw_now())::float as left from runs where id = ${runId}`;
  expect(row?.left).toBeGreaterThan(28);
  await world.admin.sql`update runs set cancel_requested_at = aiw_now() where id = ${runId}`;
  expect(
    await events.append(world.deps.db, taken.run, 30, [{ type: "message.delta", data: { step: 1, text: "x" } }]),
  ).toEqual({ cancel: true });
  expect(await events.look(world.deps.db, taken.run)).toBe("cancel");
  expect(await events.look(world.deps.db, { ...taken.run, fence: taken.run.fence - 1 })).toBe("lost");
  await world.admin.sql`update runs set status = 'cancelled' where id = ${runId}`;
});

test("RUN-11 RUN-2 text is told in pieces as it comes, and the stored answer is what was told", async () => {
  const t = topic();
  const words = Array.from({ length: 40 }, (_, n) => `word${n} `);
  world.script.push(t, { chunks: words, chunkDelayMs: 5 });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  const deltas = (await eventsOf(world, runId)).filter((e) => e.type === "message.delta");
  expect(deltas.length).toBeGreaterThan(2);
  expect(deltas.length).toBeLessThan(40);
  expect(
    deltas
      .map((d) => String(d.data["text"]))
      .join("")
      .trim(),
  ).toBe(words.join("").trim());
  expect(await violations(world, [runId])).toEqual([]);
});

test("I3 a request that waits is told with its level, its end of time and its id, and the same can be read from the inbox", async () => {
  const t = topic();
  world.script.push(t, { calls: [propose("total >= 6")] });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  const told = (await eventsOf(world, runId)).find((e) => e.type === "approval.requested");
  const open = (await approvals.list(world.as("approver"), [world.workspaceId], {})).items.find(
    (a) => a.runId === runId,
  );
  expect(told?.data).toMatchObject({ approvalId: open?.id, level: open?.level, fourEyes: false });
  expect(new Date(String(told?.data["expiresAt"])).toISOString()).toBe(open?.expiresAt);
});
