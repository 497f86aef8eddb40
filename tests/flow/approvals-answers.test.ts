import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as approvals from "@aiw/core/approvals";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import { runGit } from "@aiw/infra/local/git-command";
import {
  auditOf,
  callsOf,
  decide,
  eventsOf,
  isPushed,
  onlyRequest,
  outputsOf,
  propose,
  requestsOf,
  sweepOnce,
  topic,
  violations,
  type Request,
} from "../kit/runs.ts";
import { startWorld, type Role, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

let counter = 1000;
/** A run that waits with one request for a change no other test makes. */
const waiting = async (
  role: Role = "member",
  ...more: Parameters<World["script"]["push"]>[1][]
): Promise<{ runId: string; chatId: string; request: Request; t: string }> => {
  const t = topic();
  counter += 1;
  world.script.push(
    t,
    { text: "I propose this.", calls: [propose(`total >= ${counter}`)] },
    ...(more.length === 0 ? [{ text: "done" }] : more),
  );
  const { runId, chatId } = await world.ask(t, role);
  await world.drive(runId);
  return { runId, chatId, t, request: await onlyRequest(world, runId) };
};
const detailOf = (role: Role, id: string) =>
  approvals.detail(world.as(role), role === "global" ? [] : [world.workspaceId], id);

describe("rejection (APR-6)", () => {
  test("APR-6 N37 a rejection needs a reason, of at most 2,000 characters", async () => {
    const { request } = await waiting();
    for (const reason of ["", "   ", "\n"])
      await expect(decide(world, "approver", request, "rejected", { reason })).rejects.toMatchObject({
        code: "reason_required",
      });
    await expect(decide(world, "approver", request, "rejected", { reason: "x".repeat(2001) })).rejects.toMatchObject({
      code: "bad_request",
    });
    expect(await onlyRequest(world, (await detailOf("approver", request.id)).runId)).toMatchObject({
      status: "pending",
    });
  });

  test("APR-6 the model reads a typed no with the reason, nothing is pushed, the run goes on", async () => {
    const { request, runId } = await waiting();
    await decide(world, "approver", request, "rejected", { reason: "the threshold is fixed by contract" });
    expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "answered" });
    expect((await outputsOf(world, runId))[0]).toBe(
      "rejected: A person rejected this call. Reason: the threshold is fixed by contract. Do not try again unchanged; nothing was executed.",
    );
    expect(isPushed(world, request)).toBe(false);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-6 F55 the same proposal again, spelt differently, is answered from the earlier no without a new request", async () => {
    const t = topic();
    const file = (path: string, find: string, replace: string) =>
      `{"path":"${path}","replacements":[{"find":"${find}","replace":"${replace}"}]}`;
    const spellings = [
      `{"title":"T","description":"caf\\u00e9","files":[${file("src/discount.ts", "total > 100", "total >= 555")}]}`,
      `{"files": [ ${file("src/discount.ts", "total > 100", "total >= \\u0035\\u0035\\u0035")} ], "description":"cafe\\u0301", "title":"T"}`,
    ];
    world.script.push(
      t,
      { calls: [{ name: "propose_change", arguments: spellings[0] ?? "" }] },
      { calls: [{ name: "propose_change", arguments: spellings[1] ?? "" }] },
      { text: "all right" },
    );
    const { runId } = await world.ask(t);
    await world.drive(runId);
    await decide(world, "approver", await onlyRequest(world, runId), "rejected", { reason: "no" });
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await requestsOf(world, runId)).toHaveLength(1);
    expect((await callsOf(world, runId)).map((c) => c.status)).toEqual(["rejected", "rejected"]);
    expect((await outputsOf(world, runId))[1]).toContain("Reason: no.");
    expect(await auditOf(world, runId)).toContain("tool.repeated_refusal");
  });

  test("APR-6 three rejections end the loop: a summary turn without tools", async () => {
    const t = topic();
    world.script.push(t, ...[1, 2, 3].map((n) => ({ calls: [propose(`total >= ${n}`)] })), {
      text: "I stop here.",
      calls: [propose("total >= 4")],
    });
    const { runId } = await world.ask(t);
    for (let n = 0; n < 3; n += 1) {
      await world.drive(runId);
      const open = (await requestsOf(world, runId)).find((r) => r.status === "pending");
      if (open === undefined) throw new Error("an open request expected");
      await decide(world, "approver", open, "rejected", { reason: `no ${n}` });
    }
    expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "limit_reached" });
    expect(await requestsOf(world, runId)).toHaveLength(3);
    const last = world.script.requests.at(-1);
    expect(last?.instructions).toContain("Several proposals were rejected");
    expect(last?.toolChoice).toBe("none");
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-6 reject and end the run: it ends at once with the reason, also beside siblings that still wait", async () => {
    const t = topic();
    world.script.push(
      t,
      { calls: [propose("total >= 11"), propose("total >= 12"), propose("total >= 13")] },
      { text: "never asked" },
    );
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const [, second] = await requestsOf(world, runId);
    if (second === undefined) throw new Error("three requests expected");
    await decide(world, "approver", second, "rejected", { reason: "stop this", endRun: true });
    expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "rejected" });
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["cancelled", "rejected", "cancelled"]);
    const [answer] = await world.admin.sql`select text from messages where run_id = ${runId} and role = 'assistant'`;
    expect(answer?.["text"]).toContain("stop this");
    expect(await violations(world, [runId])).toEqual([]);
  });
});

test("I7 I5 a person who rejects while the step is about to cancel the same request is not talked over", async () => {
  const t = topic();
  world.script.push(t, { calls: [propose("total >= 21"), propose("total >= 22")] }, { text: "all right" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  const [first, second] = await requestsOf(world, runId);
  if (first === undefined || second === undefined) throw new Error("two requests expected");
  await decide(world, "approver", first, "rejected", { reason: "no" });
  const deciding: Promise<unknown>[] = [];
  const unlisten = onPoint((point) => {
    if (point === "run.commit:before" && deciding.length === 0)
      deciding.push(decide(world, "approver2", second, "rejected", { reason: "not this either" }));
  });
  setFaultPlan({ rules: [{ at: "run.commit:before", act: "delay", ms: 200 }] });
  await world.stepOnce(runId);
  unlisten();
  setFaultPlan(undefined);
  await Promise.all(deciding);
  expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["rejected", "rejected"]);
  expect(await world.drive(runId)).toMatchObject({ status: "completed" });
  expect(await violations(world, [runId])).toEqual([]);
});

describe("expiry (APR-7)", () => {
  test("APR-7 F59 expired reads differently from rejected, and is told once", async () => {
    const { request, runId } = await waiting();
    await world.shift(86_401);
    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "expired" });
    expect(await detailOf("approver", request.id)).toMatchObject({
      status: "expired",
      decidable: false,
      mayRequestAgain: false,
    });
    await sweepOnce(world);
    await sweepOnce(world);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect((await outputsOf(world, runId))[0]).toMatch(/^expired: Nobody decided/);
    expect(
      (await eventsOf(world, runId)).filter((e) => e.type === "approval.changed" && e.data["status"] === "expired"),
    ).toHaveLength(1);
    expect((await auditOf(world, runId)).filter((e) => e === "approval.expired")).toHaveLength(1);
    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "expired" });
    expect(isPushed(world, request)).toBe(false);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-7 the requester asks again with one click: prepared anew against the present target, a successor with its own hash, once", async () => {
    const { request, runId } = await waiting();
    await world.shift(86_401);
    await sweepOnce(world);
    await world.drive(runId);
    // The target moves on meanwhile, in another file.
    const head = runGit(["-C", world.repository.directory, "rev-parse", "refs/heads/main"]).toString().trim();
    runGit(
      ["-C", world.repository.directory, "fast-import", "--quiet"],
      `commit refs/heads/main\ncommitter Maintainer <maintainer@example.com> 1790001000 +0000\ndata 4\nmore\nfrom ${head}\nM 100644 inline CHANGES.md\ndata 4\nnew\n\n`,
    );
    const moved = runGit(["-C", world.repository.directory, "rev-parse", "refs/heads/main"]).toString().trim();
    // Another spelling of the same target, so that no remembered head of it is taken.
    await world.admin.sql`update sources set config = config || '{"branch":"main"}' where id = ${world.sourceId}`;
    await expect(approvals.requestAgain(world.as("approver"), [world.workspaceId], request.id)).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(approvals.requestAgain(world.as("outsider"), [], request.id)).rejects.toMatchObject({
      code: "not_found",
    });
    const both = await Promise.allSettled(
      [1, 2].map(() => approvals.requestAgain(world.as("member"), [world.workspaceId], request.id)),
    );
    const made = both.flatMap((b) => (b.status === "fulfilled" ? [b.value] : []));
    expect(made).toHaveLength(1);
    const successorRun = made[0]?.runId ?? "";
    expect(await world.drive(successorRun)).toMatchObject({ status: "waiting_approval" });
    const successor = await onlyRequest(world, successorRun);
    expect(successor.args_text).toBe(request.args_text);
    expect(successor.snapshot_hash).not.toBe(request.snapshot_hash);
    const [row] = await world.admin.sql<
      { predecessor_id: string; preconditions: string }[]
    >`select predecessor_id, preconditions from approvals where id = ${successor.id}`;
    expect(row?.predecessor_id).toBe(request.id);
    expect(JSON.parse(row?.preconditions ?? "{}")).toMatchObject({ base: moved });
    await expect(approvals.requestAgain(world.as("member"), [world.workspaceId], request.id)).rejects.toMatchObject({
      code: "not_renewable",
    });
    await decide(world, "approver", successor, "approved");
    const [first] = await world.admin.sql<
      { text: string }[]
    >`select text from messages where run_id = ${successorRun} and role = 'user'`;
    world.script.push(first?.text ?? "", { text: "pushed at last" });
    expect(await world.drive(successorRun)).toMatchObject({ status: "completed" });
    expect(isPushed(world, successor)).toBe(true);
    expect(isPushed(world, request)).toBe(false);
    expect(await violations(world, [successorRun])).toEqual([]);
  });

  test("APR-7 a rejected request offers no such button", async () => {
    const { request, runId } = await waiting();
    await decide(world, "approver", request, "rejected", { reason: "no" });
    await world.drive(runId);
    expect(await detailOf("member", request.id)).toMatchObject({ mayRequestAgain: false });
    await expect(approvals.requestAgain(world.as("member"), [world.workspaceId], request.id)).rejects.toMatchObject({
      code: "not_renewable",
    });
  });
});
