import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as chats from "@aiw/core/chats";
import * as questions from "@aiw/core/questions";
import * as runs from "@aiw/core/runs";
import { violations } from "../kit/oracle.ts";
import { decide, isPushed, onlyRequest, outputsOf, propose, topic } from "../kit/runs.ts";
import { startWorld, type Role, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const ask = (question: string, anyone?: boolean) => ({
  name: "ask_user",
  arguments: { question, ...(anyone === undefined ? {} : { anyone }) },
});

const asked = async (question: string, anyone?: boolean) => {
  const t = topic();
  world.script.push(t, { text: "One thing first.", calls: [ask(question, anyone)] }, { text: "Thank you." });
  const { chatId, runId } = await world.ask(t);
  await world.drive(runId);
  const chat = await chats.get(await world.member("member"), chatId);
  const [open] = chat.questions;
  if (open === undefined) throw new Error("nothing was asked");
  return { chatId, runId, question: open, topic: t };
};
const answer = (role: Role, runId: string, questionId: string, text: string) =>
  questions.answer(
    world.as(role),
    role === "outsider" ? [] : [world.workspaceId],
    { runId, questionId, text },
    world.deps.vault,
  );

describe("RUN-16 the agent asks the person it works for", () => {
  test("the run waits for the answer and goes on with exactly it", async () => {
    const { runId, question } = await asked("Which limit?");
    expect((await world.row(runId)).status).toBe("waiting_input");
    expect(question).toMatchObject({ text: "Which limit?", anyone: false, status: "open", mayAnswer: true });
    const given = await answer("member", runId, question.id, "  007, please ");
    expect(given).toMatchObject({ ring: true, question: { status: "answered", mayAnswer: false } });
    expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "answered" });
    expect(await outputsOf(world, runId)).toEqual(["  007, please "]);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("RUN-22 the starter answers; others only where the question says so; strangers see nothing", async () => {
    const own = await asked("Only you?");
    for (const role of ["approver", "owner"] as const)
      await expect(answer(role, own.runId, own.question.id, "x")).rejects.toMatchObject({ code: "forbidden" });
    await expect(answer("outsider", own.runId, own.question.id, "x")).rejects.toMatchObject({ code: "not_found" });
    const any = await asked("Anybody?", true);
    await expect(answer("outsider", any.runId, any.question.id, "x")).rejects.toMatchObject({ code: "not_found" });
    await answer("approver", any.runId, any.question.id, "yes");
    expect((await world.drive(any.runId)).status).toBe("completed");
    // A question belongs to its run.
    await expect(answer("member", own.runId, any.question.id, "x")).rejects.toMatchObject({ code: "not_found" });
  });

  test("an answer is given once, and none to a run that was cancelled", async () => {
    const { runId, question } = await asked("Twice?");
    await answer("member", runId, question.id, "first");
    await expect(answer("member", runId, question.id, "second")).rejects.toMatchObject({ code: "decided" });
    await world.drive(runId);
    expect(await outputsOf(world, runId)).toEqual(["first"]);
    const gone = await asked("Late?");
    await runs.cancel(world.as("member"), [world.workspaceId], gone.runId);
    await expect(answer("member", gone.runId, gone.question.id, "late")).rejects.toMatchObject({ code: "cancelled" });
    expect(await violations(world, [gone.runId])).toEqual([]);
  });

  test("RUN-1 messages written meanwhile wait and start in order afterwards", async () => {
    const { chatId, runId, question, topic: t } = await asked("Order?");
    world.script.push(t, { text: "Then this." });
    const later = await chats.postMessage(
      await world.member("member"),
      chatId,
      {
        id: crypto.randomUUID(),
        text: "and this",
      },
      world.deps.vault,
    );
    expect(later.run).toBeNull();
    await answer("member", runId, question.id, "go on");
    await world.drive(runId);
    const chat = await chats.get(await world.member("member"), chatId);
    expect(chat.runs.map((r) => r.status)).toEqual(["completed", "queued"]);
  });

  test("RUN-14 a question beside a proposal: each is answered by whom it is for, results in call order", async () => {
    const t = topic();
    world.script.push(t, { calls: [ask("Sure?"), propose("total >= 4242")] }, { text: "Done." });
    const { chatId, runId } = await world.ask(t);
    await world.drive(runId);
    expect((await world.row(runId)).status).toBe("waiting_approval");
    const request = await onlyRequest(world, runId);
    await decide(world, "approver", request, "approved");
    await world.drive(runId);
    expect(isPushed(world, request)).toBe(true);
    expect((await world.row(runId)).status).toBe("waiting_input");
    const [open] = (await chats.get(await world.member("member"), chatId)).questions;
    await answer("member", runId, open?.id ?? "", "sure");
    expect((await world.drive(runId)).status).toBe("completed");
    expect((await outputsOf(world, runId))[0]).toBe("sure");
    expect(await violations(world, [runId])).toEqual([]);
  });
});
