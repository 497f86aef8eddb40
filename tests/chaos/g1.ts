import { fork } from "node:child_process";
import { onPoint, setFaultPlan, wakeHung } from "@aiw/platform/fault";
import { fingerprint, strayEffects } from "../kit/oracle.ts";
import { topic as newTopic, violations } from "../kit/runs.ts";
import { randomFrom } from "../kit/watch.ts";
import { stopJobs } from "./g1-jobs.ts";
import { specOf, type ChildOrder } from "./attach.ts";
import { replay, type ChaosOptions, type ChaosReport, type Harness } from "./harness.ts";
import { freezeAt, playOut, requestsOfEpisode, runsOf } from "./play.ts";
import { SCENARIOS, type Episode, type Hands, type Scenario } from "./scenarios.ts";
import { opening, STAGE_LIMITS, startStage, type Stage } from "./stage.ts";

type Act = "throw" | "hang" | "exit";

/** One execution: a scenario, and what goes wrong where. */
interface Case {
  readonly scenario: Scenario;
  /** "name:before" or "name:after". */
  readonly at: string;
  readonly nth: number;
  readonly act: Act;
}

interface Zombie {
  readonly episode: Episode;
  readonly label: string;
  readonly work: Promise<unknown>;
}

/** Work in another process costs a start, so that only some cases are played there (spec 70: about 10 %). */
const EXIT_SHARE = 0.1;
/** Longer than a call may take from its claim on; who wakes later must not make it any more (F20). */
const WAKE_AFTER_MS = STAGE_LIMITS.pushS * 1000 + 200;

/**
 * G1: stops at every named point of every scenario, before and after it: thrown, killed in a process of its own, or standing
 * still until others have taken over, and then woken. `runs` bounds the executions; they are drawn so that each point of the
 * scenarios comes at least once.
 */
export const g1: Harness = {
  id: "g1",
  longRuns: 3_600,
  run: async (options) => {
    const stage = await startStage();
    try {
      return await stopEverywhere(stage, options);
    } finally {
      setFaultPlan(undefined);
      wakeHung();
      await stage.stop();
    }
  },
};

const stopEverywhere = async (stage: Stage, { seed, runs }: ChaosOptions): Promise<ChaosReport> => {
  const dice = randomFrom(seed);
  const hands: Hands = { ...stage.world, ledgerUrl: stage.ledger.url };
  const wrong: string[] = [];
  const count = { throw: 0, hang: 0, exit: 0, missed: 0, woken: 0 };
  const played: Episode[] = [];
  const say = (label: string, faults: readonly string[]): void =>
    void wrong.push(...faults.map((fault) => `${label}: ${fault} (${replay("g1", { seed, runs })})`));

  // The first run fetches the repository; from then on it is there, as it is in daily work.
  await playOut(hands, await begin(stage, SCENARIOS[1] ?? firstOf(SCENARIOS)));
  const cases: Case[] = [];
  const points = new Set<string>();
  for (const scenario of SCENARIOS) {
    const passed = new Map<string, number>();
    const unlisten = onPoint((point) => void passed.set(point, (passed.get(point) ?? 0) + 1));
    const episode = await begin(stage, scenario);
    const ended = await playOut(hands, episode);
    unlisten();
    played.push(episode);
    say(`${scenario.name} without a fault`, await faultsOf(stage, hands, episode, ended, scenario.plain));
    for (const [at, times] of passed) {
      points.add(at.replace(/:\w+$/, ""));
      for (const act of ["throw", "hang", "exit"] as const)
        cases.push({ scenario, at, nth: 1 + Math.floor(dice() * times), act });
    }
  }

  let zombies: Zombie[] = [];
  for (const each of drawn(cases, runs, dice)) {
    const { scenario, at, nth, act } = each;
    const label = `${scenario.name}, ${act} at ${at} #${nth}`;
    stage.world.rung.length = 0;
    const episode = await begin(stage, scenario);
    if (scenario.stoppedAt !== undefined) await freezeAt(scenario.stoppedAt, 1, () => playOut(hands, episode));
    let ended: boolean;
    if (act === "throw") {
      setFaultPlan({ rules: [{ at, nth, act }] });
      ended = await playOut(hands, episode);
      setFaultPlan(undefined);
    } else if (act === "exit") {
      if (!(await dieInChild(stage, { episode, rule: { at, nth, act } }))) count.missed += 1;
      ended = await playOut(hands, episode);
    } else {
      const stopped = await freezeAt(at, nth, () => playOut(hands, episode));
      if (stopped === null) count.missed += 1;
      else zombies.push({ episode, label, work: stopped.work });
      // What the one that stands still had in hand is lost for the others.
      stage.world.rung.length = 0;
      ended = await playOut(hands, episode);
    }
    count[act] += 1;
    played.push(episode);
    say(label, await faultsOf(stage, hands, episode, ended, scenario.faulty));
    await cleanUp(stage, episode);
    if (zombies.length >= 40) {
      count.woken += zombies.length;
      say("woken", await wakeAll(stage, hands, zombies));
      zombies = [];
    }
  }
  count.woken += zombies.length;
  say("woken", await wakeAll(stage, hands, zombies));
  const jobs = await stopJobs(stage, Math.ceil(runs / 6), dice);
  for (const point of jobs.points) points.add(point);
  say("jobs", jobs.violations);
  const ids = (await Promise.all(played.map((episode) => runsOf(hands, episode)))).flat().map(({ id }) => id);
  say("at the end", await strayEffects(stage.watched, ids));
  return {
    counts: {
      points: points.size,
      scenarios: SCENARIOS.length,
      jobs: jobs.executions,
      executions: count.throw + count.hang + count.exit,
      thrown: count.throw,
      "stood still": count.hang,
      "woken again": count.woken,
      killed: count.exit,
      "not reached": count.missed,
      effects: stage.ledger.effects(),
    },
    violations: wrong,
  };
};

const firstOf = <T>(list: readonly T[]): T => {
  const [first] = list;
  if (first === undefined) throw new Error("nothing there");
  return first;
};

const begin = async (stage: Stage, scenario: Scenario): Promise<Episode> => {
  const topic = newTopic();
  const { chatId } = await stage.world.ask(opening(scenario.name, topic));
  const [run] = await stage.world.admin.sql<{ id: string }[]>`select id from runs where chat_id = ${chatId}`;
  stage.world.rung.push({ runId: run?.id ?? "", delayMs: undefined });
  return { scenario: scenario.name, topic, chatId };
};

const cleanUp = async ({ world }: Stage, episode: Episode): Promise<void> => {
  await world.admin.sql`delete from tool_policies where label = ${episode.topic}`;
  await world.admin
    .sql`update workspaces set writes_stopped_at = null, writes_stopped_by = null where writes_stopped_at is not null`;
};

/** What must hold at the end, however the way there was. */
const faultsOf = async (
  stage: Stage,
  hands: Hands,
  episode: Episode,
  ended: boolean,
  wanted: RegExp,
): Promise<string[]> => {
  const all = await runsOf(hands, episode);
  if (!ended) return [`I3 it did not come to an end: ${all.map(({ status }) => status).join(" ")}`];
  const statuses = (await requestsOfEpisode(hands, episode)).map(({ status }) => status);
  const outcome = `${all.at(-1)?.status ?? ""} ${statuses.join(" ")}`;
  const faults = await violations(
    stage.watched,
    all.map(({ id }) => id),
  );
  if (!wanted.test(outcome)) faults.push(`ended as "${outcome}", not as ${wanted.source}`);
  return faults;
};

/** F20, I6: who stood still wakes when everything is over. It may find out that it lost; it may change nothing. */
const wakeAll = async (stage: Stage, hands: Hands, zombies: readonly Zombie[]): Promise<string[]> => {
  if (zombies.length === 0) return [];
  const before = new Map<Zombie, string>();
  const marks = async (zombie: Zombie): Promise<string> =>
    (await Promise.all((await runsOf(hands, zombie.episode)).map(({ id }) => fingerprint(stage.watched, id)))).join(
      " ",
    );
  for (const zombie of zombies) before.set(zombie, await marks(zombie));
  const entered = stage.ledger.entries.length;
  await new Promise((resolve) => setTimeout(resolve, WAKE_AFTER_MS));
  wakeHung();
  await Promise.all(zombies.map(({ work }) => work));
  const wrong: string[] = [];
  for (const zombie of zombies)
    if ((await marks(zombie)) !== before.get(zombie)) wrong.push(`${zombie.label}: I6 woken, it changed what was over`);
  for (const { tool, argumentBytes } of stage.ledger.entries.slice(entered).filter(({ effect }) => effect)) {
    const actor = zombies.find(({ episode }) => argumentBytes.includes(`"${episode.topic}`));
    wrong.push(`${actor?.label ?? "somebody"}: F20 woken, it acted by ${tool}`);
  }
  // What a person pressed late holds for those who come after.
  for (const { episode } of zombies) await cleanUp(stage, episode);
  return wrong;
};

/** As many as wanted, each point before the first repetition of one, the rest by the dice. */
const drawn = (cases: readonly Case[], runs: number, dice: () => number): Case[] => {
  const shuffled = cases.map((one) => ({ one, order: dice() })).toSorted((a, b) => a.order - b.order);
  const all = shuffled.map(({ one }) => one).filter(({ act }) => act !== "exit" || dice() < EXIT_SHARE);
  const seen = new Set<string>();
  const [first, rest] = [new Array<Case>(), new Array<Case>()];
  for (const one of all) {
    (seen.has(one.at) ? rest : first).push(one);
    seen.add(one.at);
  }
  return [...first, ...rest].slice(0, Math.max(runs, 1));
};

/** Plays on in a process of its own, which is killed at the point. False: it came to the end instead. */
const dieInChild = async (stage: Stage, order: Omit<ChildOrder, "world">): Promise<boolean> => {
  const child = fork(new URL("./child.ts", import.meta.url), [], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
  child.send({ ...order, world: specOf(stage) } satisfies ChildOrder);
  return (await ended) === "SIGKILL";
};
