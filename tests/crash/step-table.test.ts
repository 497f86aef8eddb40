import { afterAll, beforeAll, expect, test } from "vitest";
import type { BrainRequest, ScriptTurn } from "@aiw/infra/local/demo-gateway/brain";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import { play } from "../kit/play.ts";
import { aiRefs, propose, readFile, requestsOf, stopAt, sweepOnce, violations } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

/** The main job, by what the model has seen so far: three reads, then a proposal, then the answer. */
const model = (request: BrainRequest): ScriptTurn => {
  const results = request.items.filter((i) => i.type === "function_call_output").length;
  if (results === 0)
    return {
      text: "I look first.",
      calls: [readFile("README.md"), readFile("src/discount.ts"), readFile("src/greeting.ts")],
    };
  if (results === 3) return { text: "I propose this.", calls: [propose("total >= 100")] };
  return { text: "Done." };
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ model, limits: { heartbeatS: 3600 } });
});
afterAll(async () => {
  setFaultPlan(undefined);
  await world.stop();
});

const begin = async (): Promise<{ readonly runId: string; readonly job: () => Promise<boolean> }> => {
  const { runId } = await world.ask("Fix the discount, please.");
  const bells = [{ runId, delayMs: undefined }];
  return {
    runId,
    job: async () => {
      // The sweeper comes by while the run is under way, as it always does.
      await sweepOnce(world).catch(() => undefined);
      return play(world, runId, bells);
    },
  };
};

/** The first and the last passing of a point stand for those between; the long test run plays them all. */
const passings = (times: number): readonly number[] =>
  process.env["AIW_TEST_FULL"] === "1" ? Array.from({ length: times }, (_, n) => n + 1) : [...new Set([1, times])];

/** What must hold at the end, however the way there was. */
const faultsOf = async (runId: string, ended: boolean, at = ""): Promise<string[]> => {
  if (!ended) return [`${runId}: I3 it did not come to an end`];
  const row = await world.row(runId);
  const requests = await requestsOf(world, runId);
  const faults = await violations(world, [runId]);
  if (row.status !== "completed" || row.end_reason !== "answered")
    faults.push(`ended as ${row.status} ${row.end_reason ?? ""} ${row.error_code ?? ""}`);
  // Only a source that could not be asked keeps the proposal from being made; it never ends the run.
  const asks = /^(source\.pin|approval\.prepare|git\.(snapshot|freeze|pin_\w+|list_refs|exchange|fetch)):/;
  const expected = asks.test(at) ? ["", "executed"] : ["executed"];
  const statuses = requests.map((r) => r.status).join(" ");
  if (!expected.includes(statuses)) faults.push(`requests: ${statuses}`);
  return faults;
};

test("I1..I7 I10 F1..F10 F15..F18: the main job survives a stop at every named point, thrown or killed, before and after", async () => {
  // The first run fetches the repository; from then on it is there, as it is in daily work.
  const first = await begin();
  expect(await faultsOf(first.runId, await first.job())).toEqual([]);
  const passed = new Map<string, number>();
  const baseline = await begin();
  const unlisten = onPoint((point) => void passed.set(point, (passed.get(point) ?? 0) + 1));
  const fine = await baseline.job();
  unlisten();
  expect(await faultsOf(baseline.runId, fine)).toEqual([]);
  for (const name of [
    "claim.tx",
    "ctx.load",
    "model.call",
    "event.append",
    "tool.read",
    "tool.keep",
    "approval.prepare",
    "decide.tx",
    "tool.recheck",
    "tool.claim",
    "tool.call",
    "git.push",
    "run.commit",
    "doorbell.send",
    "sweep.pick",
  ]) {
    expect([...passed.keys()]).toContain(`${name}:before`);
  }

  const wrong: string[] = [];
  const missed: string[] = [];
  const count = { throw: 0, hang: 0 };
  for (const [at, times] of passed) {
    for (const nth of passings(times)) {
      for (const act of ["throw", "hang"] as const) {
        world.rung.length = 0;
        const { runId, job } = await begin();
        let ended: boolean;
        if (act === "throw") {
          setFaultPlan({ rules: [{ at, nth, act }] });
          ended = await job();
          setFaultPlan(undefined);
        } else {
          const stopped = await stopAt(at, nth, job);
          if (!stopped) missed.push(`${at} #${nth}`);
          // What the dead one had in hand is lost with it.
          world.rung.length = 0;
          ended = await play(world, runId, []);
        }
        count[act] += 1;
        wrong.push(...(await faultsOf(runId, ended, at)).map((fault) => `${act} at ${at} #${nth}: ${fault}`));
      }
    }
  }
  const executed = await world.admin.sql`select 1 from approvals where status = 'executed'`;
  console.log(
    `${count.throw} thrown and ${count.hang} killed of ${passed.size} points, ${missed.length} not reached; ${executed.length} changes pushed, ${wrong.length} violations`,
  );
  expect(wrong).toEqual([]);
  expect(missed).toEqual([]);
  // Every branch on the server belongs to an executed request, and to one only.
  expect(aiRefs(world).size).toBe(executed.length);
});

test("RUN-7 F16 a recovery that dies itself, at each of its points, is recovered in turn: one push, never a second", async () => {
  const interrupted = async () => {
    const { runId, job } = await begin();
    expect(await stopAt("git.push:after", 1, job)).toBe(true);
    world.rung.length = 0;
    return runId;
  };
  const passed = new Map<string, number>();
  const plain = await interrupted();
  const unlisten = onPoint((point) => void passed.set(point, (passed.get(point) ?? 0) + 1));
  const fine = await play(world, plain, []);
  unlisten();
  expect(await faultsOf(plain, fine)).toEqual([]);
  expect([...passed.keys()]).toEqual(
    expect.arrayContaining(["sweep.recover:after", "recover.probe:before", "git.probe:after"]),
  );

  const wrong: string[] = [];
  let stops = 0;
  for (const [at, times] of passed) {
    // The sweeps while time passes are all alike: the first two of each point stand for them.
    for (let nth = 1; nth <= Math.min(times, 2); nth += 1) {
      const runId = await interrupted();
      if (!(await stopAt(at, nth, () => play(world, runId, [])))) wrong.push(`${at} #${nth} was not reached`);
      world.rung.length = 0;
      const ended = await play(world, runId, []);
      stops += 1;
      wrong.push(...(await faultsOf(runId, ended, at)).map((fault) => `${at} #${nth}: ${fault}`));
      const pushes = await requestsOf(world, runId);
      if (pushes[0]?.attempt !== 1) wrong.push(`${at} #${nth}: ${pushes[0]?.attempt ?? 0} calls`);
    }
  }
  console.log(`${stops} recoveries killed, ${wrong.length} violations`);
  expect(wrong).toEqual([]);
});

/** A small seeded generator (mulberry32): the same seed plays the same way again. */
const random = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

const POINTS = [
  "claim.tx",
  "ctx.load",
  "model.call",
  "event.append",
  "tool.read",
  "tool.keep",
  "decide.tx",
  "tool.recheck",
  "tool.claim",
  "tool.call",
  "git.push",
  "git.probe",
  "tool.probe",
  "run.commit",
  "doorbell.send",
  "sweep.recover",
  "sweep.pick",
];

test("G2 forty seeds of several faults each, with a server that sometimes acts and hangs up: no write twice, no run lost", async () => {
  const wrong: string[] = [];
  const ends = new Map<string, number>();
  for (let seed = 1; seed <= 40; seed += 1) {
    const dice = random(seed);
    world.rung.length = 0;
    const { runId, job } = await begin();
    const rules = Array.from({ length: 1 + Math.floor(dice() * 6) }, () => ({
      at: `${POINTS[Math.floor(dice() * POINTS.length)] ?? "claim.tx"}:${dice() < 0.5 ? "before" : "after"}`,
      nth: 1 + Math.floor(dice() * 3),
      act: "throw" as const,
    }));
    world.git.switches.dropAfterPush = dice() < 0.3;
    setFaultPlan({ rules });
    const ended = await job();
    setFaultPlan(undefined);
    world.git.switches.dropAfterPush = false;
    const row = await world.row(runId);
    const requests = await requestsOf(world, runId);
    ends.set(row.status, (ends.get(row.status) ?? 0) + 1);
    if (!ended) wrong.push(`seed ${seed}: not at an end but ${row.status}`);
    else wrong.push(...(await violations(world, [runId])).map((v) => `seed ${seed}: ${v}`));
    if (requests.length > 1) wrong.push(`seed ${seed}: ${requests.length} requests`);
  }
  console.log(`40 seeds ended ${JSON.stringify([...ends])}, ${wrong.length} violations`);
  expect(wrong).toEqual([]);
  expect(ends.get("completed")).toBeGreaterThan(30);
});
