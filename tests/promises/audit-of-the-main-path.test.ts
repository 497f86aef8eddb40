import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as chats from "@aiw/core/chats";
import * as runs from "@aiw/core/runs";
import * as tools from "@aiw/core/tools";
import * as workspaces from "@aiw/core/workspaces";
import { guardrailTurn } from "@aiw/infra/local/demo-gateway/brain-script";
import { decide, onlyRequest, propose, readFile, sweepOnce, topic, violations } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** Events in the order they were written, of one run or of the platform. */
const events = async (runId?: string): Promise<string[]> => {
  const rows = await world.admin.sql<
    { event: string }[]
  >`select event from audit_events where ${runId ?? null}::uuid is null or run_id = ${runId ?? null} order by id`;
  return rows.map((r) => r.event);
};

test("AUD-1 I5 the main path leaves exactly these rows, in this order, each with its actor", async () => {
  const t = topic();
  world.script.push(t, { calls: [readFile("README.md")] }, { calls: [propose()] }, { text: "done" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  const request = await onlyRequest(world, runId);
  await decide(world, "approver", request, "approved");
  await world.drive(runId);
  expect(await events(runId)).toEqual([
    "run.started",
    "tool.requested",
    "tool.executed",
    "tool.requested",
    "approval.staged",
    "run.waiting_approval",
    "approval.granted",
    "run.resumed",
    "run.running",
    "approval.executing",
    "approval.executed",
    "tool.executed",
    "run.completed",
  ]);
  const actors = await world.admin.sql<
    { event: string; actor_kind: string; actor_id: string | null }[]
  >`select event, actor_kind, actor_id from audit_events where run_id = ${runId}`;
  const granted = actors.find((a) => a.event === "approval.granted");
  expect(granted).toMatchObject({ actor_kind: "human", actor_id: world.people.approver.userId });
  expect(
    actors
      .filter((a) => a.actor_kind === "agent")
      .map((a) => a.event)
      .toSorted(),
  ).toEqual([
    "approval.executed",
    "approval.executing",
    "approval.staged",
    "tool.executed",
    "tool.executed",
    "tool.requested",
    "tool.requested",
  ]);
  expect(await violations(world, [runId])).toEqual([]);
});

test("AUD-1 every other event of a run's life has its row", async () => {
  const seen = new Set<string>();
  const life = async (t: string, act: (runId: string) => Promise<unknown>): Promise<void> => {
    const { runId } = await world.ask(t);
    await world.drive(runId);
    await act(runId);
    for (const event of await events(runId)) seen.add(event);
    if (!["running", "queued"].includes((await world.row(runId)).status))
      expect(await violations(world, [runId])).toEqual([]);
  };
  const scripted = (...turns: Parameters<World["script"]["push"]>[1][]): string => {
    const t = topic();
    world.script.push(t, ...turns);
    return t;
  };
  await life(
    scripted(
      {
        calls: [
          { name: "bash", arguments: {} },
          { name: "git_read_file", arguments: "{" },
        ],
      },
      { text: "ok" },
    ),
    async () => undefined,
  );
  await life(scripted(guardrailTurn("openai")), async () => undefined);
  await life(scripted({ fail: { status: 400, body: { error: { message: "no" } } } }), async (runId) => {
    world.script.push((await chatText(runId)) ?? "", { text: "again" });
    await runs.resume(world.as("member"), [world.workspaceId], runId);
    await world.drive(runId);
  });
  await life(scripted({ calls: [propose("total >= 2")] }, { text: "ok" }), async (runId) => {
    await decide(world, "approver", await onlyRequest(world, runId), "rejected");
    await world.drive(runId);
  });
  await life(scripted({ calls: [propose("total >= 3")] }), (runId) =>
    runs.cancel(world.as("member"), [world.workspaceId], runId),
  );
  await life(scripted({ calls: [propose("total >= 4")] }, { text: "ok" }), async (runId) => {
    await expect(decide(world, "member", await onlyRequest(world, runId), "approved")).rejects.toMatchObject({
      code: "approver_missing",
    });
    await world.shift(86_401);
    await sweepOnce(world);
    await world.drive(runId);
  });
  expect([...seen]).toEqual(
    expect.arrayContaining([
      "run.started",
      "run.completed",
      "run.failed",
      "run.cancelled",
      "run.resumed",
      "run.blocked_by_guardrail",
      "guardrail.blocked",
      "tool.requested",
      "tool.unknown",
      "tool.bad_arguments",
      "approval.staged",
      "approval.rejected",
      "approval.cancelled",
      "approval.expired",
      "authorization.denied",
    ]),
  );
});

const chatText = async (runId: string): Promise<string | undefined> => {
  const [row] = await world.admin.sql<
    { text: string }[]
  >`select text from messages where run_id = ${runId} and role = 'user'`;
  return row?.text;
};

test("AUD-1 changes of workspace, tools and policy are audited with who made them", async () => {
  await workspaces.update(await world.member("owner"), { writePolicy: "confirm_external" }, { maxToolRounds: 100 });
  await workspaces.update(await world.member("owner"), { writePolicy: "risk_based" }, { maxToolRounds: 100 });
  await tools.setActive(await world.member("owner"), "git.search", false);
  await tools.setActive(await world.member("owner"), "git.search", true);
  const all = await events();
  expect(all).toEqual(
    expect.arrayContaining([
      "workspace.created",
      "tool.discovered",
      "tool.classified",
      "tool.activated",
      "tool.deactivated",
    ]),
  );
  expect(all.filter((e) => e === "policy.changed")).toHaveLength(2);
});

test("I8 SEC-4 the source's token stands in no row of a run, event, item, message or audit entry", async () => {
  const secret = (await world.admin.sql<{ secret: string }[]>`select secret from sources`)[0]?.secret ?? "";
  const token = await world.deps.vault.open(secret, `source:${world.sourceId}`);
  expect(token.length).toBeGreaterThan(20);
  for (const table of [
    "runs",
    "run_items",
    "run_events",
    "run_steps",
    "tool_calls",
    "approvals",
    "approval_votes",
    "messages",
    "audit_events",
    "sources",
  ]) {
    const [row] = await world.admin.sql.unsafe<{ n: number }[]>(
      `select count(*)::int as n from ${table} t where t::text like '%' || $1 || '%'`,
      [token],
    );
    expect([table, row?.n]).toEqual([table, 0]);
  }
  const sent = world.script.requests.map((r) => JSON.stringify(r.body)).join("\n");
  expect(sent).not.toContain(token);
});

test("RUN-1 an audit row and its change are one transaction: a message that is refused leaves neither", async () => {
  const member = await world.member("member");
  const chat = await chats.create(member, {});
  const id = randomUUID();
  await chats.postMessage(member, chat.id, { id, text: "a" }, world.deps.vault);
  const before = (await events()).length;
  await expect(chats.postMessage(member, chat.id, { id, text: "b" }, world.deps.vault)).rejects.toMatchObject({
    code: "message_conflict",
  });
  expect((await events()).length).toBe(before);
});
