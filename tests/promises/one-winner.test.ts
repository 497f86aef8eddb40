import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Problem } from "@aiw/contract/problem";
import * as approvals from "@aiw/core/approvals";
import * as runs from "@aiw/core/runs";
import { setAgent } from "../kit/agents.ts";
import {
  isPushed,
  decide,
  onlyRequest,
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

let counter = 5000;
const waiting = async (): Promise<{ runId: string; request: Request }> => {
  const t = topic();
  counter += 1;
  world.script.push(t, { calls: [propose(`total >= ${counter}`)] }, { text: "done" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  return { runId, request: await onlyRequest(world, runId) };
};

const codeOf = (result: PromiseSettledResult<unknown>): string => {
  if (result.status === "fulfilled") return "won";
  return result.reason instanceof Problem ? result.reason.code : String(result.reason);
};

const deciders: readonly Role[] = ["owner", "approver", "approver2"];

test("APR-4 F42 F43 M6 twenty requests, ten decisions at once each: one decider, everybody else is told who and when, the same again is no error", async () => {
  for (let n = 0; n < 20; n += 1) {
    const { runId, request } = await waiting();
    const clicks = Array.from({ length: 10 }, (_, i) => ({
      role: deciders[(i + n) % 3] ?? "owner",
      vote: i % 2 === 0 ? ("approved" as const) : ("rejected" as const),
    }));
    const results = await Promise.allSettled(clicks.map(({ role, vote }) => decide(world, role, request, vote)));
    const after = await onlyRequest(world, runId);
    const winner = deciders.find((role) => world.people[role].userId === after.decided_by);
    expect(["approved", "rejected"]).toContain(after.status);
    for (const [i, result] of results.entries()) {
      const click = clicks[i];
      const same = click?.role === winner && click?.vote === after.status;
      expect(codeOf(result)).toBe(same ? "won" : "decided");
      if (result.status === "rejected" && result.reason instanceof Problem) {
        expect(result.reason.status).toBe(409);
        expect(result.reason.params).toMatchObject({
          by: expect.any(String) as string,
          at: expect.stringMatching(/^\d{4}-/) as string,
        });
      }
    }
    const votes = await world.admin.sql`select user_id, vote from approval_votes where approval_id = ${request.id}`;
    expect([...votes]).toEqual([{ user_id: after.decided_by, vote: after.status }]);
    const audit = await world.admin
      .sql`select 1 from audit_events where object_id = ${request.id} and event in ('approval.granted', 'approval.rejected')`;
    expect(audit).toHaveLength(1);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(isPushed(world, request)).toBe(after.status === "approved");
    expect(await violations(world, [runId])).toEqual([]);
  }
});

test("APR-4 F44 the same person repeating the same decision gets the same answer, also after the execution; the opposite is refused", async () => {
  const { runId, request } = await waiting();
  await decide(world, "approver", request, "approved");
  await decide(world, "approver", request, "approved");
  await world.drive(runId);
  await decide(world, "approver", request, "approved");
  await expect(decide(world, "approver", request, "rejected")).rejects.toMatchObject({ code: "decided" });
  await expect(decide(world, "approver2", request, "approved")).rejects.toMatchObject({ code: "decided" });
  const rejected = await waiting();
  await decide(world, "approver", rejected.request, "rejected");
  await decide(world, "approver", rejected.request, "rejected", { reason: "another wording" });
  await expect(decide(world, "approver", rejected.request, "approved")).rejects.toMatchObject({ code: "decided" });
  const [row] = await world.admin.sql`select decision_reason from approvals where id = ${rejected.request.id}`;
  expect(row?.["decision_reason"]).toBe("not now");
});

test("APR-4 F45 past its time a request is closed for everybody, although no sweeper has run", async () => {
  const { runId, request } = await waiting();
  await world.shift(86_401);
  const results = await Promise.allSettled(
    deciders.flatMap((role) => [decide(world, role, request, "approved"), decide(world, role, request, "rejected")]),
  );
  expect(new Set(results.map(codeOf))).toEqual(new Set(["expired"]));
  expect(await onlyRequest(world, runId)).toMatchObject({ status: "pending", decided_by: null });
  expect(await world.admin.sql`select 1 from approval_votes where approval_id = ${request.id}`).toHaveLength(0);
  await sweepOnce(world);
  await world.drive(runId);
  expect(await violations(world, [runId])).toEqual([]);
});

test("N35 APR-4 a decision on something else than what is stored is stale", async () => {
  const { runId, request } = await waiting();
  await expect(decide(world, "approver", request, "approved", { seenHash: "0".repeat(64) })).rejects.toMatchObject({
    code: "stale",
  });
  await expect(decide(world, "approver", request, "rejected", { seenHash: "" })).rejects.toMatchObject({
    code: "stale",
  });
  expect(await onlyRequest(world, runId)).toMatchObject({ status: "pending" });
  await world.admin.sql`update approvals set stale_at = aiw_now() where id = ${request.id}`;
  await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "stale" });
  await decide(world, "approver", request, "rejected");
  await world.drive(runId);
});

test("F43 F45 F46 decide, cancel and expire at once: exactly one of them happens, and nothing is pushed unless the yes won", async () => {
  const outcomes = new Map<string, number>();
  for (let n = 0; n < 24; n += 1) {
    const { runId, request } = await waiting();
    const expiring = n % 2 === 0;
    // Half of them are past their time at the very moment of the race.
    if (expiring)
      await world.admin
        .sql`update approvals set expires_at = aiw_now() + make_interval(secs => ${(n % 5) * 0.004}) where id = ${request.id}`;
    const results = await Promise.allSettled([
      decide(world, "approver", request, "approved"),
      decide(world, "approver2", request, "rejected"),
      runs.cancel(world.as("member"), [world.workspaceId], runId),
      sweepOnce(world),
      world.stepOnce(runId),
    ]);
    const unexpected = results.flatMap((r) =>
      r.status === "rejected" && !(r.reason instanceof Problem) ? [String(r.reason)] : [],
    );
    expect(unexpected).toEqual([]);
    await world.shift(1);
    await sweepOnce(world);
    const row = await world.drive(runId);
    const after = await onlyRequest(world, runId);
    outcomes.set(`${row.status}/${after.status}`, (outcomes.get(`${row.status}/${after.status}`) ?? 0) + 1);
    expect(["executed", "rejected", "expired", "cancelled"]).toContain(after.status);
    expect(isPushed(world, request)).toBe(after.status === "executed");
    expect(await violations(world, [runId])).toEqual([]);
  }
  expect([...outcomes.values()].reduce((a, b) => a + b, 0)).toBe(24);
});

describe("F57 a request of a run that ended", () => {
  /** What the approver finds in the inbox, and how many the badge counts. */
  const inbox = async (id: string) => {
    const { items, open } = await approvals.list(world.as("approver"), [world.workspaceId], { filter: "open" });
    return { listed: items.some((item) => item.id === id), open };
  };
  /** One run that waits with two requests. */
  const two = async (): Promise<{ runId: string; first: Request; second: Request }> => {
    const t = topic();
    counter += 2;
    world.script.push(
      t,
      { calls: [propose(`total >= ${counter}`), propose(`total >= ${counter + 1}`)] },
      { text: "done" },
    );
    counter += 1;
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const [first, second] = await requestsOf(world, runId);
    if (first === undefined || second === undefined) throw new Error("two requests expected");
    return { runId, first, second };
  };
  const ENDS: Readonly<Record<string, (made: Awaited<ReturnType<typeof two>>) => Promise<unknown>>> = {
    "cancelled by a person": ({ runId }) => runs.cancel(world.as("member"), [world.workspaceId], runId),
    "ended with the rejection of another": async ({ runId, second }) => {
      await decide(world, "approver2", second, "rejected", { reason: "stop", endRun: true });
      await world.drive(runId);
    },
    "failed by the agent's own rule": async ({ runId, second }) => {
      await decide(world, "approver2", second, "rejected", { reason: "no" });
      await world.drive(runId);
    },
  };

  test.each(Object.keys(ENDS))(
    "F57 %s is not listed as open, not counted, and cannot be decided (409)",
    async (how) => {
      if (how.startsWith("failed")) await setAgent(world, { onRejection: "fail" });
      const made = await two();
      const before = await inbox(made.first.id);
      expect(before.listed).toBe(true);
      await ENDS[how]?.(made);
      await setAgent(world, {});
      expect(["cancelled", "completed", "failed"]).toContain((await world.row(made.runId)).status);
      expect(await inbox(made.first.id)).toEqual({ listed: false, open: before.open - 2 });
      for (const role of deciders)
        for (const vote of ["approved", "rejected"] as const)
          await expect(decide(world, role, made.first, vote)).rejects.toMatchObject({ code: "cancelled", status: 409 });
      expect(isPushed(world, made.first)).toBe(false);
      expect(await violations(world, [made.runId])).toEqual([]);
    },
  );

  test("F57 left open behind the platform's back it cannot be decided either: the run itself is asked", async () => {
    const { runId, request } = await waiting();
    await world.admin.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update runs set status = 'failed' where id = ${runId}`;
    });
    for (const role of deciders)
      await expect(decide(world, role, request, "approved")).rejects.toMatchObject({ code: "cancelled" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "pending", decided_by: null });
    await world.admin.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update runs set status = 'waiting_approval' where id = ${runId}`;
    });
    await runs.cancel(world.as("member"), [world.workspaceId], runId);
  });
});

test("F53 where two votes are asked for, one person counts once", async () => {
  const { runId, request } = await waiting();
  await world.admin.sql`update approvals set required_votes = 2 where id = ${request.id}`;
  await decide(world, "approver", request, "approved");
  await decide(world, "approver", request, "approved");
  expect(await onlyRequest(world, runId)).toMatchObject({ status: "pending" });
  await decide(world, "approver2", request, "approved");
  expect(await onlyRequest(world, runId)).toMatchObject({ status: "approved" });
  expect(await world.drive(runId)).toMatchObject({ status: "completed" });
  expect(isPushed(world, request)).toBe(true);
});
