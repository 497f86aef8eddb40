import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as approvals from "@aiw/core/approvals";
import { runJob } from "@aiw/function-jobs/run-job";
import { setFaultPlan } from "@aiw/platform/fault";
import { jobsOf } from "../kit/mcp.ts";
import { commitToMain, detailOf, resetMain, waitingRequest } from "../kit/requests.ts";
import {
  auditOf,
  decide,
  eventsOf,
  isPushed,
  outputsOf,
  propose,
  requestsOf,
  stopAt,
  sweepOnce,
  topic,
  violations,
  type Request,
} from "../kit/runs.ts";
import { FILES, startWorld, type Role, type World } from "../kit/world.ts";

let world: World;
let start: string;
beforeAll(async () => {
  // The target moves in these tests: what was known of it a moment ago is never taken.
  world = await startWorld({ gitLimits: { headTtlMs: 0 } });
  start = commitToMain(world, "NOTES.md", "begin\n");
});
afterEach(() => {
  setFaultPlan(undefined);
  Object.assign(world.git.switches, { refusePushWith: null, delayMs: 0 });
  resetMain(world, start);
});
afterAll(() => world.stop());

/** Another change of the very file the proposals are about, which leaves their place as it is. */
const touched = `// checked\n${FILES["src/discount.ts"] ?? ""}`;
/** One that leaves nothing of it. */
const rewritten = "export const discount = 1;\n";

const view = (role: Role, id: string) => approvals.view(world.as(role), [world.workspaceId], id, world.deps.vault);
/** Somebody opens the page a minute later, and the job that asks for runs. */
const look = async (id: string): Promise<void> => {
  await world.shift(61);
  const { jobId } = await view("approver", id);
  if (jobId === null) throw new Error("a look at the target expected");
  await runJob(jobsOf(world), jobId);
};
const again = (role: Role, id: string) =>
  approvals.requestAgain(world.as(role), role === "global" ? [] : [world.workspaceId], id);
const waiting = () => waitingRequest(world);
const staleRequest = async (content = touched) => {
  const made = await waiting();
  commitToMain(world, "src/discount.ts", content);
  await look(made.request.id);
  return made;
};
const last = async (runId: string): Promise<Request> => {
  const found = (await requestsOf(world, runId)).at(-1);
  if (found === undefined) throw new Error("a request expected");
  return found;
};

describe("drift (APR-19)", () => {
  test("APR-19 a look finds the target changed: the request is stale, told and audited once, and cannot be approved; when the target is back it can", async () => {
    const { runId, request } = await staleRequest();
    const stale = await detailOf(world, "approver", request.id);
    expect(stale).toMatchObject({
      status: "pending",
      stale: true,
      decidable: false,
      notDecidable: "stale",
      mayRequestAgain: true,
    });
    expect(stale.staleReason).toContain("src/discount.ts");
    expect(stale.drift).toEqual({ code: "files_changed", facts: { files: "src/discount.ts" } });
    await look(request.id);
    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "stale" });
    expect((await auditOf(world, runId)).filter((e) => e === "approval.stale")).toHaveLength(1);
    const told = (await eventsOf(world, runId)).filter((e) => e.type === "approval.changed");
    expect(told.map((e) => [e.data["status"], e.data["stale"]])).toEqual([["pending", true]]);
    expect(await world.row(runId)).toMatchObject({ status: "waiting_approval" });

    resetMain(world, start);
    await look(request.id);
    expect(await detailOf(world, "approver", request.id)).toMatchObject({
      stale: false,
      staleReason: null,
      drift: null,
      decidable: true,
    });
    expect((await auditOf(world, runId)).filter((e) => e === "approval.current_again")).toHaveLength(1);
    await decide(world, "approver", request, "approved");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(isPushed(world, request)).toBe(true);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-19 APR-6 a stale request can still be rejected, alone or with its run: the model gets the reason, nothing is executed, and nobody can put it forward again", async () => {
    for (const endRun of [false, true]) {
      const { runId, request } = await staleRequest();
      await decide(world, "approver", request, "rejected", { reason: "the new text is better", endRun });
      expect(await world.drive(runId)).toMatchObject({
        status: "completed",
        end_reason: endRun ? "rejected" : "answered",
      });
      expect(await requestsOf(world, runId)).toMatchObject([{ status: "rejected" }]);
      if (!endRun) expect((await outputsOf(world, runId))[0]).toMatch(/rejected.*the new text is better/s);
      expect(await detailOf(world, "approver", request.id)).toMatchObject({
        decisionReason: "the new text is better",
        mayRequestAgain: false,
      });
      await expect(again("member", request.id)).rejects.toMatchObject({ code: "not_renewable" });
      expect(isPushed(world, request)).toBe(false);
      expect(await violations(world, [runId])).toEqual([]);
      resetMain(world, start);
    }
  });

  test("APR-19 who opens the page causes at most one look a minute, and a look leaves no job behind", async () => {
    const { runId, request } = await waiting();
    expect((await view("approver", request.id)).jobId).toBeNull();
    await world.shift(61);
    const jobs = (await Promise.all([1, 2, 3, 4].map(() => view("approver", request.id)))).map((v) => v.jobId);
    const [jobId, more] = jobs.filter((id) => id !== null);
    expect(more).toBeUndefined();
    await Promise.all([1, 2].map(() => runJob(jobsOf(world), jobId ?? "")));
    expect((await view("approver", request.id)).jobId).toBeNull();
    expect((await detailOf(world, "approver", request.id)).checkedAt).not.toBeNull();
    expect(await world.admin.sql`select 1 from jobs where kind = 'approval_check'`).toHaveLength(0);
    await decide(world, "approver", request, "rejected");
    await world.shift(61);
    expect((await view("approver", request.id)).jobId).toBeNull();
    await world.drive(runId);
  });

  test("APR-19 a target that cannot be asked says nothing: no flag, no lifted flag", async () => {
    const flag = async (id: string): Promise<unknown> => {
      const { stale, staleReason } = await detailOf(world, "approver", id);
      return { stale, staleReason };
    };
    const unheard = async (id: string): Promise<void> => {
      setFaultPlan({ rules: [{ at: "check.look:before", act: "throw" }] });
      await look(id);
      setFaultPlan(undefined);
    };
    const { runId, request } = await staleRequest();
    const before = await flag(request.id);
    // The target is back: whoever could ask would lift the flag.
    resetMain(world, start);
    await unheard(request.id);
    expect(await flag(request.id)).toEqual(before);
    await decide(world, "approver", request, "rejected");
    await world.drive(runId);

    const other = await waiting();
    commitToMain(world, "src/discount.ts", touched);
    await unheard(other.request.id);
    expect(await flag(other.request.id)).toEqual({ stale: false, staleReason: null });
    await decide(world, "approver", other.request, "rejected");
    await world.drive(other.runId);
  });

  test("APR-19 the sweeper looks too: those longest not looked at first, at most twenty a round, each at most every five minutes", async () => {
    const many = await Promise.all(Array.from({ length: 3 }, waiting));
    const ids = many.map((m) => m.request.id);
    expect(await approvals.openChecks(world.deps.db)).toEqual([]);
    await world.shift(301);
    const [first] = ids;
    await world.admin
      .sql`update approvals set check_asked_at = aiw_now() - interval '2 days' where id = ${first ?? ""}`;
    const opened = await Promise.all([approvals.openChecks(world.deps.db), approvals.openChecks(world.deps.db)]);
    const subjects = await world.admin.sql<
      { id: string; subject_id: string }[]
    >`select id, subject_id from jobs where kind = 'approval_check' order by id`;
    expect(new Set(opened.flat()).size).toBe(opened.flat().length);
    expect(subjects[0]?.subject_id).toBe(first);
    expect(subjects.map((s) => s.subject_id).toSorted()).toEqual(ids.toSorted());
    commitToMain(world, "src/discount.ts", touched);
    for (const { id } of subjects) await runJob(jobsOf(world), id);
    expect(await approvals.openChecks(world.deps.db)).toEqual([]);
    for (const { request, runId } of many) {
      expect(await detailOf(world, "approver", request.id)).toMatchObject({ stale: true });
      await decide(world, "approver", request, "rejected");
      await world.drive(runId);
    }
  });
});

describe("prepare again (APR-19)", () => {
  test("APR-19 a stale request is prepared anew by its own run: the old one ends and its successor opens at once, seen side by side; what is approved then is pushed", async () => {
    const { runId, request } = await staleRequest();
    const moved = commitToMain(world, "src/discount.ts", `// twice\n${touched}`);
    await expect(again("outsider", request.id)).rejects.toMatchObject({ code: "not_found" });
    await again("member", request.id);
    expect(await detailOf(world, "approver", request.id)).toMatchObject({ preparing: true, mayRequestAgain: false });
    expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
    const [old, successor] = await requestsOf(world, runId);
    expect(old).toMatchObject({ id: request.id, status: "invalid", invalid_reason: "stale" });
    expect(successor).toMatchObject({ status: "pending", args_text: request.args_text, call_id: request.call_id });
    const shown = await detailOf(world, "approver", successor?.id ?? "");
    expect(shown).toMatchObject({
      predecessorId: request.id,
      preconditions: { base: moved },
      stale: false,
      decidable: true,
      siblings: [],
    });
    expect(shown.predecessor).toMatchObject({
      id: request.id,
      args: request.args_text,
      preconditions: { base: start },
    });
    expect(shown.predecessor?.preview.files?.[0]?.diff).not.toBe(shown.preview.files?.[0]?.diff);
    expect(await detailOf(world, "approver", request.id)).toMatchObject({
      successorId: successor?.id,
      mayRequestAgain: false,
    });

    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "invalid" });
    if (successor === undefined) throw new Error("a successor expected");
    await decide(world, "approver", successor, "approved");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(isPushed(world, successor)).toBe(true);
    expect(isPushed(world, request)).toBe(false);
    const audit = await auditOf(world, runId);
    for (const event of ["approval.requested_again", "approval.invalid", "approval.executed"])
      expect(audit).toContain(event);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-19 two clicks at once, and clicks while it is under way, make one successor", async () => {
    const { runId, request } = await staleRequest();
    const clicks = await Promise.all([1, 2, 3].map(() => again("approver", request.id)));
    expect(clicks.filter((c) => c.ring)).toHaveLength(1);
    await again("owner", request.id);
    await Promise.all([world.drive(runId), world.drive(runId)]);
    await world.drive(runId);
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["invalid", "pending"]);
    await expect(again("member", request.id)).rejects.toMatchObject({ code: "not_renewable" });
    expect((await auditOf(world, runId)).filter((e) => e === "approval.requested_again")).toHaveLength(1);
    await decide(world, "approver", await last(runId), "rejected");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await violations(world, [runId])).toEqual([]);
  });

  test.each(["rejected", "cancelled", "expired"] as const)(
    "APR-19 I7 a request that is %s while its successor is prepared keeps that end, and no successor opens",
    async (end) => {
      const { runId, request } = await staleRequest();
      await again("member", request.id);
      const stopped = await stopAt("run.commit:before", 1, () => world.stepOnce(runId));
      expect(stopped).toBe(true);
      // The one that hangs is gone; what another person did meanwhile stands.
      if (end === "rejected") await decide(world, "approver", request, "rejected", { reason: "no longer wanted" });
      if (end === "cancelled")
        await world.admin.sql`update approvals set status = 'cancelled', ended_at = aiw_now() where id = ${request.id}`;
      await world.shift(end === "expired" ? 86_401 : 31);
      await sweepOnce(world);
      await world.drive(runId);
      expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual([end]);
      expect(await world.row(runId)).toMatchObject({ status: "completed" });
    },
  );

  test("APR-19 I7 a rejection that comes while the successor is about to be stored wins, whichever is first", async () => {
    for (let n = 0; n < 6; n += 1) {
      const { runId, request } = await staleRequest();
      await again("member", request.id);
      const [, rejection] = await Promise.allSettled([
        world.stepOnce(runId),
        new Promise((resolve) => setTimeout(resolve, n * 12)).then(() =>
          decide(world, "approver", request, "rejected"),
        ),
      ]);
      await world.drive(runId);
      const made = await requestsOf(world, runId);
      if (rejection?.status === "fulfilled") expect(made.map((r) => r.status)).toEqual(["rejected"]);
      else {
        expect(made.map((r) => r.status)).toEqual(["invalid", "pending"]);
        await decide(world, "approver", await last(runId), "rejected");
        await world.drive(runId);
      }
      expect(await violations(world, [runId])).toEqual([]);
      resetMain(world, start);
    }
  });

  test("APR-19 what no longer fits the target ends with the reason, and the model is told", async () => {
    const { runId, request } = await staleRequest(rewritten);
    await again("member", request.id);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await requestsOf(world, runId)).toMatchObject([
      { id: request.id, status: "invalid", invalid_reason: "stale" },
    ]);
    expect((await outputsOf(world, runId))[0]).toMatch(/invalid: .*cannot be prepared again/s);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-19 a target that cannot be asked leaves the request open, to be prepared again later", async () => {
    const { runId, request } = await staleRequest();
    await again("member", request.id);
    setFaultPlan({ rules: [{ at: "again.pin:before", act: "throw" }] });
    expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
    setFaultPlan(undefined);
    expect(await detailOf(world, "member", request.id)).toMatchObject({
      status: "pending",
      stale: true,
      preparing: false,
      mayRequestAgain: true,
    });
    await again("member", request.id);
    await world.drive(runId);
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["invalid", "pending"]);
    await decide(world, "approver", await last(runId), "rejected");
    await world.drive(runId);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-19 F48 prepared again under looser rules it is still a person who decides; under a denying rule it ends", async () => {
    const one = await staleRequest();
    const two = await waiting();
    await look(two.request.id);
    await world.admin.sql`update tools set decision = 'allow' where id = 'git.propose_change'`;
    await again("member", one.request.id);
    await world.drive(one.runId);
    expect((await requestsOf(world, one.runId)).map((r) => [r.status, r.allowed_by_policy])).toEqual([
      ["invalid", false],
      ["pending", false],
    ]);
    await world.admin.sql`update tools set decision = null where id = 'git.propose_change'`;
    await decide(world, "approver", await last(one.runId), "rejected");
    await world.drive(one.runId);
    await world.admin
      .sql`insert into tool_policies (workspace_id, level, pattern, decision) values (${world.workspaceId}, 'workspace', 'git', 'deny')`;
    commitToMain(world, "src/discount.ts", `// thrice\n${touched}`);
    await look(two.request.id);
    await again("member", two.request.id);
    await world.drive(two.runId);
    expect(await requestsOf(world, two.runId)).toMatchObject([{ status: "invalid", invalid_reason: "superseded" }]);
    await world.admin.sql`delete from tool_policies where workspace_id = ${world.workspaceId}`;
    expect(await violations(world, [one.runId, two.runId])).toEqual([]);
  });

  test("APR-19 one of two requests of a turn is prepared again: the other waits untouched, and the order of writes stays", async () => {
    const t = topic();
    world.script.push(
      t,
      { calls: [propose("total >= 77001"), propose("hi", "hello", "src/greeting.ts")] },
      { text: "done" },
    );
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const [first, second] = await requestsOf(world, runId);
    if (first === undefined || second === undefined) throw new Error("two requests expected");
    commitToMain(world, "src/discount.ts", touched);
    await look(first.id);
    await decide(world, "approver", second, "approved");
    await again("member", first.id);
    expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["invalid", "pending", "approved"]);
    const successor = (await requestsOf(world, runId))[1];
    if (successor === undefined) throw new Error("a successor expected");
    await decide(world, "approver", successor, "approved");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["invalid", "executed", "executed"]);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-19 a request that ended because its target changed is put forward again by a new run; a rejected one is not", async () => {
    const { runId, request } = await waiting();
    await decide(world, "approver", request, "approved");
    commitToMain(world, "src/discount.ts", touched);
    await world.drive(runId);
    expect(await requestsOf(world, runId)).toMatchObject([{ status: "invalid", invalid_reason: "stale" }]);
    expect(await detailOf(world, "approver", request.id)).toMatchObject({ mayRequestAgain: true });
    const { runId: next } = await again("member", request.id);
    expect(await world.drive(next)).toMatchObject({ status: "waiting_approval" });
    const successor = await last(next);
    expect((await detailOf(world, "approver", successor.id)).predecessor).toMatchObject({ id: request.id });
    await decide(world, "approver", successor, "rejected");
    await world.drive(next);
    await expect(again("member", successor.id)).rejects.toMatchObject({ code: "not_renewable" });
    expect(await violations(world, [runId, next])).toEqual([]);
  });
});

describe("told at the click (APR-3, F48)", () => {
  const sql = (strings: TemplateStringsArray, ...values: string[]) => world.admin.sql(strings, ...values);
  const rule = (set: string) => () =>
    world.admin.sql
      .unsafe(`insert into tool_policies (workspace_id, level, pattern, decision, approval_level, four_eyes, condition)
      values ('${world.workspaceId}', 'workspace', 'git', ${set})`);
  const noRule = () => sql`delete from tool_policies where workspace_id = ${world.workspaceId}`;
  const tool = (set: string) => () => world.admin.sql.unsafe(`update tools set ${set} where id = 'git.propose_change'`);
  test.each([
    ["a rule denies the tool now", rule("'deny', null, null, null"), noRule],
    ["a rule demands a higher level now", rule("'approve', 'global_approver', null, null"), noRule],
    [
      "a rule with a condition that holds demands four eyes now",
      rule("'approve', null, true, 'param.title == \"Change src/discount.ts\"'"),
      noRule,
    ],
    ["the tool was unclassified", tool("risk_class = null"), tool("risk_class = 'write_external'")],
    [
      "the chat was put into plan mode",
      () => sql`update chats set mode = 'plan'`,
      () => sql`update chats set mode = 'work'`,
    ],
  ] as const)(
    "F48 F49 %s: the approver is told at once, the request is invalid, nothing runs",
    async (_, change, undo) => {
      const { runId, request } = await waiting();
      expect((await view("approver", request.id)).item).toMatchObject({ decidable: true, overtaken: null });
      await change();
      // Said on the page before the click, to those who could click.
      expect((await view("approver", request.id)).item).toMatchObject({ decidable: true, overtaken: "superseded" });
      expect((await view("member", request.id)).item).toMatchObject({ decidable: false, overtaken: null });
      await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "invalid" });
      expect(await requestsOf(world, runId)).toMatchObject([
        { status: "invalid", invalid_reason: "superseded", decided_by: null },
      ]);
      expect(await world.drive(runId)).toMatchObject({ status: "completed" });
      await undo();
      expect(isPushed(world, request)).toBe(false);
      expect(await violations(world, [runId])).toEqual([]);
    },
  );

  test("F48 whoever may not decide ends nothing by clicking, a rule whose condition does not hold changes nothing", async () => {
    const { runId, request } = await waiting();
    await rule("'approve', null, true, 'param.title == \"Something else\"'")();
    await world.admin.sql`update chats set mode = 'plan'`;
    await expect(decide(world, "member", request, "approved")).rejects.toMatchObject({ code: "approver_missing" });
    expect(await requestsOf(world, runId)).toMatchObject([{ status: "pending" }]);
    await world.admin.sql`update chats set mode = 'work'`;
    await decide(world, "approver", request, "approved");
    await noRule();
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(isPushed(world, request)).toBe(true);
  });
});
