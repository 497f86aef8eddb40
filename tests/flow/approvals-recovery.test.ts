import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as approvals from "@aiw/core/approvals";
import { setFaultPlan } from "@aiw/platform/fault";
import {
  aiRefs,
  auditOf,
  branchOf,
  callsOf,
  decide,
  isPushed,
  onlyRequest,
  outputsOf,
  propose,
  stopAt,
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
afterEach(() => {
  setFaultPlan(undefined);
  Object.assign(world.git.switches, { dropAfterPush: false, dropBeforePush: false, delayMs: 0, refusePushWith: null });
});
afterAll(() => world.stop());

let counter = 2000;
const approved = async (role: Role = "member", by: Role = "approver"): Promise<{ runId: string; request: Request }> => {
  const t = topic();
  counter += 1;
  world.script.push(t, { calls: [propose(`total >= ${counter}`)] }, { text: "I see." });
  const { runId } = await world.ask(t, role);
  await world.drive(runId);
  const request = await onlyRequest(world, runId);
  await decide(world, by, request, "approved");
  return { runId, request };
};

describe("interrupted writes (RUN-7)", () => {
  const die = async (runId: string, at: string, act: "throw" | "hang"): Promise<void> => {
    if (act === "hang") expect(await stopAt(at, 1, () => world.stepOnce(runId))).toBe(true);
    else {
      setFaultPlan({ rules: [{ at, act }] });
      await world.stepOnce(runId).catch(() => undefined);
      setFaultPlan(undefined);
    }
    await world.shift(400);
    await sweepOnce(world);
  };

  const points = [
    ["tool.claim:after", "throw", false],
    ["tool.call:before", "hang", false],
    ["git.push:before", "hang", false],
    ["git.push:after", "throw", true],
    ["tool.call:after", "throw", true],
    ["run.commit:before", "throw", true],
    ["tool.probe:before", "throw", null],
  ] as const;
  test.each(points)(
    "RUN-7 F15 F16 a step that ends at %s (%s): the target is asked, the write is never made twice",
    async (at, act, acted) => {
      const { runId, request } = await approved();
      if (acted === null) world.git.switches.dropAfterPush = true;
      await die(runId, at, act);
      world.git.switches.dropAfterPush = false;
      const pushes = () =>
        world.git.requests.filter((r) => r.includes("git-receive-pack") && r.startsWith("POST")).length;
      const before = pushes();
      const row = await world.drive(runId);
      expect(pushes()).toBe(before);
      const after = await onlyRequest(world, runId);
      expect(after.attempt).toBe(1);
      if (acted === false) {
        expect(row).toMatchObject({ status: "needs_reconciliation" });
        expect(after).toMatchObject({ status: "unknown" });
        expect(isPushed(world, request)).toBe(false);
        // The chat stays held until a person has looked (RUN-1).
        return;
      }
      expect(isPushed(world, request)).toBe(true);
      if (acted === null) {
        // The probe itself failed: only a person can tell.
        expect(["needs_reconciliation", "completed"]).toContain(row.status);
        return;
      }
      expect(row).toMatchObject({ status: "completed" });
      expect(after).toMatchObject({ status: "executed", reconciled: true });
      expect(await violations(world, [runId])).toEqual([]);
    },
  );

  test("F17 F18 a server that acts and then breaks the connection: one branch, executed (reconciled), one push", async () => {
    const { runId, request } = await approved();
    world.git.switches.dropAfterPush = true;
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed", reconciled: true, attempt: 1 });
    expect([...aiRefs(world)].filter(([name]) => name === branchOf(request).branch)).toHaveLength(1);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("F19 RUN-7 a target that cannot be asked leaves the outcome to a person", async () => {
    const { runId } = await approved();
    setFaultPlan({ rules: [{ at: "tool.probe:before", act: "throw" }] });
    world.git.switches.dropBeforePush = true;
    expect(await world.drive(runId)).toMatchObject({ status: "needs_reconciliation" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "unknown" });
  });

  const unclear = async (): Promise<{ runId: string; request: Request }> => {
    const { runId, request } = await approved();
    world.git.switches.dropBeforePush = true;
    expect(await world.drive(runId)).toMatchObject({ status: "needs_reconciliation" });
    world.git.switches.dropBeforePush = false;
    return { runId, request };
  };
  const reconcile = (role: Role, runId: string, approvalId: string, outcome: "happened" | "retry" | "end") =>
    approvals.reconcile(
      world.as(role),
      [world.workspaceId],
      { runId, approvalId, outcome, comment: "I looked at the server." },
      900,
      world.deps.vault,
    );

  test("RUN-7 RUN-22 only a workspace admin says what happened; nobody does twice", async () => {
    const { runId, request } = await unclear();
    await expect(reconcile("member", runId, request.id, "happened")).rejects.toMatchObject({ code: "forbidden" });
    await expect(reconcile("approver", runId, request.id, "happened")).rejects.toMatchObject({ code: "forbidden" });
    await expect(reconcile("outsider", runId, request.id, "happened")).rejects.toMatchObject({ code: "not_found" });
    const both = await Promise.allSettled([
      reconcile("owner", runId, request.id, "retry"),
      reconcile("owner", runId, request.id, "end"),
    ]);
    expect(both.filter((b) => b.status === "fulfilled")).toHaveLength(1);
    await world.drive(runId);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("RUN-7 'it happened': recorded as reconciled by this person, the model is told, the run goes on", async () => {
    const { runId, request } = await unclear();
    const { branch, commit } = branchOf(request);
    // The person pushed the commit by hand from elsewhere; here its objects come from the failed attempt's form.
    await reconcile("owner", runId, request.id, "happened");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed", reconciled: true });
    expect((await outputsOf(world, runId))[0]).toContain("I looked at the server.");
    expect(await auditOf(world, runId)).toContain("run.reconciled");
    expect((await violations(world, [runId])).filter((v) => !v.includes("I1 executed, but the server"))).toEqual([]);
    expect(aiRefs(world).get(branch)).not.toBe(commit);
  });

  test("RUN-7 'it did not, try again': exactly one more call, with the same frozen bytes", async () => {
    const { runId, request } = await unclear();
    await reconcile("owner", runId, request.id, "retry");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    const after = await onlyRequest(world, runId);
    expect(after).toMatchObject({ status: "executed", attempt: 2, executed_hash: request.snapshot_hash });
    expect(isPushed(world, request)).toBe(true);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("RUN-7 'end the run': failed with the comment, every call answered once, the chat is free", async () => {
    const { runId, request } = await unclear();
    await reconcile("owner", runId, request.id, "end");
    expect(await world.row(runId)).toMatchObject({
      status: "failed",
      error_code: "ended_by_person",
      error_text: "I looked at the server.",
    });
    expect((await callsOf(world, runId)).map((c) => c.status)).toEqual(["failed"]);
    expect(await violations(world, [runId])).toEqual([]);
    const [chat] = await world.admin.sql<{ chat_id: string }[]>`select chat_id from runs where id = ${runId}`;
    const t = topic();
    world.script.push(t, { text: "next" });
    const next = await world.ask(t, "member", chat?.chat_id ?? "");
    expect(await world.drive(next.runId)).toMatchObject({ status: "completed" });
  });
});
