import * as approvals from "@aiw/core/approvals";
import * as policies from "@aiw/core/policies";
import { setFaultPlan, wakeHung } from "@aiw/platform/fault";
import fc from "fast-check";
import { decide as decideOn, requestsOf, sweepOnce, topic as newTopic, violations } from "../kit/runs.ts";
import type { ChaosOptions, ChaosReport } from "./harness.ts";
import { apply, drain, illegal, illegalRequest, sequence, type Command } from "./g5-commands.ts";
import { fresh, LEASE_S, type Death, type Model } from "./model.ts";
import { freezeAt } from "./play.ts";
import { cancelRun, type Hands } from "./scenarios.ts";
import { opening, startStage, type Stage } from "./stage.ts";

const POINT: Readonly<Record<Exclude<Death, "none">, string>> = {
  claim: "claim.tx:after",
  "write:before": "tool.write:before",
  "write:after": "tool.write:after",
  "commit:before": "run.commit:before",
  "commit:after": "run.commit:after",
};

/** The same commands on the real engine, the real database and a ledger; after each the model must say the same. */
export const playLive = async ({ seed, runs }: ChaosOptions): Promise<ChaosReport> => {
  const stage = await startStage({ leaseS: LEASE_S, stepAttempts: 100, pushS: 20, toolCallS: 20 });
  const hands: Hands = { ...stage.world, ledgerUrl: stage.ledger.url };
  const count = { sequences: 0, commands: 0, refusedByTable: 0 };
  try {
    const found = await fc.check(
      fc.asyncProperty(sequence(16), async (all) => {
        count.sequences += 1;
        const one = await begin(stage, hands);
        const m = fresh();
        const trail: Command[] = [];
        const play = async (c: Command): Promise<void> => {
          trail.push(c);
          count.commands += 1;
          const expected = apply(m, c);
          const done = await perform(one, c, m);
          const now = await stateOf(one);
          const wanted = `${m.run} ${m.request} ${m.effects} effects`;
          if (now !== wanted || done !== expected)
            throw new Error(
              `the model says "${wanted}" (${expected}), the product "${now}" (${done}), after ${JSON.stringify(trail)}`,
            );
        };
        for (const c of all) await play(c);
        count.refusedByTable += await refusesOthers(one, m);
        const rest: Command[] = [];
        drainNext: for (let n = 0; n < 40; n += 1) {
          rest.length = 0;
          const copy = { ...m, told: [...m.told] };
          drain((c) => void (rest.push(c), apply(copy, c)), copy);
          const [next] = rest;
          if (next === undefined) break drainNext;
          await play(next);
        }
        wakeHung();
        const faults = await violations(stage.watched, [one.runId]);
        if (faults.length > 0) throw new Error(`${faults.join("; ")} after ${JSON.stringify(trail)}`);
        await one.tidy();
      }),
      { seed, numRuns: runs, endOnFailure: true },
    );
    const message = found.errorInstance instanceof Error ? found.errorInstance.message : "failed";
    return {
      counts: {
        "sequences on Postgres": count.sequences,
        "commands on Postgres": count.commands,
        "illegal changes refused": count.refusedByTable,
      },
      violations: found.failed ? [message] : [],
    };
  } finally {
    setFaultPlan(undefined);
    wakeHung();
    await stage.stop();
  }
};

interface Live {
  readonly stage: Stage;
  readonly hands: Hands;
  readonly runId: string;
  readonly topic: string;
  readonly tidy: () => Promise<void>;
}

const TOOL = "ledger.searchable";

const begin = async (stage: Stage, hands: Hands): Promise<Live> => {
  const topic = newTopic();
  const tidy = async (): Promise<void> => {
    const { admin } = stage.world;
    await admin.sql`delete from tool_policies`;
    await admin.sql`update memberships set role = 'approver' where workspace_id = ${stage.world.workspaceId} and user_id = ${stage.world.people.approver.userId}`;
    await admin.sql`update tools set definition_hash = replace(definition_hash, 'changed-', '') where id = ${TOOL}`;
    stage.ledger.reset();
    stage.world.rung.length = 0;
  };
  await tidy();
  const { runId } = await stage.world.ask(opening("ledger_searchable", topic));
  return { stage, hands, runId, topic, tidy };
};

const stateOf = async ({ stage, runId }: Live): Promise<string> => {
  const { status } = await stage.world.row(runId);
  const [request] = await requestsOf(stage.world, runId);
  return `${status} ${request?.status ?? "none"} ${stage.ledger.effects()} effects`;
};

/** What a person is refused is no fault: false. */
const allowed = async (work: () => Promise<unknown>): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
};

const perform = async (live: Live, c: Command, m: Readonly<Model>): Promise<boolean> => {
  const { stage, hands, runId } = live;
  const { world } = stage;
  const [request] = await requestsOf(world, runId);
  switch (c.kind) {
    case "deliver":
      if (c.death === "none") await world.stepOnce(runId);
      else await freezeAt(POINT[c.death], 1, () => world.stepOnce(runId));
      return true;
    case "duplicate":
      if (m.run !== "queued") await world.stepOnce(runId);
      return true;
    case "decide":
      return request !== undefined && request.status === "pending"
        ? allowed(() => decideOn(world, "approver", request, c.vote))
        : false;
    case "cancel":
      return allowed(() => cancelRun(hands, runId));
    case "reconcile": {
      const outcome = stage.ledger.effects() > 0 ? "happened" : c.outcome;
      return allowed(() =>
        approvals.reconcile(
          world.as("owner"),
          [world.workspaceId],
          { runId, approvalId: request?.id ?? runId, outcome, comment: "as seen" },
          900,
          world.deps.vault,
        ),
      );
    }
    case "revoke":
      await world.admin
        .sql`update memberships set role = 'member' where workspace_id = ${world.workspaceId} and user_id = ${world.people.approver.userId}`;
      return true;
    case "changePolicy":
      await allowed(async () =>
        policies.create(await world.member("owner"), {
          pattern: TOOL,
          decision: "deny",
          condition: null,
          approvalLevel: null,
          fourEyes: false,
          label: live.topic,
          sourceId: null,
        }),
      );
      return true;
    case "changeTool":
      await world.admin
        .sql`update tools set definition_hash = 'changed-' || replace(definition_hash, 'changed-', '') where id = ${TOOL}`;
      return true;
    case "tick":
      await world.shift(c.seconds);
      await sweepOnce(world);
      return true;
  }
};

/** I5: the database refuses every change of state that the tables do not know. */
const refusesOthers = async ({ stage, runId }: Live, m: Readonly<Model>): Promise<number> => {
  const { admin } = stage.world;
  let refused = 0;
  for (const to of illegal(m.run)) {
    if (await allowed(() => admin.sql`update runs set status = ${to} where id = ${runId}`))
      throw new Error(`I5 the database let a run go from ${m.run} to ${to}`);
    refused += 1;
  }
  if (m.request === "none") return refused;
  for (const to of illegalRequest(m.request)) {
    if (await allowed(() => admin.sql`update approvals set status = ${to} where run_id = ${runId}`))
      throw new Error(`I5 the database let a request go from ${m.request} to ${to}`);
    refused += 1;
  }
  return refused;
};
