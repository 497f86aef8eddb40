import { afterAll, beforeAll, expect, test } from "vitest";
import { claim } from "@aiw/core/runs";
import { decide, eventsOf, onlyRequest, propose, sweepOnce, topic, violations } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const rungNow = async (): Promise<string[]> => {
  world.rung.length = 0;
  await sweepOnce(world);
  return world.rung.map((r) => r.runId);
};

const rowOf = async (runId: string): Promise<string> =>
  JSON.stringify(await world.admin.sql`select * from runs where id = ${runId}`);

test("RUN-5 F5 a run whose doorbell was lost is rung after the grace time, not before, and then ever more seldom", async () => {
  const t = topic();
  world.script.push(t, { text: "found again" });
  const { runId } = await world.ask(t);
  expect(await rungNow()).not.toContain(runId);
  await world.shift(14);
  expect(await rungNow()).not.toContain(runId);
  // Seconds since the last ring at which the next one comes: 15, then twice as long each time, at most 64 times.
  for (const [passed, rings] of [
    [2, true],
    [16, false],
    [16, true],
    [40, false],
    [22, true],
    [100, false],
    [22, true],
  ] as const) {
    await world.shift(passed);
    expect([passed, (await rungNow()).includes(runId)]).toEqual([passed, rings]);
  }
  expect(await world.drive(runId)).toMatchObject({ status: "completed" });
  expect(await rungNow()).not.toContain(runId);
});

test("RUN-5 F68 sweeping twice, or by four sweepers at once, rings each run once and changes nothing more", async () => {
  const t = topic();
  const started = await Promise.all(Array.from({ length: 8 }, () => world.ask(t)));
  const waiting = started.map((s) => s.runId);
  await world.shift(20);
  world.rung.length = 0;
  const reports = await Promise.all(Array.from({ length: 4 }, () => sweepOnce(world)));
  expect(world.rung.map((r) => r.runId).toSorted()).toEqual(waiting.toSorted());
  expect(reports.reduce((sum, r) => sum + r.rung, 0)).toBe(8);
  const before = await Promise.all(waiting.map(rowOf));
  expect(await rungNow()).toEqual([]);
  expect(await Promise.all(waiting.map(rowOf))).toEqual(before);
  await world.admin.sql`update runs set status = 'cancelled' where id = any(${waiting}::uuid[])`;
});

test("RUN-5 F58 a waiting run holds nothing and no sweep touches it, however long it waits", async () => {
  const t = topic();
  world.script.push(t, { calls: [propose("total >= 40")] }, { text: "done" });
  const { runId } = await world.ask(t);
  expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
  const before = await rowOf(runId);
  await world.shift(20 * 3600);
  expect(await rungNow()).not.toContain(runId);
  expect(await rowOf(runId)).toBe(before);
  expect(JSON.parse(before)).toMatchObject([{ lease_until: null, wake_at: null }]);
  await decide(world, "approver", await onlyRequest(world, runId), "approved");
  expect(await world.drive(runId)).toMatchObject({ status: "completed" });
});

test("RUN-5 RUN-10 a parked run is not rung while its team is full, and is when a slot is free", async () => {
  await world.admin.sql`update teams set max_parallel_runs = 1 where id = ${world.teamId}`;
  const [a, b] = [topic(), topic()];
  world.script.push(a, { text: "a" });
  world.script.push(b, { text: "b" });
  const [first, second] = [await world.ask(a), await world.ask(b)];
  expect(await claim(world.deps.db, first.runId, 3600)).toMatchObject({ outcome: "claimed" });
  expect(await world.stepOnce(second.runId)).toEqual({ did: "nothing", why: "parked" });
  await world.shift(600);
  expect(await rungNow()).not.toContain(second.runId);
  await world.shift(3600);
  expect(await rungNow()).toEqual(expect.arrayContaining([first.runId, second.runId]));
  await world.drive(second.runId);
  await world.drive(first.runId);
  expect(await violations(world, [first.runId, second.runId])).toEqual([]);
  await world.admin.sql`update teams set max_parallel_runs = 50 where id = ${world.teamId}`;
});

test("RUN-5 one broken run stops no other: leases and expiries of the others are handled, the report counts the failure", async () => {
  const names = ["broken lease", "sound lease"].map(() => topic());
  const [broken, sound] = [await world.ask(names[0] ?? ""), await world.ask(names[1] ?? "")];
  const expiring = await Promise.all(
    [0, 1].map(async () => {
      const t = topic();
      world.script.push(t, { calls: [propose("total >= 41")] });
      const run = await world.ask(t);
      await world.drive(run.runId);
      return run.runId;
    }),
  );
  for (const { runId } of [broken, sound]) await claim(world.deps.db, runId, 30);
  await world.admin.sql`update runs set attempts = 5 where id = any(${[broken.runId, sound.runId]}::uuid[])`;
  // A row nobody should be able to make: the next event of these runs cannot be written.
  for (const runId of [broken.runId, expiring[0] ?? ""]) {
    await world.admin
      .sql`insert into run_events (run_id, seq, workspace_id, type, data) select id, last_seq + 1, workspace_id, 'usage', '{}' from runs where id = ${runId}`;
  }
  await world.shift(86_400 + 60);
  const report = await sweepOnce(world);
  expect(report).toMatchObject({ failures: 2 });
  expect(report.expiredLeases).toBeGreaterThanOrEqual(2);
  expect(await world.row(sound.runId)).toMatchObject({ status: "failed", error_code: "attempts_used_up" });
  expect(await world.row(broken.runId)).toMatchObject({ status: "running" });
  expect(await world.row(expiring[1] ?? "")).toMatchObject({ status: "queued" });
  expect(await onlyRequest(world, expiring[1] ?? "")).toMatchObject({ status: "expired" });
  expect(await onlyRequest(world, expiring[0] ?? "")).toMatchObject({ status: "pending" });
});

test("RUN-5 a doorbell that cannot be sent loses no run: the step is done, the sweep rings later", async () => {
  const t = topic();
  world.script.push(t, { calls: [{ name: "git_list_dir", arguments: {} }] }, { text: "ok" });
  const { runId } = await world.ask(t);
  const mute = { ...world.deps, ring: () => Promise.reject(new Error("the queue is away")) };
  expect(await world.stepOnce(runId, mute)).toEqual({ did: "step", status: "queued" });
  await world.shift(16);
  expect(await rungNow()).toContain(runId);
  expect(await world.drive(runId)).toMatchObject({ status: "completed" });
});

test("APR-7 an expiry is published once, by whichever of four sweepers comes first", async () => {
  const t = topic();
  world.script.push(t, { calls: [propose("total >= 42")] }, { text: "expired, I see" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  await world.shift(86_401);
  const reports = await Promise.all(Array.from({ length: 4 }, () => sweepOnce(world)));
  expect(reports.reduce((sum, r) => sum + r.expired, 0)).toBe(1);
  expect((await eventsOf(world, runId)).filter((e) => e.type === "approval.changed")).toHaveLength(1);
  expect(await world.drive(runId)).toMatchObject({ status: "completed" });
  expect(await violations(world, [runId])).toEqual([]);
});
