import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InputTool } from "@aiw/contract/agents";
import * as approvals from "@aiw/core/approvals";
import * as chats from "@aiw/core/chats";
import * as questions from "@aiw/core/questions";
import * as runs from "@aiw/core/runs";
import { setFaultPlan } from "@aiw/platform/fault";
import { createLog } from "@aiw/platform/log";
import { setAgent } from "../kit/agents.ts";
import { violations } from "../kit/oracle.ts";
import { branchOf, decide, isPushed, onlyRequest, propose, readFile, requestsOf, topic } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

const CANARY = "canary-4b1f9a77e2-001234";
const SECRET: InputTool = {
  name: "get_secret",
  prompt: "Ask for the secret.",
  label: "Secret",
  params: [],
  sensitive: true,
};

let world: World;
const lines: string[] = [];
beforeAll(async () => {
  world = await startWorld({ files: { "README.md": `The code is ${CANARY}.\n`, "src/a.ts": "export const a = 1;\n" } });
  Object.assign(world.deps, { log: createLog({ level: "debug", write: (line) => void lines.push(line) }) });
  await setAgent(world, { inputs: [SECRET] });
});
afterAll(() => world.stop());

/** Every row of every table as text, as somebody with the whole database in hand reads it. */
const wholeDatabase = async (): Promise<Map<string, string>> => {
  const tables = await world.admin.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const found = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await world.admin.sql<
      { row: string }[]
    >`select to_jsonb(t)::text as row from ${world.admin.sql(name)} t`;
    found.set(name, rows.map(({ row }) => row).join("\n"));
  }
  return found;
};
const tablesWith = async (text: string): Promise<string[]> =>
  [...(await wholeDatabase())].flatMap(([name, rows]) => (rows.includes(text) ? [name] : []));

/** A chat that has asked for the secret and got it; the turns that follow. */
const answered = async (...turns: Parameters<World["script"]["push"]>[1][]) => {
  const t = topic();
  world.script.push(t, { calls: [{ name: "get_secret", arguments: {} }] }, ...turns);
  const { chatId, runId } = await world.ask(t);
  await world.drive(runId);
  const request = await onlyRequest(world, runId);
  await decide(world, "approver", request, "approved", { response: CANARY });
  await world.drive(runId);
  return { topic: t, chatId, runId };
};

describe("APR-10 a sensitive answer", () => {
  test("reaches the model, and stands in no table, event, stream or log line, whatever the model says with it", async () => {
    const {
      runId,
      chatId,
      topic: t,
    } = await answered(
      {
        text: `I use ${CANARY}.`,
        calls: [readFile("README.md"), readFile("src/a.ts"), { name: CANARY, arguments: {} }],
      },
      { text: `Signed in with ${CANARY}, thank you.` },
    );
    expect(await world.row(runId)).toMatchObject({ status: "completed", end_reason: "answered" });
    // What went over the wire to the model holds it: in the turn after the answer, and in later ones.
    expect(world.gateway.requests().filter((r) => JSON.stringify(r).includes(CANARY)).length).toBeGreaterThan(1);
    const chat = await chats.get(await world.member("member"), chatId);
    expect(chat.messages.at(-1)?.text).toBe("Signed in with [REDACTED], thank you.");
    expect(chat.toolCalls.map((c) => c.status)).toEqual(["executed", "executed", "executed", "failed"]);

    // A later answer of the same chat still knows it, and still does not tell it.
    world.script.push(t, { text: `Once more: ${CANARY}` });
    const again = await world.ask(t, "member", chatId);
    await world.drive(again.runId);
    expect(JSON.stringify(world.gateway.requests().at(-1))).toContain(CANARY);
    expect(await violations(world, [runId, again.runId])).toEqual([]);
    expect(await tablesWith(CANARY)).toEqual([]);
    expect(lines.filter((line) => line.includes(CANARY))).toEqual([]);
    const detail = await runs.detail(world.as("member"), [world.workspaceId], runId);
    expect(JSON.stringify(detail)).not.toContain(CANARY);
  });

  test("is masked in what people say of it: the reason of its own decision and of later ones, a comment, an answer", async () => {
    const secret = "canary-people-77aa01-x";
    const t = topic();
    const question = { name: "ask_user", arguments: { question: "Which one?", anyone: true } };
    world.script.push(
      t,
      { calls: [{ name: "get_secret", arguments: {} }] },
      { calls: [question] },
      { calls: [propose("export const a = 2;", "export const a = 1;", "src/a.ts")] },
      { text: "done" },
    );
    const { chatId, runId } = await world.ask(t);
    await world.drive(runId);
    await decide(world, "approver", await onlyRequest(world, runId), "approved", {
      response: secret,
      reason: `it is ${secret}`,
    });
    await world.drive(runId);
    const [asked] = await world.admin.sql<{ id: string }[]>`select id from questions where run_id = ${runId}`;
    const answer = { runId, questionId: asked?.id ?? "", text: `the one with ${secret}` };
    await questions.answer(world.as("member"), [world.workspaceId], answer, world.deps.vault);
    await world.drive(runId);
    const open = (await requestsOf(world, runId)).find(({ status }) => status === "pending");
    if (open === undefined) throw new Error("nothing was proposed");
    await decide(world, "approver", open, "rejected", { reason: `never with ${secret} in it` });
    await world.drive(runId);
    expect(await tablesWith(secret)).toEqual([]);
    const detail = JSON.stringify(await approvals.detail(world.as("approver"), [world.workspaceId], open.id));
    expect(detail).toContain("never with [REDACTED] in it");

    // A write whose outcome nobody knows, and the word of the person who looked.
    world.script.push(
      t,
      { calls: [propose("export const a = 3;", "export const a = 1;", "src/a.ts")] },
      { text: "done" },
    );
    const again = await world.ask(t, "member", chatId);
    await world.drive(again.runId);
    const write = (await requestsOf(world, again.runId)).find(({ status }) => status === "pending");
    if (write === undefined) throw new Error("nothing was proposed");
    await decide(world, "approver", write, "approved");
    await world.admin.sql`update runs set attempts = 4 where id = ${again.runId}`;
    setFaultPlan({ rules: [{ at: "tool.claim:after", act: "throw" }] });
    await world.stepOnce(again.runId);
    setFaultPlan(undefined);
    const said = { runId: again.runId, approvalId: write.id, outcome: "end" as const, comment: `not there, ${secret}` };
    await approvals.reconcile(world.as("owner"), [world.workspaceId], said, 900, world.deps.vault);
    expect(await world.row(again.runId)).toMatchObject({ status: "failed", error_text: "not there, [REDACTED]" });
    expect(await tablesWith(secret)).toEqual([]);
  });

  test("N37 APR-9 nothing that a reader could see is no answer and no reason", async () => {
    const t = topic();
    world.script.push(t, { calls: [{ name: "get_secret", arguments: {} }] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    await expect(decide(world, "approver", request, "approved", { response: " \u200b\u2060 " })).rejects.toMatchObject({
      code: "response_required",
    });
    await expect(decide(world, "approver", request, "rejected", { reason: "\u200b" })).rejects.toMatchObject({
      code: "reason_required",
    });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "pending" });
  });

  test("what is executed is unchanged, the approver sees that something is masked, and at rest it is sealed", async () => {
    const { runId } = await answered(
      { calls: [propose(`export const code = "${CANARY}";`, "export const a = 1;", "src/a.ts")] },
      { text: "Pushed." },
    );
    const request = (await requestsOf(world, runId)).find((r) => r.status === "pending");
    if (request === undefined) throw new Error("nothing was proposed");
    const detail = await approvals.detail(world.as("approver"), [world.workspaceId], request.id);
    expect(detail.masked).toBe(true);
    expect(detail.args).toContain("[REDACTED]");
    expect(JSON.stringify(detail)).not.toContain(CANARY);
    expect(await tablesWith(CANARY)).toEqual([]);
    await decide(world, "approver", request, "approved");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    const sealed = (await requestsOf(world, runId)).find((r) => r.id === request.id);
    expect(sealed?.status).toBe("executed");
    expect(sealed?.executed_hash).toBe(request.snapshot_hash);
    expect(() => branchOf({ form: sealed?.form ?? "" })).toThrow();
    const form = await world.deps.vault.open(
      String(sealed?.form).slice("sealed:".length),
      `request:${request.id}:form`,
    );
    expect(isPushed(world, { form })).toBe(true);
    expect(await tablesWith(CANARY)).toEqual([]);
  });

  test("APR-8 also a staged call with it is sealed, executed whole, and told masked", async () => {
    await setAgent(world, { inputs: [SECRET], mode: "stage" });
    const { runId, chatId } = await answered(
      { calls: [propose(`export const code = "${CANARY}!";`, "export const a = 1;", "src/a.ts")] },
      { text: "Submitted." },
    );
    const [part] = await world.admin.sql<{ id: string }[]>`select id from runs where parent_run_id = ${runId}`;
    const request = await onlyRequest(world, part?.id ?? "");
    await decide(world, "approver", request, "approved");
    await world.drive(part?.id ?? "");
    expect((await onlyRequest(world, part?.id ?? "")).status).toBe("executed");
    const chat = await chats.get(await world.member("member"), chatId);
    expect(chat.messages.at(-1)?.role).toBe("system");
    expect(await tablesWith(CANARY)).toEqual([]);
    await setAgent(world, { inputs: [SECRET] });
  });

  test("N81 a sealed item of the history does not open in another run", async () => {
    const one = await answered({ text: "Thanks." });
    const other = await answered({ text: "Thanks." });
    const [sealed] = await world.admin.sql<{ data: string }[]>`
      select data from run_items where run_id = ${one.runId} and kind = 'function_call_output'`;
    expect(sealed?.data).toMatch(/^sealed:/);
    await world.admin
      .sql`update run_items set data = ${sealed?.data ?? ""} where run_id = ${other.runId} and kind = 'function_call_output'`;
    const next = await world.ask(other.topic, "member", other.chatId);
    await world.stepOnce(next.runId);
    expect(await world.row(next.runId)).toMatchObject({ status: "queued", attempts: 1 });
  });
});
