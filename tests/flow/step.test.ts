import { afterAll, beforeAll, expect, test } from "vitest";
import * as approvals from "@aiw/core/approvals";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const propose = (find: string, replace: string, path = "src/discount.ts") => ({
  calls: [
    {
      name: "propose_change",
      arguments: {
        title: "Discount from 100 on",
        description: "The README says from 100 on.",
        files: [{ path, replacements: [{ find, replace }] }],
      },
    },
  ],
});

test("RUN-2 RUN-3 a message becomes a run that answers, one step at a time", async () => {
  world.script.push("answer me", { text: "Here is the answer." });
  const { runId, chatId } = await world.ask("answer me");
  expect((await world.row(runId)).status).toBe("queued");
  const done = await world.drive(runId);
  expect(done).toMatchObject({ status: "completed", end_reason: "answered", step: 1 });
  const messages = await world.admin.sql`select role, text from messages where chat_id = ${chatId} order by ordinal`;
  expect(messages.map((m) => [m["role"], m["text"]])).toEqual([
    ["user", "answer me"],
    ["assistant", "Here is the answer."],
  ]);
});

test("GIT-1 a reading tool answers from the pinned commit and the answer follows", async () => {
  world.script.push(
    "read it",
    { calls: [{ name: "git_read_file", arguments: { path: "src/discount.ts" } }] },
    { text: "It compares with >." },
  );
  const { runId } = await world.ask("read it");
  expect(await world.drive(runId)).toMatchObject({ status: "completed", tool_rounds: 1 });
  const [call] = await world.admin.sql`select status, result, decision from tool_calls where run_id = ${runId}`;
  expect(call).toMatchObject({ status: "executed", decision: "allow" });
  expect(String(call?.["result"])).toContain("total > 100");
});

test("APR-2 GIT-8 an approved proposal is pushed exactly as frozen, and only then", async () => {
  world.script.push("fix the discount", propose("total > 100", "total >= 100"), { text: "Done." });
  const { runId } = await world.ask("fix the discount");
  expect(await world.drive(runId)).toMatchObject({ status: "waiting_approval" });
  expect(world.refs()).toEqual(["refs/heads/main"]);
  const list = await approvals.list(world.as("approver"), [world.workspaceId], {});
  const open = list.items.find((a) => a.runId === runId);
  expect(open?.decidable).toBe(true);
  const detail = await approvals.detail(world.as("approver"), [world.workspaceId], open?.id ?? "");
  expect(detail.preview.files?.[0]?.diff).toContain(
    "+export const discount = (total: number): number => (total >= 100 ? 0.1 : 0);",
  );
  await approvals.decide(
    world.as("approver"),
    [world.workspaceId],
    { approvalId: detail.id, vote: "approved", reason: null, seenHash: detail.snapshotHash, channel: "page" },
    900,
    world.deps.vault,
  );
  expect(await world.drive(runId)).toMatchObject({ status: "completed" });
  expect(world.refs().filter((r) => r.startsWith("refs/heads/ai/"))).toHaveLength(1);
  const after = await approvals.detail(world.as("approver"), [world.workspaceId], detail.id);
  expect(after).toMatchObject({ status: "executed", executedHash: detail.snapshotHash });
});
