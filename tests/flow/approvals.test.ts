import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as approvals from "@aiw/core/approvals";
import { runGit } from "@aiw/infra/local/git-command";
import { sqlState } from "@aiw/platform/db";
import { sha256Hex } from "@aiw/policy/freeze";
import {
  aiRefs,
  auditOf,
  branchOf,
  decide,
  isPushed,
  onlyRequest,
  outputsOf,
  propose,
  requestsOf,
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

describe("what is asked (APR-1)", () => {
  test("APR-1 the request carries requester, source, tool, arguments, real diff, the model's words apart, preconditions, class, level and expiry", async () => {
    const { request, runId } = await waiting();
    const detail = await detailOf("approver", request.id);
    expect(detail).toMatchObject({
      tool: "git.propose_change",
      sourceName: "orders",
      riskClass: "write_external",
      level: "workspace_admin",
      fourEyes: false,
      status: "pending",
      modelNote: "I propose this.",
      runId,
      requester: { name: "member" },
      decidable: true,
      explanation: { code: "class_write_external" },
    });
    expect(detail.preview.files?.[0]?.diff).toContain(
      `+export const discount = (total: number): number => (total >= ${counter} ? 0.1 : 0);`,
    );
    expect(detail.preconditions).toMatchObject({ target: "refs/heads/main" });
    const left = Date.parse(detail.expiresAt ?? "") - Date.parse(detail.createdAt);
    expect(Math.round(left / 1000)).toBe(86_400);
    expect(detail.argsHash).toBe(sha256Hex(detail.args));
  });
});

describe("frozen (APR-2)", () => {
  test("APR-2 N23 shown hash = decided hash = executed hash, and the commit on the server is the one that was shown", async () => {
    const { request, runId } = await waiting();
    const shown = await detailOf("approver", request.id);
    await decide(world, "approver", request, "approved");
    await world.drive(runId);
    const after = await detailOf("approver", request.id);
    expect(after).toMatchObject({
      status: "executed",
      snapshotHash: shown.snapshotHash,
      executedHash: shown.snapshotHash,
      args: shown.args,
    });
    const { branch, commit } = branchOf(request);
    expect(aiRefs(world).get(branch)).toBe(commit);
    const diff = runGit(["-C", world.repository.directory, "show", "--format=", commit]).toString();
    for (const line of (shown.preview.files?.[0]?.diff ?? "").split("\n").filter((l) => /^[+-][^+-]/.test(l)))
      expect(diff).toContain(line);
    const [vote] = await world.admin.sql`select seen_hash from approval_votes where approval_id = ${request.id}`;
    expect(vote?.["seen_hash"]).toBe(shown.snapshotHash);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-2 the arguments are the canonical text: what the model wrote with spaces, escapes and 1.0 is stored, shown and hashed in one form", async () => {
    const t = topic();
    const args = `{ "files":[{"replacements":[{"replace":"total >= 7\\u0037 /* \\u00e9 */","find":"total > 100"}],"path":"src/discount.ts"}],\n "title":"T", "description":"D" }`;
    world.script.push(t, { calls: [{ name: "propose_change", arguments: args }] });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    expect(request.args_text).toBe(
      '{"description":"D","files":[{"path":"src/discount.ts","replacements":[{"find":"total > 100","replace":"total >= 77 /* é */"}]}],"title":"T"}',
    );
    const [call] = await world.admin.sql`select args_text, args_sha256 from tool_calls where run_id = ${runId}`;
    expect(call).toEqual({ args_text: request.args_text, args_sha256: sha256Hex(request.args_text) });
  });

  const FROZEN = ["snapshot", "snapshot_hash", "args_text", "form", "preview", "preconditions", "tool_id"] as const;
  test.each(FROZEN)("N31 the database refuses to change %s of a request", async (column) => {
    const { request } = await waiting();
    const change = world.admin
      .sql`update approvals set ${world.admin.sql(column)} = ${world.admin.sql(column)} || 'x' where id = ${request.id}`;
    expect(
      sqlState(
        await change.then(
          () => null,
          (e: unknown) => e,
        ),
      ),
    ).toBe("AIW02");
  });

  const FLIPS: Readonly<Record<string, string>> = {
    tool_id: "'git.read_file'",
    args_text: "replace(args_text, 'total >=', 'total <=')",
    form: "replace(form, 'total >=', 'total <=')",
    preview: "replace(preview, 'total >=', 'total <=')",
    preconditions: `'{"target":"refs/heads/other"}'`,
    broken_preconditions: "'{'",
    definition_hash: "repeat('0', 64)",
    policy_version: "policy_version + 1",
    level: "'global_approver'",
    four_eyes: "true",
    requester_id: "(select id from users where name = 'approver2')",
    call_id: "call_id || 'x'",
    form_version: "form_version + 1",
    source_id: "null",
    snapshot_hash: "repeat('0', 64)",
    snapshot: "snapshot || ' '",
  };
  test.each(Object.keys(FLIPS))(
    "N31 N34 a request whose %s was changed behind the platform's back is not executed; the tampering is audited",
    async (name) => {
      const { request, runId } = await waiting();
      await decide(world, "approver", request, "approved");
      const column = name.replace("broken_", "");
      await world.admin.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await tx.unsafe(`update approvals set ${column} = ${FLIPS[name] ?? "null"} where id = '${request.id}'`);
      });
      expect(await world.drive(runId)).toMatchObject({ status: "completed" });
      expect(await onlyRequest(world, runId)).toMatchObject({
        status: "invalid",
        invalid_reason: "tampered",
        attempt: 0,
      });
      expect(await auditOf(world, runId)).toContain("approval.tampered");
      expect(isPushed(world, request)).toBe(false);
      expect((await outputsOf(world, runId))[0]).toMatch(/^invalid: .*does not match its hash/);
    },
  );

  test("N33 an approval counts for its own call alone: the same arguments in another run are another request with another hash", async () => {
    const t = topic();
    const u = topic();
    for (const name of [t, u]) world.script.push(name, { calls: [propose("total >= 9999")] }, { text: "done" });
    const [one, two] = [await world.ask(t), await world.ask(u)];
    await world.drive(one.runId);
    await world.drive(two.runId);
    const [first, second] = [await onlyRequest(world, one.runId), await onlyRequest(world, two.runId)];
    expect(first.args_text).toBe(second.args_text);
    expect(first.snapshot_hash).not.toBe(second.snapshot_hash);
    await expect(
      decide(world, "approver", second, "approved", { seenHash: first.snapshot_hash }),
    ).rejects.toMatchObject({ code: "stale" });
    await decide(world, "approver", first, "approved");
    expect(await world.drive(one.runId)).toMatchObject({ status: "completed" });
    expect(await world.row(two.runId)).toMatchObject({ status: "waiting_approval" });
    expect(isPushed(world, second)).toBe(false);
  });
});

describe("who decides (APR-5)", () => {
  test("APR-5 a member may not, an outsider sees nothing, approver and admin may; the refusal is audited", async () => {
    const { request, runId } = await waiting("owner");
    await expect(decide(world, "member", request, "approved")).rejects.toMatchObject({ code: "approver_missing" });
    await expect(decide(world, "outsider", request, "approved")).rejects.toMatchObject({ code: "not_found" });
    await expect(decide(world, "global", request, "approved")).rejects.toMatchObject({ code: "not_found" });
    await expect(decide(world, "admin", request, "approved")).rejects.toMatchObject({ code: "not_found" });
    expect(await auditOf(world, runId)).toContain("authorization.denied");
    await decide(world, "approver", request, "approved");
    const second = await waiting();
    await decide(world, "owner", second.request, "approved");
    expect(await onlyRequest(world, second.runId)).toMatchObject({
      status: "approved",
      decided_by: world.people.owner.userId,
    });
  });

  test("APR-5 level global_approver: only global approvers, without membership; workspace admins cannot", async () => {
    await world.admin.sql`update tools set level = 'global_approver' where id = 'git.propose_change'`;
    const { request, runId } = await waiting();
    await world.admin.sql`update tools set level = 'workspace_admin' where id = 'git.propose_change'`;
    await expect(decide(world, "owner", request, "approved")).rejects.toMatchObject({ code: "approver_missing" });
    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "approver_missing" });
    expect((await approvals.list(world.as("global"), [], {})).items.map((a) => a.id)).toContain(request.id);
    expect(await detailOf("global", request.id)).toMatchObject({ decidable: true });
    await decide(world, "global", request, "approved");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(isPushed(world, request)).toBe(true);
  });

  test("APR-5 F52 four eyes: never the requester, not even after a change of role", async () => {
    await world.admin.sql`update tools set four_eyes = true where id = 'git.propose_change'`;
    const { request, runId } = await waiting("approver");
    await world.admin.sql`update tools set four_eyes = false where id = 'git.propose_change'`;
    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "four_eyes" });
    await expect(decide(world, "approver", request, "rejected")).rejects.toMatchObject({ code: "four_eyes" });
    await world.admin
      .sql`update memberships set role = 'admin' where workspace_id = ${world.workspaceId} and user_id = ${world.people.approver.userId}`;
    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "four_eyes" });
    await world.admin
      .sql`update memberships set role = 'approver' where workspace_id = ${world.workspaceId} and user_id = ${world.people.approver.userId}`;
    await decide(world, "approver2", request, "approved");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
  });

  test("APR-5 self-approval is allowed and marked in vote, audit and view", async () => {
    const { request, runId } = await waiting("approver");
    await decide(world, "approver", request, "approved");
    const [vote] = await world.admin.sql`select self_approval from approval_votes where approval_id = ${request.id}`;
    expect(vote).toEqual({ self_approval: true });
    const [audit] = await world.admin.sql<
      { data: Record<string, unknown> }[]
    >`select data from audit_events where run_id = ${runId} and event = 'approval.granted'`;
    expect(audit?.data).toMatchObject({ selfApproval: true });
    expect(await detailOf("approver2", request.id)).toMatchObject({ selfApproval: true });
  });
});

test("APR-11 AUD-1 proposal, decision and execution stand in the audit log with source approval", async () => {
  const { request, runId } = await waiting();
  await decide(world, "approver", request, "approved");
  await world.drive(runId);
  const rows = await world.admin.sql<{ event: string; source: string; actor_kind: string }[]>`
    select event, source, actor_kind from audit_events where object_kind = 'approval' and object_id = ${request.id} order by id`;
  expect([...rows]).toEqual([
    { event: "approval.staged", source: "approval", actor_kind: "agent" },
    { event: "approval.granted", source: "approval", actor_kind: "human" },
    { event: "approval.executing", source: "approval", actor_kind: "agent" },
    { event: "approval.executed", source: "approval", actor_kind: "agent" },
  ]);
  expect(await violations(world, [runId])).toEqual([]);
});

test("APR-22 F54 nothing but its own request lets a call through: the next identical call asks again", async () => {
  const t = topic();
  const call = {
    name: "propose_change",
    arguments: { title: "T", description: "D", files: [{ path: "new.txt", content: "x\n" }] },
  };
  world.script.push(
    t,
    { calls: [call] },
    { calls: [{ ...call, arguments: { ...call.arguments, title: "T2" } }] },
    { text: "done" },
  );
  const { runId } = await world.ask(t);
  await world.drive(runId);
  await decide(world, "approver", await onlyRequest(world, runId), "approved");
  expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
  expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["executed", "pending"]);
});
