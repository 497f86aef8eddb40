import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as approvals from "@aiw/core/approvals";
import * as chats from "@aiw/core/chats";
import * as policies from "@aiw/core/policies";
import * as runs from "@aiw/core/runs";
import { outcomesIn, partsOf, setAgent } from "../kit/agents.ts";
import { violations } from "../kit/oracle.ts";
import {
  aiRefs,
  callsOf,
  decide,
  isPushed,
  onlyRequest,
  outputsOf,
  propose,
  readFile,
  sweepOnce,
  topic,
  type Call,
  type Request,
} from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => {
  Object.assign(world.git.switches, { dropAfterPush: false, dropBeforePush: false });
});
afterAll(() => world.stop());

let counter = 9000;
const next = (): Call => {
  counter += 1;
  return propose(`total >= ${counter}`);
};

interface Staged {
  readonly topic: string;
  readonly chatId: string;
  /** The run that asked; it has ended. */
  readonly runId: string;
  /** The run that carries the request out. */
  readonly partId: string;
  readonly request: Request;
}

/** A chat in which one change was submitted and the answer was given. */
const staged = async (call = next(), mode: "stage" | "pause" = "stage"): Promise<Staged> => {
  await setAgent(world, { mode });
  const t = topic();
  world.script.push(t, { text: "I submit it.", calls: [call] }, { text: "It is submitted." });
  const { chatId, runId } = await world.ask(t);
  await world.drive(runId);
  const [partId] = await partsOf(world, runId);
  if (partId === undefined) throw new Error("nothing was staged");
  return { topic: t, chatId, runId, partId, request: await onlyRequest(world, partId) };
};

describe("APR-8 stage", () => {
  test("the call is answered at once, the run ends regularly, the request stays open, and nothing is pushed", async () => {
    const { runId, partId, request } = await staged();
    expect(await world.row(runId)).toMatchObject({ status: "completed", end_reason: "submitted" });
    const [call] = await callsOf(world, runId);
    expect(call?.status).toBe("submitted");
    const [output] = await outputsOf(world, runId);
    expect(output).toMatch(/^submitted for approval \(#\d+\)/);
    expect(request.status).toBe("pending");
    expect(await world.row(partId)).toMatchObject({ status: "waiting_approval", fence: 0 });
    expect(isPushed(world, request)).toBe(false);
    expect(await violations(world, [runId])).toEqual([]);
    const detail = await approvals.detail(world.as("approver"), [world.workspaceId], request.id);
    expect(detail).toMatchObject({ stagedFromRunId: runId, decidable: true, runId: partId });
    expect(output).toContain(`#${detail.number}`);
  });

  test("approved: exactly the frozen bytes are executed without a model call, and a run in the same chat tells the outcome", async () => {
    const { topic: t, chatId, partId, request } = await staged();
    const turns = world.gateway.requests().length;
    const decided = await decide(world, "approver", request, "approved");
    expect(decided.ring).toBe(true);
    await world.drive(partId);
    expect(await world.row(partId)).toMatchObject({ status: "completed", end_reason: "settled" });
    expect(world.gateway.requests().length).toBe(turns);
    expect(isPushed(world, request)).toBe(true);
    expect(await onlyRequest(world, partId)).toMatchObject({ status: "executed", attempt: 1 });

    const [told, ...more] = await outcomesIn(world, chatId);
    expect(more).toEqual([]);
    expect(told?.waiting).toBe(false);
    expect(told?.text).toMatch(/^Outcome of request #\d+: approved by Approver and executed/);
    expect(told?.text).toContain("<<<untrusted");
    world.script.push(t, { text: "It was carried out." });
    expect(await world.drive(told?.runId ?? "")).toMatchObject({ status: "completed", end_reason: "answered" });
    expect(await violations(world, [partId, told?.runId ?? ""])).toEqual([]);
    const chat = await chats.get(await world.member("member"), chatId);
    expect(chat.messages.map((m) => m.role)).toEqual(["user", "assistant", "system", "assistant"]);
    expect(chat.messages[2]).toMatchObject({ author: null, approvalId: request.id });
    expect(chat.approvals.map((a) => a.id)).toEqual([request.id]);
    expect(chat.toolCalls[0]?.approvalId).toBe(request.id);
  });

  test("rejected, expired and cancelled stay three different outcomes, each told once, and nothing is executed", async () => {
    const rejected = await staged();
    await decide(world, "approver", rejected.request, "rejected", { reason: "wrong limit" });
    await world.drive(rejected.partId);
    const expired = await staged();
    await world.shift(86_500);
    await sweepOnce(world);
    await world.drive(expired.partId);
    const cancelled = await staged();
    await runs.cancel(world.as("member"), [world.workspaceId], cancelled.partId);
    const texts: string[] = [];
    for (const one of [rejected, expired, cancelled]) {
      const told = await outcomesIn(world, one.chatId);
      expect(told).toHaveLength(1);
      texts.push(told[0]?.text ?? "");
      world.script.push(one.topic, { text: "I see." });
      await world.drive(told[0]?.runId ?? "");
      expect(isPushed(world, one.request)).toBe(false);
      expect(await violations(world, [one.partId, told[0]?.runId ?? ""])).toEqual([]);
    }
    expect(texts[0]).toContain("rejected by Approver");
    expect(texts[0]).toContain("wrong limit");
    expect(texts[1]).toContain("expired. Nobody decided in time.");
    expect(texts[2]).toContain("cancelled before it was executed");
  });

  test("the outcome waits its turn behind the run at work and the messages before it, and both start in order", async () => {
    const { topic: t, chatId, partId, request } = await staged();
    const ctx = await world.member("member");
    world.script.push(t, { text: "One." }, { text: "Two." }, { text: "Told." });
    const first = await chats.postMessage(ctx, chatId, { id: crypto.randomUUID(), text: "first" }, world.deps.vault);
    await chats.postMessage(ctx, chatId, { id: crypto.randomUUID(), text: "second" }, world.deps.vault);
    await decide(world, "approver", request, "approved");
    await world.drive(partId);
    expect(await outcomesIn(world, chatId)).toMatchObject([{ waiting: true, runId: null }]);
    for (let run = first.run?.id; run !== undefined;) {
      await world.drive(run);
      const [queued] = await world.admin.sql<
        { id: string }[]
      >`select id from runs where chat_id = ${chatId} and status = 'queued'`;
      run = queued?.id;
    }
    const chat = await chats.get(ctx, chatId);
    const answers = chat.messages.filter((m) => m.role === "assistant").map((m) => m.text);
    expect(answers).toEqual(["It is submitted.", "One.", "Two.", "Told."]);
    expect(chat.runs.map((r) => r.status)).toEqual(["completed", "completed", "completed", "completed"]);
  });

  test("decided while the run that asked is still at work: the outcome follows its answer", async () => {
    await setAgent(world, { mode: "stage" });
    const t = topic();
    world.script.push(t, { calls: [next()] }, { calls: [readFile("README.md")] }, { text: "Done." }, { text: "Told." });
    const { chatId, runId } = await world.ask(t);
    await world.stepOnce(runId);
    await world.stepOnce(runId);
    const [partId = ""] = await partsOf(world, runId);
    const request = await onlyRequest(world, partId);
    await decide(world, "approver", request, "approved");
    await world.drive(partId);
    expect(await outcomesIn(world, chatId)).toMatchObject([{ waiting: true }]);
    expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "answered" });
    expect(await outcomesIn(world, chatId)).toMatchObject([{ waiting: false }]);
  });

  test("RUN-8 cancelling the run that asked takes its staged requests with it, and nobody is told what they did themselves", async () => {
    await setAgent(world, { mode: "stage" });
    const t = topic();
    world.script.push(t, { calls: [next(), next()] });
    const { chatId, runId } = await world.ask(t);
    await world.stepOnce(runId);
    await world.stepOnce(runId);
    const parts = await partsOf(world, runId);
    expect(parts).toHaveLength(2);
    await runs.cancel(world.as("member"), [world.workspaceId], runId);
    for (const part of parts) {
      expect((await world.row(part)).status).toBe("cancelled");
      expect((await onlyRequest(world, part)).status).toBe("cancelled");
    }
    expect(await outcomesIn(world, chatId)).toEqual([]);
    expect(await violations(world, [runId, ...parts])).toEqual([]);
  });

  test("RUN-7 a push whose answer is lost is settled by its probe; the outcome says executed, and there is one push", async () => {
    const { chatId, partId, request } = await staged();
    world.git.switches.dropAfterPush = true;
    await decide(world, "approver", request, "approved");
    await world.drive(partId);
    expect(await onlyRequest(world, partId)).toMatchObject({ status: "executed", reconciled: true, attempt: 1 });
    expect((await outcomesIn(world, chatId))[0]?.text).toContain("and executed");
  });

  test("POL-13 the stop switch holds the execution of a staged request, and it goes on afterwards", async () => {
    const { partId, request } = await staged();
    const owner = await world.member("owner");
    await policies.setWriteStop(owner, true);
    await decide(world, "approver", request, "approved");
    await world.drive(partId);
    expect((await world.row(partId)).status).toBe("waiting_approval");
    expect(isPushed(world, request)).toBe(false);
    await policies.setWriteStop(owner, false);
    await sweepOnce(world);
    await world.drive(partId);
    expect(isPushed(world, request)).toBe(true);
  });

  test("APR-3 time, rights and rules are looked at again before a staged call is executed", async () => {
    const lapsed = await staged();
    await decide(world, "approver", lapsed.request, "approved");
    await world.shift(901);
    await world.drive(lapsed.partId);
    expect(await onlyRequest(world, lapsed.partId)).toMatchObject({ status: "invalid", invalid_reason: "lapsed" });
    expect((await outcomesIn(world, lapsed.chatId))[0]?.text).toContain("no longer valid (lapsed)");
    const denied = await staged();
    await decide(world, "approver", denied.request, "approved");
    await world.admin
      .sql`insert into tool_policies (workspace_id, level, pattern, decision) values (${world.workspaceId}, 'workspace', 'git', 'deny')`;
    await world.drive(denied.partId);
    await world.admin.sql`delete from tool_policies where workspace_id = ${world.workspaceId}`;
    expect(await onlyRequest(world, denied.partId)).toMatchObject({ status: "invalid", invalid_reason: "superseded" });
    expect(isPushed(world, denied.request)).toBe(false);
  });

  test("APR-6 the same call again is answered from the request that waits, and from the no that came", async () => {
    const call = next();
    const { topic: t, chatId, partId, request } = await staged(call);
    await decide(world, "approver", request, "rejected", { reason: "never" });
    await world.drive(partId);
    world.script.push(t, { calls: [call] }, { text: "I stop." });
    const [told] = await outcomesIn(world, chatId);
    await world.drive(told?.runId ?? "");
    expect(await partsOf(world, told?.runId ?? "")).toEqual([]);
    expect((await outputsOf(world, told?.runId ?? ""))[0]).toContain(
      "rejected: A person rejected this call. Reason: never",
    );

    const twice = next();
    const u = topic();
    world.script.push(u, { calls: [twice] }, { calls: [twice] }, { text: "Waiting." });
    const again = await world.ask(u);
    await world.drive(again.runId);
    expect(await partsOf(world, again.runId)).toHaveLength(1);
    expect((await outputsOf(world, again.runId))[1]).toContain("as before");
  });

  test("APR-7 an expired staged request can be asked again by its requester", async () => {
    const { chatId, topic: t, partId, request } = await staged();
    await world.shift(86_500);
    await sweepOnce(world);
    await world.drive(partId);
    world.script.push(t, { text: "It expired." }, { text: "Again." });
    await world.drive((await outcomesIn(world, chatId))[0]?.runId ?? "");
    const { runId } = await approvals.requestAgain(world.as("member"), [world.workspaceId], request.id);
    await world.drive(runId);
    const [part = ""] = await partsOf(world, runId);
    expect((await onlyRequest(world, part)).status).toBe("pending");
  });

  test("an execution holds no chat and is not resumed as an answer", async () => {
    const { partId } = await staged();
    const [row] = await world.admin.sql`select chat_id, lane from runs where id = ${partId}`;
    expect(row).toMatchObject({ chat_id: null, lane: "execution" });
    const detail = await runs.detail(world.as("member"), [world.workspaceId], partId);
    expect(detail.may.resume).toBe(false);
    expect(detail.chatId).not.toBeNull();
  });
});

test("every branch on the server belongs to one executed request", async () => {
  const executed = await world.admin
    .sql`select 1 from approvals where status = 'executed' and tool_id = 'git.propose_change'`;
  expect(aiRefs(world).size).toBe(executed.length);
});
