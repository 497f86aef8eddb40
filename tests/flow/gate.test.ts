import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as chats from "@aiw/core/chats";
import * as tools from "@aiw/core/tools";
import * as workspaces from "@aiw/core/workspaces";
import { onPoint } from "@aiw/platform/fault";
import {
  aiRefs,
  auditOf,
  callsOf,
  decide,
  onlyRequest,
  outputsOf,
  propose,
  readFile,
  requestsOf,
  topic,
  violations,
} from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

type Classification = Partial<{
  risk_class: string | null;
  decision: string | null;
  level: string;
  four_eyes: boolean;
}>;

/** Classifies `propose_change` for the length of a test, by the admin's own verb. */
const classified = async (
  change: Classification,
  work: () => Promise<void>,
  id = "git.propose_change",
): Promise<void> => {
  const all = await tools.adminList(world.as("admin"));
  const before = all.find((t) => t.id === id);
  if (before === undefined) throw new Error("no such tool");
  const set = async (to: Parameters<typeof tools.classify>[2]) => tools.classify(world.as("admin"), id, to);
  const { definitionHash, riskClass, decision, level, fourEyes } = before;
  await set({
    version: before.version,
    definitionHash,
    riskClass: (change.risk_class === undefined ? riskClass : change.risk_class) as typeof riskClass,
    decision: (change.decision === undefined ? decision : change.decision) as typeof decision,
    level: (change.level ?? level) as typeof level,
    fourEyes: change.four_eyes ?? fourEyes,
  });
  try {
    await work();
  } finally {
    const now = (await tools.adminList(world.as("admin"))).find((t) => t.id === id);
    await set({ version: now?.version ?? 0, definitionHash, riskClass, decision, level, fourEyes });
  }
};

const setMode = async (writePolicy: "risk_based" | "confirm_external") =>
  workspaces.update(await world.member("owner"), { writePolicy }, { maxToolRounds: 100 });
const offeredIn = (t: string): readonly string[] =>
  world.script.requests
    .find((r) => r.items.some((i) => i.type === "message" && i.text.includes(t)))
    ?.tools.map((tool) => tool.name) ?? [];

/** A question to whose first turn the model answers with these calls. */
const run = async (
  ...calls: readonly { readonly name: string; readonly arguments: string | Readonly<Record<string, unknown>> }[]
): Promise<{ runId: string; t: string }> => {
  const t = topic();
  world.script.push(t, { calls }, { text: "seen" });
  const { runId } = await world.ask(t);
  return { runId, t };
};

describe("deny by default (POL-4, POL-9)", () => {
  test("POL-4 N46 an unclassified tool is not offered, and a call of it by its exact name is refused and audited", async () => {
    await classified({ risk_class: null }, async () => {
      const { runId, t } = await run(propose("total >= 20"));
      expect(await world.drive(runId)).toMatchObject({ status: "completed" });
      expect(offeredIn(t)).toEqual(["ask_user", "git_list_dir", "git_read_file", "git_search"]);
      expect((await outputsOf(world, runId))[0]).toContain('no tool named "propose_change"');
      expect(await requestsOf(world, runId)).toEqual([]);
      expect(await auditOf(world, runId)).toContain("tool.unknown");
    });
  });

  test("POL-4 N46 a tool that loses its class between the model's call and its turn is refused then", async () => {
    const { runId } = await run(propose("total >= 21"), readFile("README.md"));
    await world.stepOnce(runId);
    await classified({ risk_class: null }, async () => {
      let prepared = 0;
      const unlisten = onPoint((point) => {
        if (point === "approval.prepare:before") prepared += 1;
      });
      expect(await world.drive(runId)).toMatchObject({ status: "completed" });
      unlisten();
      expect(prepared).toBe(0);
      expect((await callsOf(world, runId)).map((c) => [c.status, c.decision])).toEqual([
        ["denied", "deny"],
        ["executed", "allow"],
      ]);
      expect(await auditOf(world, runId)).toContain("tool.blocked");
      expect(await violations(world, [runId])).toEqual([]);
    });
  });

  test("POL-6 a tool whose definition is no longer the pinned one vanishes from the offer and is refused by name", async () => {
    await world.admin.sql`update tools set definition_hash = repeat('0', 64) where id = 'git.search'`;
    const { runId, t } = await run({ name: "git_search", arguments: { pattern: "x" } });
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(offeredIn(t)).not.toContain("git_search");
    expect(await auditOf(world, runId)).toContain("tool.unknown");
    const [row] = await world.admin.sql<{ definition: string }[]>`select definition from tools where id = 'git.search'`;
    await world.admin
      .sql`update tools set definition_hash = encode(sha256(convert_to(E'aiw-definition-v1\\n' || ${row?.definition ?? ""}, 'UTF8')), 'hex') where id = 'git.search'`;
  });

  test("POL-9 a workspace switches a tool off: not offered; switched off between request and turn: refused", async () => {
    const { runId } = await run({ name: "git_search", arguments: { pattern: "discount" } });
    await world.stepOnce(runId);
    await tools.setActive(await world.member("owner"), "git.search", false);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect((await callsOf(world, runId))[0]).toMatchObject({ status: "denied" });
    const second = await run({ name: "git_search", arguments: { pattern: "discount" } });
    await world.drive(second.runId);
    expect(offeredIn(second.t)).not.toContain("git_search");
    await tools.setActive(await world.member("owner"), "git.search", true);
  });

  test("POL-9 plan mode offers only reading tools and refuses a write that was asked for before", async () => {
    const { runId } = await run(propose("total >= 22"));
    await world.stepOnce(runId);
    const [chat] = await world.admin.sql<{ chat_id: string }[]>`select chat_id from runs where id = ${runId}`;
    await chats.update(await world.member("member"), chat?.chat_id ?? "", { mode: "plan" }, world.deps.vault);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect((await callsOf(world, runId))[0]).toMatchObject({ status: "denied", decision: "deny" });
    expect(await requestsOf(world, runId)).toEqual([]);
  });

  test("SEC-1 F51 the requester's rights are looked at in every step: who left the workspace gets nothing more done", async () => {
    const t = topic();
    world.script.push(t, { calls: [readFile("README.md")] });
    const { runId } = await world.ask(t, "approver2");
    await world.stepOnce(runId);
    await world.admin
      .sql`delete from memberships where workspace_id = ${world.workspaceId} and user_id = ${world.people.approver2.userId}`;
    expect(await world.drive(runId)).toMatchObject({ status: "failed", error_code: "requester_gone" });
    expect(await violations(world, [runId])).toEqual([]);
    await world.admin
      .sql`insert into memberships (workspace_id, user_id, role) values (${world.workspaceId}, ${world.people.approver2.userId}, 'approver')`;
  });
});

describe("modes and classes (POL-5)", () => {
  test("POL-5 POL-2 an external write waits for a person; the stored explanation says which rule decided", async () => {
    const { runId } = await run(propose("total >= 23"));
    expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
    const [row] = await world.admin.sql<
      { explanation: { code: string; atLevel: string }; decision: string }[]
    >`select explanation, decision from tool_calls where run_id = ${runId}`;
    expect(row).toMatchObject({
      decision: "require_approval",
      explanation: { code: "class_write_external", atLevel: "classification" },
    });
    const [request] = await world.admin.sql<
      { explanation: string }[]
    >`select explanation from approvals where run_id = ${runId}`;
    expect(JSON.parse(request?.explanation ?? "{}")).toMatchObject({ code: "class_write_external" });
  });

  test("POL-5 APR-12 mode A with an admin's allow: a request approved by policy, executed and recorded the same way", async () => {
    await classified({ decision: "allow" }, async () => {
      const { runId } = await run(propose("total >= 24"));
      expect(await world.drive(runId)).toMatchObject({ status: "completed" });
      const request = await onlyRequest(world, runId);
      expect(request).toMatchObject({ status: "executed", allowed_by_policy: true, decided_by: null, attempt: 1 });
      expect(request.executed_hash).toBe(request.snapshot_hash);
      expect(await auditOf(world, runId)).toEqual(
        expect.arrayContaining(["approval.allowed_by_policy", "approval.executing", "approval.executed"]),
      );
      expect(await violations(world, [runId])).toEqual([]);
    });
  });

  test("POL-5 mode B asks for every external write, whatever the admin's allow", async () => {
    await setMode("confirm_external");
    await classified({ decision: "allow" }, async () => {
      const { runId } = await run(propose("total >= 25"));
      expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
    });
    await setMode("risk_based");
  });

  test("POL-5 forced by the platform, mode B holds in a workspace of mode A", async () => {
    await world.admin.sql`update platform_settings set forced_write_policy = 'confirm_external'`;
    await classified({ decision: "allow" }, async () => {
      const { runId } = await run(propose("total >= 26"));
      expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
    });
    await world.admin.sql`update platform_settings set forced_write_policy = null`;
  });

  test("POL-5 a destructive tool is not offered and denied, also with an admin's allow", async () => {
    for (const decision of [null, "allow", "require_approval"]) {
      await classified({ risk_class: "destructive", decision }, async () => {
        const { runId, t } = await run(propose("total >= 27"));
        expect(await world.drive(runId)).toMatchObject({ status: "completed" });
        expect(offeredIn(t)).not.toContain("propose_change");
        expect(await requestsOf(world, runId)).toEqual([]);
      });
    }
  });

  test("POL-2 POL-3 a rule that denies makes no request: error result, audit row; the strictest level wins", async () => {
    const { runId } = await run(propose("total >= 28"));
    await world.stepOnce(runId);
    const [rule] = await world.admin.sql<{ id: string }[]>`
      insert into tool_policies (workspace_id, source_id, level, pattern, decision, label)
        values (${world.workspaceId}, ${world.sourceId}, 'source', 'git', 'deny', 'frozen until Monday') returning id`;
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await requestsOf(world, runId)).toEqual([]);
    expect((await callsOf(world, runId))[0]).toMatchObject({ status: "denied", decision: "deny" });
    expect((await outputsOf(world, runId))[0]).toMatch(
      /^denied: Blocked by policy: a rule at source level .*Nothing was executed\.$/,
    );
    expect(await auditOf(world, runId)).toContain("tool.blocked");
    await world.admin.sql`delete from tool_policies where id = ${rule?.id ?? ""}`;
  });

  test("POL-3 a read that a rule wants approved waits with its arguments as preview (APR-22), runs after the yes", async () => {
    const [rule] = await world.admin.sql<{ id: string }[]>`
      insert into tool_policies (workspace_id, level, pattern, decision) values (${world.workspaceId}, 'workspace', 'git.read_file', 'approve') returning id`;
    const { runId } = await run(readFile("README.md"));
    expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
    const request = await onlyRequest(world, runId);
    const [row] = await world.admin.sql<{ preview: string }[]>`select preview from approvals where id = ${request.id}`;
    expect(JSON.parse(row?.preview ?? "{}")).toMatchObject({
      kind: "arguments",
      fields: [{ label: "path", value: "README.md" }],
    });
    await decide(world, "approver", request, "approved");
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect((await outputsOf(world, runId))[0]).toContain("A discount applies");
    await world.admin.sql`delete from tool_policies where id = ${rule?.id ?? ""}`;
  });

  test("APR-18 when nobody may decide, requester and model learn it at once and no request is made", async () => {
    await classified({ level: "global_approver" }, async () => {
      await world.admin.sql`update users set disabled_at = now() where id = ${world.people.global.userId}`;
      const { runId } = await run(propose("total >= 29"));
      expect(await world.drive(runId)).toMatchObject({ status: "completed" });
      expect((await outputsOf(world, runId))[0]).toContain("Nobody in this workspace may decide");
      expect(await requestsOf(world, runId)).toEqual([]);
      await world.admin.sql`update users set disabled_at = null where id = ${world.people.global.userId}`;
    });
  });
});

test("POL-1 nothing of all this reached the Git server but what policy or a person allowed", async () => {
  const executed = await world.admin
    .sql`select 1 from approvals where status = 'executed' and risk_class = 'write_external'`;
  expect(aiRefs(world).size).toBe(executed.length);
  expect(world.refs().filter((r) => !r.startsWith("refs/heads/ai/"))).toEqual(["refs/heads/main"]);
});
