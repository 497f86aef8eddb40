import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as chats from "@aiw/core/chats";
import * as runs from "@aiw/core/runs";
import type { Subagent } from "@aiw/engine/children";
import { partsOf } from "../kit/agents.ts";
import { violations } from "../kit/oracle.ts";
import {
  callsOf,
  decide,
  eventsOf,
  isPushed,
  onlyRequest,
  outputsOf,
  propose,
  readFile,
  topic,
  type Call,
} from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

const READER: Subagent = {
  name: "look_up",
  description: "Looks something up.",
  tools: ["git.read_file"],
  maxModelCalls: 3,
};
const WRITER: Subagent = {
  name: "change_it",
  description: "Changes something.",
  tools: ["git.read_file", "git.propose_change"],
  maxModelCalls: 10,
};

let world: World;
beforeAll(async () => {
  world = await startWorld();
  Object.assign(world.deps, { subagents: [READER, WRITER] });
});
afterEach(async () => {
  await world.admin.sql`update teams set max_parallel_runs = 50`;
});
afterAll(() => world.stop());

const hand = (name: string, task: string): Call => ({ name, arguments: { task } });

/** Everything that is ready, until nothing is. */
const settle = async (): Promise<void> => {
  for (let n = 0; n < 60; n += 1) {
    const ready = await world.admin.sql<{ id: string }[]>`
      select id from runs where status = 'queued' and (wake_at is null or wake_at <= aiw_now()) order by id`;
    if (ready.length === 0) return;
    for (const { id } of ready) await world.stepOnce(id);
  }
};

/** A run that hands over one task; the child's turns are given by the topic of the task. */
const handing = async (name: string, ...turns: Parameters<World["script"]["push"]>[1][]) => {
  const [t, task] = [topic(), topic()];
  world.script.push(task, ...turns);
  world.script.push(t, { text: "I hand it over.", calls: [hand(name, task)] }, { text: "All done." });
  const { runId, chatId } = await world.ask(t);
  await settle();
  const [childId = ""] = await partsOf(world, runId);
  return { runId, chatId, childId };
};

describe("RUN-18 F75 a run hands work to a run of its own", () => {
  test("the child's answer becomes the result of the call; both come to an end, also with one slot for the team", async () => {
    await world.admin.sql`update teams set max_parallel_runs = 1`;
    const { runId, chatId, childId } = await handing(
      "look_up",
      { calls: [readFile("README.md")] },
      { text: "From 100 on." },
    );
    expect(await world.row(runId)).toMatchObject({ status: "completed", end_reason: "answered" });
    expect(await world.row(childId)).toMatchObject({ status: "completed" });
    const [output] = await outputsOf(world, runId);
    expect(output).toContain("From 100 on.");
    expect(output).toMatch(/^<<<untrusted/);
    expect((await callsOf(world, childId)).map((c) => c.status)).toEqual(["executed"]);
    expect(await violations(world, [runId, childId])).toEqual([]);
    const detail = await runs.detail(world.as("member"), [world.workspaceId], runId);
    expect(detail.parts).toMatchObject([{ id: childId, lane: "child", status: "completed" }]);
    expect((await chats.get(await world.member("member"), chatId)).messages).toHaveLength(2);
  });

  test("a child has the tools it was given and no others: no deeper child, nobody to ask, nothing that was left out", async () => {
    const { runId, childId } = await handing(
      "look_up",
      { calls: [propose("total >= 1"), hand("look_up", "again"), { name: "ask_user", arguments: { question: "?" } }] },
      { text: "I could not." },
    );
    expect((await callsOf(world, childId)).map((c) => c.status)).toEqual(["failed", "failed", "failed"]);
    expect(await partsOf(world, childId)).toEqual([]);
    expect((await world.row(runId)).status).toBe("completed");
  });

  test("its budget ends it, and so does a failure; the parent reads why and goes on", async () => {
    const read = { calls: [readFile("README.md")] };
    const { runId, childId } = await handing("look_up", read, read, read, { text: "never" });
    expect(await world.row(childId)).toMatchObject({ status: "completed", end_reason: "limit_reached" });
    expect((await callsOf(world, runId))[0]?.status).toBe("failed");
    expect((await outputsOf(world, runId))[0]).toContain("It ended without an answer.");
    expect((await world.row(runId)).status).toBe("completed");
  });

  test("its requests go the same way: an approver decides, exactly the frozen call runs, then the parent goes on", async () => {
    const { runId, chatId, childId } = await handing(
      "change_it",
      { calls: [propose("total >= 4711")] },
      { text: "Pushed." },
    );
    expect((await world.row(childId)).status).toBe("waiting_approval");
    expect((await world.row(runId)).status).toBe("queued");
    const request = await onlyRequest(world, childId);
    // What the chat's dock goes by: the request names the run of the chat.
    const { approvals } = await chats.get(await world.member("member"), chatId);
    expect(approvals.map((a) => [a.id, a.runId, a.parentRunId])).toEqual([[request.id, childId, runId]]);
    await decide(world, "approver", request, "approved");
    await settle();
    expect(isPushed(world, request)).toBe(true);
    expect(await world.row(runId)).toMatchObject({ status: "completed", end_reason: "answered" });
    expect(await violations(world, [runId, childId])).toEqual([]);
  });

  test("RUN-8 cancelling the parent cancels the child and its request; nothing is executed", async () => {
    const { runId, childId } = await handing("change_it", { calls: [propose("total >= 4712")] }, { text: "never" });
    const request = await onlyRequest(world, childId);
    await runs.cancel(world.as("member"), [world.workspaceId], runId);
    expect((await world.row(childId)).status).toBe("cancelled");
    expect((await onlyRequest(world, childId)).status).toBe("cancelled");
    expect(isPushed(world, request)).toBe(false);
    expect(await violations(world, [runId, childId])).toEqual([]);
  });

  test("a cancelled child alone is a result too", async () => {
    const { runId, childId } = await handing("change_it", { calls: [propose("total >= 4713")] }, { text: "never" });
    await runs.cancel(world.as("member"), [world.workspaceId], childId);
    await settle();
    expect((await outputsOf(world, runId))[0]).toContain("It was cancelled.");
    expect((await world.row(runId)).status).toBe("completed");
  });

  test("several children of one turn, whichever ends first: each call gets its own answer, in call order", async () => {
    const [t, a, b] = [topic(), topic(), topic()];
    world.script.push(a, { calls: [readFile("README.md")] }, { text: "answer A" });
    world.script.push(b, { text: "answer B" });
    world.script.push(t, { calls: [hand("look_up", a), hand("look_up", b)] }, { text: "Both." });
    const { runId } = await world.ask(t);
    await settle();
    const outputs = await outputsOf(world, runId);
    expect(outputs[0]).toContain("answer A");
    expect(outputs[1]).toContain("answer B");
    const events = await eventsOf(world, runId);
    expect(events.filter((e) => e.type === "child.started")).toHaveLength(2);
    expect(await violations(world, [runId, ...(await partsOf(world, runId))])).toEqual([]);
  });
});
