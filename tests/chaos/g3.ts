import * as approvals from "@aiw/core/approvals";
import { strayEffects } from "../kit/oracle.ts";
import { decide, isPushed, requestsOf, topic as newTopic, violations, type Request } from "../kit/runs.ts";
import { randomFrom } from "../kit/watch.ts";
import { Crew, LEASE_S, startMachine, type Machine } from "./g3-machine.ts";
import { replay, type ChaosOptions, type ChaosReport, type Harness } from "./harness.ts";
import { opening, startStage, type Stage } from "./stage.ts";

/**
 * What the conversations ask for: half of the writes do not know a repetition and can be asked for, a fifth can be neither
 * repeated nor asked for, the rest know their key or are pushes.
 */
const MIX: readonly string[] = [
  "ledger_searchable",
  "ledger_searchable",
  "ledger_drops",
  "ledger_fails_after",
  "ledger_searchable",
  "ledger_blind",
  "ledger_blind",
  "ledger_honours_keys",
  "approved",
  "reads",
];

/** Where a worker dies by itself, beside those that are killed from outside: what only a whole process passes. */
const OWN_DEATHS = [
  "sqs.poll",
  "sqs.receive",
  "sqs.delete",
  "step.flush",
  "sweep.round",
  "sweep.ring",
  "sqs.send",
  "run.commit",
];

const WORKERS = 4;
const AT_ONCE = 12;
const END_LIMIT_MS = 180_000;
/** G18, seconds from a death to the next process that goes on: with the lease of this machine, where there is enough to count. */
const RECOVERY_P95_S = LEASE_S + 5;
/** The figure as it stands for the product's own lease of 30 s; all that a few conversations on a busy machine can show. */
const RECOVERY_P95_DEFAULT_S = 30 + 5;
const ENOUGH = 100;

/**
 * G3: real processes on a database with its defaults: four workers, killed at random and by themselves, database sessions
 * ended, the database crashed three times, the queue emptied three times. Nothing twice, nothing lost, all ended in bounded
 * time; G18: how long a dead worker's run waits. `runs` is the number of conversations.
 */
export const g3: Harness = {
  id: "g3",
  longRuns: 200,
  run: async (options) => {
    const machine = await startMachine();
    try {
      const stage = await startStage({}, machine.database);
      try {
        return await tearDown(machine, stage, options);
      } finally {
        await stage.stop();
      }
    } finally {
      await machine.stop();
    }
  },
};

const tearDown = async (machine: Machine, stage: Stage, { seed, runs }: ChaosOptions): Promise<ChaosReport> => {
  const dice = randomFrom(seed);
  const whole = (n: number): number => Math.floor(dice() * n);
  const count = { kills: 0, sessions: 0, "database crashes": 0, "queue restarts": 0 };
  const crew = new Crew(WORKERS, machine.environment(stage), () =>
    JSON.stringify({
      rules: [
        {
          at: `${OWN_DEATHS[whole(OWN_DEATHS.length)] ?? "sqs.poll"}:${dice() < 0.5 ? "before" : "after"}`,
          nth: 6 + whole(30),
          act: "exit",
        },
      ],
    }),
  );
  const open = new Set<string>();
  const all: string[] = [];
  const outages: Outage[] = [];
  // While the database is down nobody asks it for anything.
  let isDown: Promise<unknown> | undefined;
  const quietly = async (work: () => Promise<void>): Promise<void> => {
    await isDown;
    await work().catch(() => undefined);
  };
  const began = performance.now();
  let next = 0;
  const people = (async () => {
    while (next < runs || open.size > 0) {
      if (performance.now() - began > END_LIMIT_MS + runs * 1500) return;
      while (open.size < AT_ONCE && next < runs)
        await quietly(async () => {
          const { runId } = await stage.world.ask(opening(MIX[next % MIX.length] ?? "reads", newTopic()));
          next += 1;
          open.add(runId);
          all.push(runId);
        });
      for (const runId of open) await quietly(() => attend(stage, runId, open));
      await pause(100);
    }
  })();
  const breaking = (async () => {
    const crashes = [0.25, 0.5, 0.75];
    const empties = [0.35, 0.6, 0.85];
    while (next < runs || open.size > 0) {
      await pause(300 + whole(1700));
      const progress = (all.length - open.size) / runs;
      if (progress > 0.9) break;
      if (crew.kill(whole(WORKERS))) count.kills += 1;
      if (dice() < 0.3)
        await quietly(async () => {
          const ended = await stage.world.admin.sql`
            select pg_terminate_backend(pid) from pg_stat_activity where application_name in ('aiw-step', 'aiw-sweep') order by random() limit 2`;
          count.sessions += ended.length;
        });
      if (crashes.length > 0 && progress >= (crashes[0] ?? 1)) {
        crashes.shift();
        count["database crashes"] += 1;
        const from = Date.now();
        isDown = pause(300).then(() => machine.crashPostgres());
        await isDown;
        outages.push({ from, to: Date.now() });
        isDown = undefined;
      }
      if (empties.length > 0 && progress >= (empties[0] ?? 1)) {
        empties.shift();
        count["queue restarts"] += 1;
        await machine.restartQueue();
      }
    }
  })();
  await Promise.all([people, breaking]);
  const took = (performance.now() - began) / 1000;
  await crew.stop();

  const again = replay("g3", { seed, runs });
  const wrong = [...(await violations(stage.watched, all)), ...(await strayEffects(stage.watched, all))];
  if (crew.killedAt.length === 0) wrong.push("no worker was killed");
  for (const runId of open) wrong.push(`I3 ${runId} did not end: ${(await stage.world.row(runId)).status}`);
  const recovery = await recoveries(stage, crew.killedAt, outages);
  const p95 = recovery[Math.ceil(recovery.length * 0.95) - 1] ?? 0;
  const bound = runs >= ENOUGH ? RECOVERY_P95_S : RECOVERY_P95_DEFAULT_S;
  if (p95 > bound) wrong.push(`G18 recovery p95 ${p95.toFixed(1)} s, bound ${bound} s`);
  const claims = await stage.world.admin.sql<{ n: number }[]>`select coalesce(sum(fence), 0)::integer as n from runs`;
  return {
    counts: {
      conversations: all.length,
      workers: WORKERS,
      ...count,
      "deaths in all": crew.killedAt.length,
      claims: claims[0]?.n ?? 0,
      effects: stage.ledger.effects(),
      recoveries: recovery.length,
      "s recovery p50": (recovery[Math.floor(recovery.length / 2)] ?? 0).toFixed(1),
      "s recovery p95": p95.toFixed(1),
      "s in all": took.toFixed(0),
    },
    violations: wrong.map((fault) => `${fault} (${again})`),
  };
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const FINAL: readonly string[] = ["completed", "failed", "cancelled", "blocked_by_guardrail"];

/** An approver who says yes, and an admin who looks at the target before saying what happened. */
const attend = async (stage: Stage, runId: string, open: Set<string>): Promise<void> => {
  const { world } = stage;
  const { status } = await world.row(runId);
  if (FINAL.includes(status)) return void open.delete(runId);
  if (status !== "waiting_approval" && status !== "needs_reconciliation") return;
  const requests = await requestsOf(world, runId);
  const pending = requests.find((request) => request.status === "pending");
  if (pending !== undefined) await decide(world, "approver", pending, "approved");
  const unclear = requests.find((request) => request.status === "unknown");
  if (unclear === undefined) return;
  await approvals.reconcile(
    world.as("owner"),
    [world.workspaceId],
    { runId, approvalId: unclear.id, outcome: happened(stage, unclear) ? "happened" : "retry", comment: "as seen" },
    900,
    world.deps.vault,
  );
};

const happened = ({ world, ledger }: Stage, request: Request): boolean => {
  const form = JSON.parse(request.form) as { tool?: string; arguments?: string };
  if (form.tool === undefined) return isPushed(world, request);
  const { text } = JSON.parse(form.arguments ?? "{}") as { text?: string };
  return ledger.entries.some(
    (entry) => entry.effect && entry.tool === form.tool && entry.argumentBytes.includes(JSON.stringify(text ?? "")),
  );
};

/** When there was no database, in milliseconds. */
interface Outage {
  readonly from: number;
  readonly to: number;
}

/**
 * G18: seconds from the death of a worker to the claim that went on with what it held, in order. Where the database was away
 * meanwhile, it is the database that was waited for.
 */
const recoveries = async (
  { world }: Stage,
  killedAt: readonly number[],
  outages: readonly Outage[],
): Promise<number[]> => {
  const rows = await world.admin.sql<{ began: Date; lost: Date; next: Date | null }[]>`
    select s.started_at as began, s.ended_at as lost, (select min(n.started_at) from run_steps n where n.run_id = s.run_id and n.fence > s.fence) as next
      from run_steps s where s.outcome = 'lease_lost'`;
  return rows
    .flatMap(({ began, lost, next }) => {
      // The last death from which the lease had run out when it was found.
      const death = killedAt.findLast((at) => at >= began.getTime() && at <= lost.getTime() - (LEASE_S - 1) * 1000);
      if (death === undefined || next === null) return [];
      const wasAway = outages.some(({ from, to }) => from < next.getTime() && to > death);
      return wasAway ? [] : [(next.getTime() - death) / 1000];
    })
    .toSorted((a, b) => a - b);
};
