import { afterAll, beforeAll, expect, test } from "vitest";
import * as runs from "@aiw/core/runs";
import { propose, topic } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

test("RUN-21 RUN-22 the runs of a workspace by group, page by page, with cancel and resume for whom they are", async () => {
  const [done, waits, fails, queued] = [topic(), topic(), topic(), topic()];
  world.script.push(done, { text: "done" });
  world.script.push(waits, { calls: [propose("total >= 60")] });
  world.script.push(fails, {
    fail: { status: 400, body: { error: { message: "no", code: "bad", type: "invalid_request_error" } } },
  });
  const ids: string[] = [];
  for (const t of [done, waits, fails]) {
    const { runId } = await world.ask(t);
    await world.drive(runId);
    ids.push(runId);
  }
  ids.push((await world.ask(queued)).runId);
  const [completed = "", waiting = "", failed = "", running = ""] = ids;
  const member = world.as("member");
  const groupOf = async (group: "running" | "waiting" | "completed" | "failed") =>
    (await runs.list(member, world.workspaceId, { group })).items;
  expect((await groupOf("completed")).map((r) => [r.id, r.may.cancel, r.may.resume])).toEqual([
    [completed, false, false],
  ]);
  expect((await groupOf("waiting")).map((r) => [r.id, r.may.cancel, r.may.resume])).toEqual([[waiting, true, false]]);
  expect((await groupOf("failed")).map((r) => [r.id, r.may.cancel, r.may.resume])).toEqual([[failed, false, true]]);
  expect((await groupOf("running")).map((r) => [r.id, r.may.cancel, r.may.resume])).toEqual([[running, true, false]]);
  // Who neither started them nor administers the workspace may look and do nothing.
  const others = await runs.list(world.as("approver"), world.workspaceId, {});
  expect(others.items.some((r) => r.may.cancel || r.may.resume)).toBe(false);

  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await runs.list(member, world.workspaceId, { cursor, limit: 3 });
    seen.push(...page.items.map((r) => r.id));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(ids.toReversed());

  await runs.cancel(member, [world.workspaceId], waiting);
  await runs.resume(member, [world.workspaceId], failed);
  world.script.push(fails, { text: "now" });
  expect(await world.drive(failed)).toMatchObject({ status: "completed" });
  expect((await groupOf("failed")).map((r) => r.id)).toEqual([waiting]);
  expect((await groupOf("completed")).map((r) => r.id)).toEqual([failed, completed]);
});
