import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import { decide, eventsOf, onlyRequest, propose, readFile, sweepOnce, topic, violations } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => setFaultPlan(undefined));
afterAll(() => world.stop());

const goOn = (runId: string) => world.stepOnce(runId, undefined, true);
const turns = (t: string): void =>
  world.script.push(t, { calls: [readFile("README.md")] }, { calls: [propose("total >= 70")] }, { text: "done" });

test("RUN-3 RUN-4 one message may carry a run as far as it goes at once: same steps, same events, no message in between", async () => {
  const [t, u] = [topic(), topic()];
  turns(t);
  turns(u);
  const stepwise = await world.ask(t);
  await world.drive(stepwise.runId);
  world.rung.length = 0;
  const { runId } = await world.ask(u);
  world.rung.length = 0;
  expect(await goOn(runId)).toEqual({ did: "step", status: "waiting_approval" });
  expect(world.rung).toEqual([]);
  const [one, other] = await Promise.all([world.row(stepwise.runId), world.row(runId)]);
  expect(other).toMatchObject({ status: "waiting_approval", step: one.step, fence: one.fence });
  const told = async (id: string) => (await eventsOf(world, id)).map(({ type }) => type);
  expect(await told(runId)).toEqual(await told(stepwise.runId));

  await decide(world, "approver", await onlyRequest(world, runId), "approved");
  expect(await goOn(runId)).toEqual({ did: "step", status: "completed" });
  expect(await violations(world, [runId])).toEqual([]);
});

test("RUN-3 F6 an outcome and the claim of the next step are one transaction: when the answer is lost, the run is the dead step's until its lease ends", async () => {
  const t = topic();
  turns(t);
  const { runId } = await world.ask(t);
  setFaultPlan({ rules: [{ at: "run.go_on:after", act: "throw" }] });
  await expect(goOn(runId)).rejects.toThrow();
  setFaultPlan(undefined);
  // The answer was lost, not the commit: the run is the dead step's until its lease ends.
  expect(await world.row(runId)).toMatchObject({ status: "running", step: 2, fence: 2 });
  expect(await world.stepOnce(runId)).toEqual({ did: "nothing", why: "none" });
  await world.shift(400);
  await sweepOnce(world);
  expect(await goOn(runId)).toEqual({ did: "step", status: "waiting_approval" });
  await decide(world, "approver", await onlyRequest(world, runId), "approved");
  await goOn(runId);
  expect(await world.row(runId)).toMatchObject({ status: "completed" });
  expect(await violations(world, [runId])).toEqual([]);
});

test("RUN-8 RUN-19 a run that goes on lets a run of its team that waits for the slot go first, and is rung when its turn comes", async () => {
  await world.admin.sql`update teams set max_parallel_runs = 1`;
  const [t, u] = [topic(), topic()];
  turns(t);
  turns(u);
  const first = await world.ask(t);
  const second = await world.ask(u);
  // While the first is at its first step, the second finds no slot and is parked.
  const unlisten = onPoint(async (point) => {
    if (point !== "run.go_on:before") return;
    unlisten();
    expect(await world.stepOnce(second.runId)).toEqual({ did: "nothing", why: "parked" });
  });
  world.rung.length = 0;
  await goOn(first.runId);
  // The same message carried on the one that was older in the queue; both come to where a person is asked.
  for (let n = 0; n < 10 && world.rung.length > 0; n += 1) await goOn(world.rung.shift()?.runId ?? "");
  expect(await world.row(first.runId)).toMatchObject({ status: "waiting_approval" });
  expect(await world.row(second.runId)).toMatchObject({ status: "waiting_approval" });
  await world.admin.sql`update teams set max_parallel_runs = 4`;
});

test("RUN-8 a cancel between two steps of one message takes effect before the next one does anything", async () => {
  const t = topic();
  turns(t);
  const { runId } = await world.ask(t);
  let steps = 0;
  const unlisten = onPoint(async (point) => {
    if (point !== "run.go_on:before" || (steps += 1) !== 2) return;
    unlisten();
    await world.admin.sql`update runs set cancel_requested_at = now() where id = ${runId}`;
  });
  await goOn(runId);
  expect(await world.row(runId)).toMatchObject({ status: "cancelled", step: 2 });
  expect(await violations(world, [runId])).toEqual([]);
});

test("RUN-19 many runs of one team that go on at the same time block each other in no circle", async () => {
  const topics = Array.from({ length: 8 }, () => topic());
  for (const t of topics) turns(t);
  const asked = await Promise.all(topics.map((t) => world.ask(t)));
  world.rung.length = 0;
  await Promise.all(asked.map(({ runId }) => goOn(runId)));
  for (let n = 0; n < 40 && world.rung.length > 0; n += 1) await goOn(world.rung.shift()?.runId ?? "");
  const ids = asked.map(({ runId }) => runId);
  expect((await Promise.all(ids.map((id) => world.row(id)))).map(({ status }) => status)).toEqual(
    ids.map(() => "waiting_approval"),
  );
});
