import { setTimeout as delay } from "node:timers/promises";
import { Problem } from "@aiw/contract/problem";
import * as policies from "@aiw/core/policies";
import * as runs_ from "@aiw/core/runs";
import * as sources from "@aiw/core/sources";
import * as workspaces from "@aiw/core/workspaces";
import { startLedger, type Ledger } from "../kit/ledger/server.ts";
import { connectServer, type ConnectedServer } from "../kit/mcp.ts";
import { decide, onlyRequest, topic, type Request } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";
import { isLegal, stateOf, type Act, type Seen } from "./approval-model.ts";
import { type Harness, replay } from "./harness.ts";
import { type Random, randomOf } from "./random.ts";

const ACTS: readonly Act[] = [
  "approve",
  "approve_other",
  "reject",
  "expire",
  "cancel",
  "role_loss",
  "policy_change",
  "tool_change",
  "source_removal",
  "stop",
  "execute",
  "execute_other",
];

const PAIRS = ACTS.flatMap((one, index) => ACTS.slice(index + 1).map((other): readonly Act[] => [one, other]));
const pairAt = (n: number): readonly Act[] => PAIRS[n % PAIRS.length] ?? [];

/** Races that go on at the same time, each in a world of its own: rules, tools and sources are shared within one. */
const LANES = 3;
/** How far apart the acts of one race begin, in milliseconds. */
const SPREAD_MS = 25;

/**
 * G4: whatever happens to a request at the same moment, exactly one legal outcome. A case is one race of two to four acts,
 * each on connections of its own against a real PostgreSQL; what every act was answered, the state and the effects at the
 * target must be those of some order of the acts in the model.
 */
export const g4: Harness = {
  id: "g4",
  longRuns: 10_000,
  run: async ({ seed, runs }) => {
    const violations: string[] = [];
    const counts: Record<string, number> = { races: 0, acts: 0, executed: 0 };
    const ledger = await startLedger();
    const lanes = await Promise.all(Array.from({ length: LANES }, () => openLane(ledger)));
    try {
      let next = 0;
      await Promise.all(
        lanes.map(async (lane) => {
          while (next < runs) {
            const n = next;
            next += 1;
            const random = randomOf(seed).fork(`race ${n}`);
            // Every second race is the next of all pairs, the others are chance.
            const acts = n % 2 === 0 ? pairAt(n / 2) : random.shuffled(ACTS).slice(0, 3 + random.below(2));
            const start = random.chance(0.5) ? "approved" : "pending";
            const seen = await race(lane, random, start, acts);
            counts["races"] = (counts["races"] ?? 0) + 1;
            counts["acts"] = (counts["acts"] ?? 0) + acts.length;
            counts[seen.request] = (counts[seen.request] ?? 0) + 1;
            if (!isLegal(stateOf(start), acts, seen))
              violations.push(`race ${n} from ${start}: ${JSON.stringify(seen)} (${replay("g4", { seed, runs })})`);
          }
        }),
      );
    } finally {
      await Promise.all(lanes.map(({ world }) => world.stop()));
      await ledger.stop();
    }
    return { counts, violations };
  },
};

interface Lane {
  readonly world: World;
  readonly server: ConnectedServer;
  readonly ledger: Ledger;
}

const openLane = async (ledger: Ledger): Promise<Lane> => {
  const world = await startWorld({
    mcpPorts: [ledger.port],
    model: ({ items }) => {
      const last = items.at(-1);
      if (last?.type === "function_call_output") return { text: "done" };
      return { calls: [{ name: "ledger__blind", arguments: { text: last?.type === "message" ? last.text : "" } }] };
    },
  });
  const server = await connectServer(world, { name: "ledger", url: ledger.url });
  await server.classify("blind", "write_external");
  return { world, server, ledger };
};

const race = async (lane: Lane, random: Random, start: "pending" | "approved", acts: readonly Act[]): Promise<Seen> => {
  const { world, ledger } = lane;
  const text = topic();
  const { runId } = await world.ask(text);
  await world.drive(runId);
  const request = await onlyRequest(world, runId);
  if (start === "approved") await decide(world, "approver", request, "approved");
  const undo: (() => Promise<unknown>)[] = [];
  const waits = new Map(acts.map((act) => [act, random.below(SPREAD_MS)]));
  const answers = await Promise.all(
    acts.map(async (act): Promise<[Act, string]> => {
      await delay(waits.get(act) ?? 0);
      try {
        await DO[act](lane, request, runId, undo);
        return [act, "ok"];
      } catch (error) {
        return [act, error instanceof Problem ? error.code : `thrown: ${String(error)}`];
      }
    }),
  );
  await world.drive(runId);
  const end = await onlyRequest(world, runId);
  for (const back of undo) await back();
  // What still waits is none of the next race's business.
  if (["pending", "approved"].includes(end.status)) await runs_.cancel(world.as("member"), [world.workspaceId], runId);
  return {
    answers: Object.fromEntries(answers),
    request: end.status,
    effects: ledger.entries.filter(({ argumentBytes }) => argumentBytes.includes(text)).length,
  };
};

type Do = (lane: Lane, request: Request, runId: string, undo: (() => Promise<unknown>)[]) => Promise<unknown>;

/** A step of a worker, and a few more: a doorbell may ring before there is anything to do. */
const execute: Do = async ({ world }, _, runId) => {
  for (let n = 0; n < 3; n += 1) {
    await world.stepOnce(runId);
    await delay(3);
  }
};

const DO: Readonly<Record<Act, Do>> = {
  approve: ({ world }, request) => decide(world, "approver", request, "approved"),
  approve_other: ({ world }, request) => decide(world, "approver2", request, "approved"),
  reject: ({ world }, request) => decide(world, "owner", request, "rejected"),
  cancel: ({ world }, _, runId) => runs_.cancel(world.as("member"), [world.workspaceId], runId),
  // The moment comes and is published; both under the lock that every decision takes first.
  expire: ({ world }, request, runId) =>
    world.admin.sql.begin(async (tx) => {
      await tx`select from runs where id = ${runId} for update`;
      await tx`update approvals set expires_at = aiw_now() where id = ${request.id} and status = 'pending'`;
      await tx`select approval_expire_v1(${request.id}::uuid)`;
    }),
  role_loss: async ({ world }, _, __, undo) => {
    const owner = await world.member("owner");
    await workspaces.setMember(owner, world.people.approver.userId, "member");
    undo.push(() => workspaces.setMember(owner, world.people.approver.userId, "approver"));
  },
  policy_change: async ({ world }, _, __, undo) => {
    const owner = await world.member("owner");
    const rule = {
      decision: "deny",
      condition: null,
      approvalLevel: null,
      fourEyes: null,
      label: "",
      sourceId: null,
    } as const;
    const { id } = await policies.create(owner, { pattern: "ledger.blind", ...rule });
    undo.push(() => policies.remove(owner, id, undefined));
  },
  tool_change: async ({ server }, _, __, undo) => {
    const { riskClass } = await server.tool("blind");
    await server.classify("blind", "destructive");
    undo.push(() => server.classify("blind", riskClass ?? "write_external"));
  },
  source_removal: async ({ world, server }, _, __, undo) => {
    await sources.remove(await world.member("owner"), server.sourceId);
    undo.push(() => world.admin.sql`update sources set removed_at = null where id = ${server.sourceId}`);
  },
  stop: async ({ world }, _, __, undo) => {
    const owner = await world.member("owner");
    await policies.setWriteStop(owner, true);
    undo.push(() => policies.setWriteStop(owner, false));
  },
  execute,
  execute_other: execute,
};
