import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import * as limits from "@aiw/core/limits";
import * as runs from "@aiw/core/runs";
import * as teams from "@aiw/core/teams";
import { eventually, itemsOf, readFile, topic, violations } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

const DEFAULTS = { modelCalls: 200, runTokens: 2_000_000, runWallS: 3600, toolResultBytes: 65_536, identicalCalls: 10 };
const NONE = { modelCalls: null, runTokens: null, runWallS: null, toolResultBytes: null, identicalCalls: null };
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const set = async (values: Partial<typeof DEFAULTS>): Promise<void> => {
  const { version } = await limits.get(world.as("admin"), DEFAULTS);
  await limits.set(world.as("admin"), DEFAULTS, { ...NONE, ...values, version });
};
afterEach(() => set({}));

const limitOf = async (runId: string): Promise<unknown> => {
  const [row] = await world.admin
    .sql`select data from audit_events where run_id = ${runId} and event = 'run.limit_reached'`;
  return (row?.["data"] as { limit?: string } | undefined)?.limit;
};

test("F76 a model that makes the same call again and again is asked for a summary; the answer can be continued", async () => {
  await set({ identicalCalls: 3 });
  const t = topic();
  const again = { calls: [readFile("README.md")] };
  world.script.push(t, again, again, again, { text: "I went in circles." });
  const { runId, chatId } = await world.ask(t);
  expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "limit_reached", tool_rounds: 3 });
  expect(await limitOf(runId)).toBe("repetition");
  expect((await runs.one(world.as("member"), [world.workspaceId], runId)).may.continue).toBe(true);
  expect(await violations(world, [runId])).toEqual([]);
  // Another run begins to count anew: what was repeated before does not stop it.
  const next = topic();
  world.script.push(next, again, { text: "Now I know." });
  const second = await world.ask(next, "member", chatId);
  expect(await world.drive(second.runId)).toMatchObject({ status: "completed", end_reason: "answered" });
});

test("F76 calls with other arguments are no repetition", async () => {
  await set({ identicalCalls: 2 });
  const t = topic();
  world.script.push(
    t,
    { calls: [readFile("README.md")] },
    { calls: [readFile("AGENTS.md")] },
    { calls: [readFile("src/discount.ts")] },
    { text: "All read." },
  );
  const { runId } = await world.ask(t);
  expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "answered", tool_rounds: 3 });
});

test("RUN-10 what platform admins set holds from the next step of every run on", async () => {
  const t = topic();
  world.script.push(t, { calls: [readFile("README.md")] }, { text: "never said" });
  const { runId } = await world.ask(t);
  await world.stepOnce(runId);
  await set({ modelCalls: 1 });
  expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "limit_reached" });
  expect(await limitOf(runId)).toBe("model_calls");

  await set({ toolResultBytes: 1_024 });
  const u = topic();
  world.script.push(u, { calls: [{ name: "git_search", arguments: { pattern: "." } }] }, { text: "read" });
  const other = await world.ask(u);
  await world.drive(other.runId);
  const [output] = (await itemsOf(world, other.runId)).filter((i) => i.kind === "function_call_output");
  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(2_048);
});

test("RUN-10 ADM-1 nothing is set above the installation's bounds, nobody overwrites another's change, and only platform admins set it; each change is audited", async () => {
  const admin = world.as("admin");
  const { version } = await limits.get(admin, DEFAULTS);
  await expect(limits.set(admin, DEFAULTS, { ...NONE, modelCalls: 201, version })).rejects.toMatchObject({
    code: "bad_request",
    fields: { modelCalls: "too_large" },
  });
  for (const role of ["owner", "member", "global"] as const) {
    await expect(limits.get(world.as(role), DEFAULTS)).rejects.toMatchObject({ code: "forbidden" });
    await expect(limits.set(world.as(role), DEFAULTS, { ...NONE, version })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(teams.updateTeam(world.as(role), world.teamId, { maxParallelRuns: 1 })).rejects.toMatchObject({
      code: "forbidden",
    });
  }
  const both = await Promise.allSettled(
    [100, 150].map((modelCalls) => limits.set(admin, DEFAULTS, { ...NONE, modelCalls, version })),
  );
  expect(both.filter((r) => r.status === "fulfilled")).toHaveLength(1);
  expect(both.flatMap((r) => (r.status === "rejected" ? [r.reason] : []))).toMatchObject([{ code: "conflict" }]);
  expect(await teams.updateTeam(admin, world.teamId, { maxParallelRuns: 7 })).toMatchObject({ maxParallelRuns: 7 });
  const rows = await eventually(async () => {
    const found = await world.admin.sql`
      select event, data from audit_events where event in ('limits.changed', 'team.changed') order by id desc limit 2`;
    return found.length === 2 ? found : undefined;
  });
  expect(rows).toMatchObject([
    { event: "team.changed", data: { before: 50, maxParallelRuns: 7 } },
    { event: "limits.changed", data: { before: { modelCalls: null } } },
  ]);
});
