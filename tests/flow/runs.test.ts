import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callsOf, eventsOf, onlyRequest, outputsOf, propose, readFile, topic, violations, decide, itemsOf } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";
import * as runs from "@aiw/core/runs";
import * as approvals from "@aiw/core/approvals";
import { setFaultPlan } from "@aiw/platform/fault";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

test("PROBE unknown tool alone", async () => {
  const t = topic();
  world.script.push(t, { calls: [{ name: "bash", arguments: { command: "ls" } }] }, { text: "ok" });
  const { runId } = await world.ask(t);
  console.log(await world.drive(runId), await outputsOf(world, runId));
});
test("PROBE nul in delta then cut", async () => {
  const t = topic();
  world.script.push(t, { chunks: ["a\u0000b", "c"], streamFault: "cut" }, { text: "ok" });
  const { runId } = await world.ask(t);
  await world.stepOnce(runId);
  await world.shift(30);
  console.log(await world.drive(runId).catch((e) => String(e)));
});
test("PROBE never stops", async () => {
  const t = topic();
  world.script.push(t, ...Array.from({ length: 40 }, () => ({ calls: [readFile("README.md")] })));
  const { runId } = await world.ask(t);
  console.log(await world.drive(runId, 100));
});
test("PROBE reconcile happened/end", async () => {
  for (const outcome of ["happened", "end"] as const) {
    const t = topic();
    world.script.push(t, { calls: [propose()] }, { text: "ok" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    await decide(world, "approver", await onlyRequest(world, runId), "approved");
    world.git.switches.dropBeforePush = true;
    console.log(await world.drive(runId));
    world.git.switches.dropBeforePush = false;
    const r = await onlyRequest(world, runId);
    console.log(r.status, r.result);
    await approvals.reconcile(world.as("owner"), [world.workspaceId], { runId, approvalId: r.id, outcome, comment: "looked" }, 900).catch((e) => console.log("ERR", String(e)));
    console.log(await world.drive(runId), await violations(world, [runId]));
  }
});
test("PROBE three reads", async () => {
  const t = topic();
  world.script.push(t, { calls: [readFile("README.md"), readFile("src/discount.ts"), readFile("src/greeting.ts")] }, { text: "ok" });
  const { runId } = await world.ask(t);
  console.log(await world.drive(runId), await violations(world, [runId]));
});
test("PROBE endRun with sibling", async () => {
  const t = topic();
  world.script.push(t, { calls: [propose("total >= 99"), propose("total >= 98")] }, { text: "ok" });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  const { requestsOf } = await import("../kit/runs.ts");
  const [a, b] = await requestsOf(world, runId);
  await decide(world, "approver", b!, "rejected", { endRun: true });
  console.log(await world.drive(runId));
  await decide(world, "approver", a!, "approved").catch((e) => console.log(String(e)));
  console.log(await world.drive(runId), await violations(world, [runId]));
});
