import { afterAll, beforeAll, expect, test } from "vitest";
import type { BrainRequest, ScriptTurn } from "@aiw/infra/local/demo-gateway/brain";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import { outcomesIn, partsOf, setAgent } from "../kit/agents.ts";
import { play } from "../kit/play.ts";
import { violations } from "../kit/oracle.ts";
import { aiRefs, propose, requestsOf, stopAt, sweepOnce } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

/** A submission, the answer, and once its outcome is told the answer to that. */
const model = (request: BrainRequest): ScriptTurn => {
  const results = request.items.filter((i) => i.type === "function_call_output").length;
  const told = request.items.some((i) => i.type === "message" && i.text.startsWith("Outcome of request"));
  if (results === 0) return { text: "I submit this.", calls: [propose("total >= 100")] };
  return { text: told ? "It was carried out." : "It is submitted." };
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ model, limits: { heartbeatS: 3600 } });
  await setAgent(world, { mode: "stage" });
});
afterAll(async () => {
  setFaultPlan(undefined);
  await world.stop();
});

interface Job {
  readonly chatId: string;
  readonly runId: string;
  /** Plays the run that asks, the run that executes and the run that tells, each to its end. */
  readonly job: () => Promise<boolean>;
}

const begin = async (): Promise<Job> => {
  const { runId, chatId } = await world.ask("Fix the discount, please.");
  const job = async (): Promise<boolean> => {
    await sweepOnce(world).catch(() => undefined);
    if (!(await play(world, runId, [{ runId, delayMs: undefined }]))) return false;
    const [part] = await partsOf(world, runId);
    if (part === undefined) return true;
    if (!(await play(world, part, []))) return false;
    const [told] = await outcomesIn(world, chatId);
    const next = told?.runId ?? null;
    return next !== null && play(world, next, []);
  };
  return { chatId, runId, job };
};

const faultsOf = async ({ chatId, runId }: Job, ended: boolean): Promise<string[]> => {
  if (!ended) return [`${runId}: I3 it did not come to an end`];
  const told = await outcomesIn(world, chatId);
  const parts = await partsOf(world, runId);
  const all = [runId, ...parts, ...told.flatMap((one) => one.runId ?? [])];
  const faults = await violations(world, all);
  if (parts.length !== 1) faults.push(`${parts.length} executions`);
  if (told.length !== 1) faults.push(`the outcome was told ${told.length} times`);
  for (const part of parts) {
    const requests = await requestsOf(world, part);
    if (requests.map((r) => r.status).join(" ") !== "executed")
      faults.push(`requests: ${requests.map((r) => r.status).join(" ")}`);
  }
  for (const id of all) {
    const row = await world.row(id);
    if (row.status !== "completed") faults.push(`${id} ended as ${row.status} ${row.error_code ?? ""}`);
  }
  return faults;
};

/** Where something was written or sent and something else is still to be; the other points are in step-table.test.ts. */
const GAPS = [
  "claim.tx",
  "approval.number",
  "decide.tx",
  "tool.recheck",
  "tool.claim",
  "tool.call",
  "git.push",
  "run.commit",
  "doorbell.send",
];

test("APR-8 I1..I7 I10: a staged change survives a stop at every named point: one execution, one push, told once", async () => {
  const first = await begin();
  expect(await faultsOf(first, await first.job())).toEqual([]);
  const passed = new Map<string, number>();
  const baseline = await begin();
  const unlisten = onPoint((point) => void passed.set(point, (passed.get(point) ?? 0) + 1));
  const fine = await baseline.job();
  unlisten();
  expect(await faultsOf(baseline, fine)).toEqual([]);
  for (const name of GAPS) expect([...passed.keys()]).toContain(`${name}:before`);

  const wrong: string[] = [];
  const missed: string[] = [];
  const count = { throw: 0, hang: 0 };
  const gaps = [...passed].filter(([at]) => GAPS.some((name) => at.startsWith(`${name}:`)));
  for (const [at, times] of gaps) {
    for (let nth = 1; nth <= times; nth += 1) {
      for (const act of ["throw", "hang"] as const) {
        world.rung.length = 0;
        const one = await begin();
        let ended: boolean;
        if (act === "throw") {
          setFaultPlan({ rules: [{ at, nth, act }] });
          ended = await one.job();
          setFaultPlan(undefined);
        } else {
          if (!(await stopAt(at, nth, one.job))) missed.push(`${at} #${nth}`);
          // What the dead one had in hand is lost with it.
          world.rung.length = 0;
          ended = await one.job();
        }
        count[act] += 1;
        wrong.push(...(await faultsOf(one, ended)).map((fault) => `${act} at ${at} #${nth}: ${fault}`));
      }
    }
  }
  const executed = await world.admin.sql`select 1 from approvals where status = 'executed'`;
  console.log(
    `${count.throw} thrown and ${count.hang} killed of ${gaps.length} points, ${missed.length} not reached; ${executed.length} changes pushed, ${wrong.length} violations`,
  );
  expect(wrong).toEqual([]);
  expect(missed).toEqual([]);
  expect(aiRefs(world).size).toBe(executed.length);
});
