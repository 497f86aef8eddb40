import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import * as policies from "@aiw/core/policies";
import { onPoint, setFaultPlan, wakeHung } from "@aiw/platform/fault";
import { vi } from "vitest";
import { strayEffects } from "../kit/oracle.ts";
import { requestsOf, sweepOnce, topic as newTopic, violations } from "../kit/runs.ts";
import { randomFrom } from "../kit/watch.ts";
import { replay, type Harness } from "./harness.ts";
import { playOut, reconcile, runsOf } from "./play.ts";
import { SCENARIOS, scenarioOf, type Episode, type Hands } from "./scenarios.ts";
import { opening, startStage, type Stage } from "./stage.ts";

/**
 * Where a worker can be overtaken. Each stands on the one line of a step, so that who goes on is the dice's alone. Between
 * the last look before a call and the call's end nobody is held: a call has a time limit of its own, in real time (F20).
 */
const CROSSINGS =
  /^((claim\.tx|ctx\.load|run\.commit|tool\.claim|tool\.facts|tool\.call|recover\.(facts|tx)|sweep\.(pick|recover|expire|ring)|decide\.tx|reconcile\.tx|cancel\.tx|again\.tx|doorbell\.send|expire\.tx):(before|after)|tool\.look:before|tool\.write:after|recover\.probe:(before|after))$/;

/** Where something may go wrong; each is passed in an order that the seed alone decides. */
const BREAKS: readonly string[] = [
  "claim.tx",
  "ctx.load",
  "model.call",
  "run.commit",
  "approval.prepare",
  "tool.facts",
  "tool.recheck",
  "tool.claim",
  "tool.call",
  "tool.look",
  "tool.write",
  "tool.probe",
  "tool.read",
  "tool.keep",
  "mcp.write",
  "mcp.relist",
  "mcp.http",
  "mcp.probe",
  "git.push",
  "git.probe",
  "recover.probe",
  "recover.tx",
  "decide.tx",
  "reconcile.tx",
  "cancel.tx",
  "again.tx",
  "doorbell.send",
  "sweep.recover",
  "sweep.pick",
  "sweep.ring",
  "expire.tx",
];

const DUPLICATE = 0.3;
const DROP = 0.1;
const KILLED_AT_A_CROSSING = 0.03;
const TURNS = 240;

/**
 * G2: one to five conversations at once, two or three workers that overtake each other at every crossing, up to six faults,
 * doorbells doubled, out of order and lost, delays up to an hour, a clock that is wrong by up to ten minutes. Everything is
 * drawn from the seed; the first seed is played twice and must leave the same trace. `runs` is the number of seeds.
 */
export const g2: Harness = {
  id: "g2",
  longRuns: 1_000,
  run: async ({ seed, runs }) => {
    const stage = await startStage();
    const wrong: string[] = [];
    const total = { conversations: 0, steps: 0, faults: 0, doubled: 0, lost: 0, killed: 0, crossings: 0 };
    try {
      await playOut(handsOf(stage), await begin(stage, "reads"));
      const traces = new Map<number, string>();
      for (let n = -1; n < runs; n += 1) {
        const one = seed + Math.max(n, 0);
        const played = await playSeed(stage, one);
        for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += played.count[key];
        const again = replay("g2", { seed: one, runs: 1 });
        wrong.push(...played.wrong.map((fault) => `seed ${one}: ${fault} (${again})`));
        const before = traces.get(one);
        if (before !== undefined && before !== played.trace)
          wrong.push(`seed ${one} was played twice and left two traces (${again})`);
        traces.set(one, played.trace);
      }
    } finally {
      setFaultPlan(undefined);
      wakeHung();
      await stage.stop();
    }
    return { counts: { seeds: runs, ...total }, violations: wrong };
  },
};

const handsOf = (stage: Stage): Hands => ({ ...stage.world, ledgerUrl: stage.ledger.url });

const begin = async ({ world }: Stage, scenario: string): Promise<Episode> => {
  const topic = newTopic();
  const { chatId, runId } = await world.ask(opening(scenario, topic));
  world.rung.push({ runId, delayMs: undefined });
  return { scenario, topic, chatId };
};

interface Played {
  readonly wrong: string[];
  readonly trace: string;
  readonly count: Record<"conversations" | "steps" | "faults" | "doubled" | "lost" | "killed" | "crossings", number>;
}

/** A worker that stands at a crossing until it is let go on, or never is. */
interface Waiting {
  readonly worker: number;
  readonly goOn: () => void;
}

const playSeed = async (stage: Stage, seed: number): Promise<Played> => {
  const dice = randomFrom(seed);
  const whole = (n: number): number => Math.floor(dice() * n);
  const hands = handsOf(stage);
  const count: Played["count"] = {
    conversations: 0,
    steps: 0,
    faults: 0,
    doubled: 0,
    lost: 0,
    killed: 0,
    crossings: 0,
  };
  const trace: string[] = [];
  stage.world.rung.length = 0;
  const episodes: Episode[] = [];
  for (let left = 1 + whole(5); left > 0; left -= 1)
    episodes.push(await begin(stage, SCENARIOS[whole(SCENARIOS.length)]?.name ?? "answer"));
  count.conversations = episodes.length;
  const rules = Array.from({ length: 2 + whole(5) }, () => ({
    at: `${BREAKS[whole(BREAKS.length)] ?? "claim.tx"}:${dice() < 0.5 ? "before" : "after"}`,
    nth: 1 + whole(2),
    act: "throw" as const,
  }));
  // The clock of the process is wrong (F67), and no look at the lease comes by itself at a moment of its own.
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: Date.now() + (dice() - 0.5) * 1_200_000 });
  setFaultPlan({ rules });

  const here = new AsyncLocalStorage<number>();
  const waiting: Waiting[] = [];
  const seen = new Map<string, number>();
  const working = new Map<number, Promise<void>>();
  let arrived = (): void => undefined;
  const unlisten = onPoint((point) => {
    const passed = (seen.get(point) ?? 0) + 1;
    seen.set(point, passed);
    if (rules.some(({ at, nth }) => at === point && nth === passed)) count.faults += 1;
    const worker = here.getStore();
    if (worker === undefined || !CROSSINGS.test(point)) return;
    count.crossings += 1;
    trace.push(`${worker} ${point}`);
    return new Promise<void>((goOn) => {
      waiting.push({ worker, goOn });
      arrived();
    });
  });
  const idle = new Set(Array.from({ length: 2 + whole(2) }, (_, n) => n));
  /** Runs until the worker stands at a crossing or is done; nobody else runs meanwhile. */
  const letRun = (start: () => void): Promise<void> =>
    new Promise((resolve) => {
      arrived = resolve;
      start();
    });
  const work = (worker: number, action: () => Promise<string>): Promise<void> => {
    idle.delete(worker);
    return letRun(() => {
      const done = here
        .run(worker, action)
        .catch((error: unknown) => (error instanceof Error ? error.name : "error"))
        .then(async (result) => {
          trace.push(`${worker} ${result}: ${await standing(hands, episodes)}`);
          idle.add(worker);
          arrived();
        });
      working.set(worker, done);
    });
  };

  const act = async (): Promise<string> => {
    const what = dice();
    if (what < 0.55 && stage.world.rung.length > 0) {
      // Ids are in the order of their making; a sweep rings in whatever order the database finds them.
      stage.world.rung.sort((a, b) => (a.runId < b.runId ? -1 : 1));
      const at = whole(stage.world.rung.length);
      const bell = stage.world.rung[at];
      if (dice() < DUPLICATE) count.doubled += 1;
      else stage.world.rung.splice(at, 1);
      if (dice() < DROP) {
        count.lost += 1;
        return "lost";
      }
      count.steps += 1;
      const { did } = await stage.world.stepOnce(bell?.runId ?? "");
      return did;
    }
    if (what < 0.8) return person(hands, episodes[whole(episodes.length)]);
    if (what < 0.9) {
      await stage.world.shift(dice() < 0.1 ? whole(3600) : whole(45));
      return "time";
    }
    await sweepOnce(hands);
    return "swept";
  };

  for (let turn = 0; turn < TURNS; turn += 1) {
    const free = [...idle];
    const choice = whole(waiting.length + (free.length > 0 ? 1 : 0));
    const [next] = waiting.splice(choice, 1);
    if (next === undefined) {
      const worker = free[whole(free.length)];
      if (worker !== undefined) await work(worker, act);
    } else if (dice() < KILLED_AT_A_CROSSING) {
      count.killed += 1;
      trace.push(`${next.worker} killed`);
      working.delete(next.worker);
      // Another process takes its place.
      idle.add(next.worker + 10);
    } else await letRun(next.goOn);
  }
  unlisten();
  // Who still stands at a crossing goes on, one after another, into a world without faults.
  setFaultPlan(undefined);
  for (const { worker, goOn } of waiting) {
    goOn();
    await working.get(worker);
  }
  vi.useRealTimers();
  const wrong: string[] = [];
  for (const episode of episodes) {
    // A stop that somebody pressed late is lifted, as an admin would.
    await policies.setWriteStop(await stage.world.member("owner"), false);
    if (await playOut(hands, episode)) continue;
    const statuses = (await runsOf(hands, episode)).map(({ status }) => status);
    wrong.push(`I3 ${episode.scenario} did not end: ${statuses.join(" ")}`);
  }
  const ids = (await Promise.all(episodes.map((episode) => runsOf(hands, episode)))).flat().map(({ id }) => id);
  if (wrong.length === 0)
    wrong.push(...(await violations(stage.watched, ids)), ...(await strayEffects(stage.watched, ids)));
  await tidy(stage);
  return { wrong, count, trace: createHash("sha256").update(trace.join("\n")).digest("hex") };
};

const tidy = async ({ world, ledger }: Stage): Promise<void> => {
  await world.admin.sql`delete from tool_policies`;
  await world.admin
    .sql`update workspaces set writes_stopped_at = null, writes_stopped_by = null where writes_stopped_at is not null`;
  ledger.reset();
  ledger.setMode("late", "late", 150);
};

/** How all runs and requests stand, in the order in which they began. */
const standing = async ({ admin }: Hands, episodes: readonly Episode[]): Promise<string> => {
  const chats = episodes.map(({ chatId }) => chatId);
  const rows = await admin.sql<{ text: string }[]>`
    select concat_ws(' ', r.status, r.fence, (select string_agg(a.status, ' ' order by c.step, c.position, a.id) from approvals a join tool_calls c on c.id = a.tool_call_id where a.run_id = r.id)) as text
      from runs r where r.chat_id = any(${chats}::uuid[]) order by array_position(${chats}::uuid[], r.chat_id), r.id`;
  return rows.map(({ text }) => text).join(", ");
};

/** Somebody looks at a conversation and does what there is to do. */
const person = async (hands: Hands, episode: Episode | undefined): Promise<string> => {
  const scenario = scenarioOf(episode?.scenario ?? "");
  if (episode === undefined || scenario === undefined) return "nobody";
  const [open] = (await runsOf(hands, episode)).filter(({ status }) =>
    ["waiting_approval", "needs_reconciliation"].includes(status),
  );
  if (open === undefined) return (await scenario.after?.(hands, episode)) === true ? "began again" : "nothing to do";
  const requests = await requestsOf(hands, open.id);
  const acted =
    open.status === "waiting_approval"
      ? await scenario.person(hands, open.id, requests, episode)
      : await reconcile(hands, open.id, requests);
  return acted ? "acted" : "looked";
};
