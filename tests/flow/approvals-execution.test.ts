import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as sources from "@aiw/core/sources";
import { runGit } from "@aiw/infra/local/git-command";
import { setFaultPlan } from "@aiw/platform/fault";
import {
  aiRefs,
  auditOf,
  branchOf,
  decide,
  eventually,
  isPushed,
  onlyRequest,
  outputsOf,
  propose,
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

const commitToMain = (path: string, content: string): void => {
  const head = runGit(["-C", world.repository.directory, "rev-parse", "refs/heads/main"]).toString().trim();
  const data = `data ${Buffer.byteLength(content)}\n${content}\n`;
  runGit(
    ["-C", world.repository.directory, "fast-import", "--quiet"],
    `commit refs/heads/main\ncommitter Maintainer <maintainer@example.com> 1790002000 +0000\ndata 4\nmore\nfrom ${head}\nM 100644 inline ${path}\n${data}\n`,
  );
};

describe("checked again before execution (APR-3)", () => {
  interface Change {
    readonly name: string;
    readonly reason: "superseded" | "lapsed" | "stale";
    readonly by?: Role;
    readonly change: () => Promise<unknown>;
    readonly undo: () => Promise<unknown>;
  }
  const sql = (strings: TemplateStringsArray, ...values: string[]) => world.admin.sql(strings, ...values);
  const tool = (set: string) => () => world.admin.sql.unsafe(`update tools set ${set} where id = 'git.propose_change'`);
  const rules = () => sql`delete from tool_policies where workspace_id = ${world.workspaceId}`;
  const changes: readonly Change[] = [
    {
      name: "F48 a rule denies the tool now",
      reason: "superseded",
      change: () =>
        sql`insert into tool_policies (workspace_id, level, pattern, decision) values (${world.workspaceId}, 'workspace', 'git', 'deny')`,
      undo: rules,
    },
    {
      name: "F48 a rule demands a higher level now",
      reason: "superseded",
      change: () =>
        sql`insert into tool_policies (workspace_id, level, pattern, decision, approval_level) values (${world.workspaceId}, 'workspace', 'git', 'approve', 'global_approver')`,
      undo: rules,
    },
    {
      name: "F48 a rule demands four eyes now",
      reason: "superseded",
      change: () =>
        sql`insert into tool_policies (workspace_id, level, pattern, decision, four_eyes) values (${world.workspaceId}, 'workspace', 'git', 'approve', true)`,
      undo: rules,
    },
    {
      name: "F48 the chat was put into plan mode",
      reason: "superseded",
      change: () => sql`update chats set mode = 'plan'`,
      undo: () => sql`update chats set mode = 'work'`,
    },
    {
      name: "F49 the tool was unclassified",
      reason: "superseded",
      change: tool("risk_class = null"),
      undo: tool("risk_class = 'write_external'"),
    },
    {
      name: "F49 the tool was classified destructive",
      reason: "superseded",
      change: tool("risk_class = 'destructive'"),
      undo: tool("risk_class = 'write_external'"),
    },
    {
      name: "F49 the tool's definition changed",
      reason: "superseded",
      change: tool("definition_hash = 'x' || definition_hash"),
      undo: tool("definition_hash = substr(definition_hash, 2)"),
    },
    {
      name: "POL-9 the tool was switched off in the workspace",
      reason: "superseded",
      change: () =>
        sql`insert into workspace_tools (workspace_id, tool_id, active) values (${world.workspaceId}, 'git.propose_change', false)`,
      undo: () => sql`delete from workspace_tools`,
    },
    {
      name: "F50 the approver lost the role",
      reason: "superseded",
      change: () => sql`update memberships set role = 'member' where user_id = ${world.people.approver.userId}`,
      undo: () => sql`update memberships set role = 'approver' where user_id = ${world.people.approver.userId}`,
    },
    {
      name: "F50 the approver left the workspace",
      reason: "superseded",
      change: () => sql`delete from memberships where user_id = ${world.people.approver.userId}`,
      undo: () =>
        sql`insert into memberships (workspace_id, user_id, role) values (${world.workspaceId}, ${world.people.approver.userId}, 'approver')`,
    },
    {
      name: "F50 the approver was disabled",
      reason: "superseded",
      change: () => sql`update users set disabled_at = now() where id = ${world.people.approver.userId}`,
      undo: () => sql`update users set disabled_at = null`,
    },
    {
      name: "F45 the time to execute is over",
      reason: "lapsed",
      change: () => world.shift(901),
      undo: () => Promise.resolve(),
    },
  ];
  test.each(changes)(
    "APR-3 $name: invalid, nothing pushed, the model is told, the run goes on",
    async ({ reason, change, undo }) => {
      const { runId, request } = await approved();
      await change();
      const row = await world.drive(runId);
      await undo();
      expect(row).toMatchObject({ status: "completed", end_reason: "answered" });
      expect(await onlyRequest(world, runId)).toMatchObject({ status: "invalid", invalid_reason: reason, attempt: 0 });
      expect((await outputsOf(world, runId))[0]).toMatch(/^invalid: /);
      expect(await auditOf(world, runId)).toContain("approval.invalid");
      expect(isPushed(world, request)).toBe(false);
      expect(await violations(world, [runId])).toEqual([]);
    },
  );

  test.each([
    [
      "left the workspace",
      () => world.admin.sql`delete from memberships where user_id = ${world.people.member.userId}`,
      () =>
        world.admin
          .sql`insert into memberships (workspace_id, user_id, role) values (${world.workspaceId}, ${world.people.member.userId}, 'member')`,
    ],
    [
      "was disabled",
      () => world.admin.sql`update users set disabled_at = now() where id = ${world.people.member.userId}`,
      () => world.admin.sql`update users set disabled_at = null where id = ${world.people.member.userId}`,
    ],
  ] as const)(
    "F51 APR-3 the requester %s: not executed, the request is void, the run stops with the reason",
    async (_name, change, undo) => {
      const { runId, request } = await approved();
      await change();
      const row = await world.drive(runId);
      await undo();
      expect(row).toMatchObject({ status: "failed", error_code: "requester_gone" });
      expect(await onlyRequest(world, runId)).toMatchObject({
        status: "invalid",
        invalid_reason: "superseded",
        attempt: 0,
      });
      expect(isPushed(world, request)).toBe(false);
      expect(await violations(world, [runId])).toEqual([]);
    },
  );

  test("APR-3 the requester who lost the right between the step's look and the claim is found by the claim itself", async () => {
    const { runId, request } = await approved();
    setFaultPlan({ rules: [{ at: "tool.claim:before", act: "delay", ms: 400 }] });
    const stepping = world.stepOnce(runId);
    await eventually(async () => ((await world.row(runId)).status === "running" ? true : undefined));
    await world.admin.sql`delete from memberships where user_id = ${world.people.member.userId}`;
    await stepping;
    await world.admin
      .sql`insert into memberships (workspace_id, user_id, role) values (${world.workspaceId}, ${world.people.member.userId}, 'member')`;
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "invalid", invalid_reason: "superseded" });
    expect(isPushed(world, request)).toBe(false);
    await world.drive(runId);
  });

  test("F48 APR-3 a looser policy changes nothing: what was asked stays asked, what was approved is executed", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 1999")] }, { text: "I see." });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    await world.admin.sql`update tools set decision = 'allow' where id = 'git.propose_change'`;
    await sweepOnce(world);
    expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
    await decide(world, "approver", await onlyRequest(world, runId), "approved");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    await world.admin.sql`update tools set decision = null where id = 'git.propose_change'`;
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed", allowed_by_policy: false });
  });

  test("F61 APR-3 a removed source takes its requests with it at once", async () => {
    const other = await startWorld();
    try {
      const t = topic();
      other.script.push(t, { calls: [propose("total >= 3")] }, { text: "I see." });
      const { runId } = await other.ask(t);
      await other.drive(runId);
      const request = await onlyRequest(other, runId);
      await decide(other, "approver", request, "approved");
      await sources.remove(await other.member("owner"), other.sourceId);
      expect(await other.drive(runId)).toMatchObject({ status: "completed" });
      expect(await onlyRequest(other, runId)).toMatchObject({
        status: "invalid",
        invalid_reason: "superseded",
        attempt: 0,
      });
      expect(isPushed(other, request)).toBe(false);
      expect(await violations(other, [runId])).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  test("F26 APR-3 the target changed the same file since: invalid (stale), never forced; another file does not matter", async () => {
    const first = await approved();
    const second = await approved();
    commitToMain("OTHER.md", "new\n");
    expect(await world.drive(first.runId)).toMatchObject({ status: "completed" });
    expect(await onlyRequest(world, first.runId)).toMatchObject({ status: "executed" });
    commitToMain("src/discount.ts", "export const discount = (total: number): number => (total > 100 ? 0.2 : 0);\n");
    expect(await world.drive(second.runId)).toMatchObject({ status: "completed" });
    expect(await onlyRequest(world, second.runId)).toMatchObject({ status: "invalid", invalid_reason: "stale" });
    expect(isPushed(world, second.request)).toBe(false);
    commitToMain("src/discount.ts", "export const discount = (total: number): number => (total > 100 ? 0.1 : 0);\n");
  });

  test("F25 the branch stands already with another commit: invalid (stale), the branch is not touched", async () => {
    const { runId, request } = await approved();
    const main = runGit(["-C", world.repository.directory, "rev-parse", "refs/heads/main"]).toString().trim();
    runGit(["-C", world.repository.directory, "update-ref", branchOf(request).branch, main]);
    await world.drive(runId);
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "invalid", invalid_reason: "stale" });
    expect(aiRefs(world).get(branchOf(request).branch)).toBe(main);
    runGit(["-C", world.repository.directory, "update-ref", "-d", branchOf(request).branch]);
  });

  test("F24 a push that the server declines is failed with the server's words, as data; the run goes on", async () => {
    const { runId, request } = await approved();
    world.git.switches.refusePushWith = 403;
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "failed" });
    expect((await outputsOf(world, runId))[0]).toMatch(/^<<<untrusted [\s\S]*error: [\s\S]*<<<end untrusted>>>$/);
    expect(isPushed(world, request)).toBe(false);
    expect(await violations(world, [runId])).toEqual([]);
  });
});
