import { afterAll, beforeAll, expect, test } from "vitest";
import type { BrainRequest, ScriptTurn } from "@aiw/infra/local/demo-gateway/brain";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import { partsOf, setAgent } from "../kit/agents.ts";
import { violations } from "../kit/oracle.ts";
import { decide, outputsOf, readFile, requestsOf, stopAt, sweepOnce } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

const ANSWER = "canary-77-0042";
const TASK = "Look up the limit.";

/** An input and a child in one turn, then the answer; the child reads one file. */
const model = (request: BrainRequest): ScriptTurn => {
  const results = request.items.filter((i) => i.type === "function_call_output").length;
  const isChild = request.items.some((i) => i.type === "message" && i.text === TASK);
  if (isChild) return results === 0 ? { calls: [readFile("README.md")] } : { text: "From 100 on." };
  if (results > 0) return { text: "Done." };
  return {
    calls: [
      { name: "get_code", arguments: {} },
      { name: "look_up", arguments: { task: TASK } },
    ],
  };
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ model, limits: { heartbeatS: 3600 } });
  Object.assign(world.deps, {
    subagents: [{ name: "look_up", description: "Looks up.", tools: ["git.read_file"], maxModelCalls: 20 }],
  });
  await setAgent(world, {
    inputs: [{ name: "get_code", prompt: "Ask.", label: "Code", params: [], sensitive: true }],
  });
});
afterAll(async () => {
  setFaultPlan(undefined);
  await world.stop();
});

const FINAL: readonly string[] = ["completed", "failed", "cancelled"];

/** Steps what is ready, answers what is asked, otherwise lets time pass; what throws is a process that died. */
const play = async (runId: string): Promise<boolean> => {
  for (let round = 0; round < 80; round += 1) {
    if (FINAL.includes((await world.row(runId)).status)) return true;
    await once(runId).catch(() => undefined);
  }
  return false;
};

const once = async (runId: string): Promise<void> => {
  const open = (await requestsOf(world, runId)).find((r) => r.status === "pending");
  if (open !== undefined) {
    await decide(world, "approver", open, "approved", { response: ANSWER });
    return;
  }
  const [ready] = await world.admin.sql<{ id: string }[]>`
    select id from runs where (id = ${runId} or parent_run_id = ${runId}) and status = 'queued' and (wake_at is null or wake_at <= aiw_now())
      order by id limit 1`;
  if (ready !== undefined) {
    await world.stepOnce(ready.id);
    return;
  }
  await world.shift(20);
  await sweepOnce(world);
};

const begin = async (): Promise<string> => (await world.ask("What is the limit?")).runId;

const faultsOf = async (runId: string, ended: boolean): Promise<string[]> => {
  if (!ended) return [`${runId}: I3 it did not come to an end but is ${(await world.row(runId)).status}`];
  const parts = await partsOf(world, runId);
  const faults = await violations(world, [runId, ...parts]);
  const row = await world.row(runId);
  if (row.status !== "completed") faults.push(`ended as ${row.status} ${row.error_code ?? ""}`);
  if (parts.length !== 1) faults.push(`${parts.length} children`);
  const outputs = await outputsOf(world, runId);
  if (outputs.length !== 2 || outputs[1]?.includes("From 100 on.") !== true)
    faults.push("the child's answer is not there");
  const [kept] = await world.admin.sql<{ found: boolean }[]>`
    select exists (select from run_items i where i.run_id = ${runId} and i.data like ${`%${ANSWER}%`})
        or exists (select from run_events e where e.run_id = ${runId} and e.data like ${`%${ANSWER}%`})
        or exists (select from tool_calls c where c.run_id = ${runId} and c.result like ${`%${ANSWER}%`}) as found`;
  if (kept?.found === true) faults.push("I8 the sensitive answer is readable");
  return faults;
};

/** Where something was written or sent and something else is still to be. */
const GAPS = ["claim.tx", "decide.seal", "decide.tx", "input.open", "outcome.seal", "run.commit", "doorbell.send"];

test("APR-9 APR-10 F75 I8 I10: an input and a child survive a stop at every gap: one answer, one child, each result once", async () => {
  const passed = new Map<string, number>();
  const first = await begin();
  const unlisten = onPoint((point) => void passed.set(point, (passed.get(point) ?? 0) + 1));
  const fine = await play(first);
  unlisten();
  expect(await faultsOf(first, fine)).toEqual([]);
  for (const name of GAPS) expect([...passed.keys()]).toContain(`${name}:before`);

  const wrong: string[] = [];
  const missed: string[] = [];
  const count = { throw: 0, hang: 0 };
  for (const [at, times] of [...passed].filter(([point]) => GAPS.some((name) => point.startsWith(`${name}:`)))) {
    for (let nth = 1; nth <= times; nth += 1) {
      for (const act of ["throw", "hang"] as const) {
        world.rung.length = 0;
        const runId = await begin();
        if (act === "throw") setFaultPlan({ rules: [{ at, nth, act }] });
        else if (!(await stopAt(at, nth, () => play(runId)))) missed.push(`${at} #${nth}`);
        const ended = await play(runId);
        setFaultPlan(undefined);
        count[act] += 1;
        wrong.push(...(await faultsOf(runId, ended)).map((fault) => `${act} at ${at} #${nth}: ${fault}`));
      }
    }
  }
  console.log(
    `${count.throw} thrown and ${count.hang} killed, ${missed.length} not reached, ${wrong.length} violations`,
  );
  expect(wrong).toEqual([]);
  expect(missed).toEqual([]);
});
