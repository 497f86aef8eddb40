import { afterAll, beforeAll, expect, test } from "vitest";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({ limits: { stepS: 1 } });
});
afterAll(() => world.stop());

test("RUN-23 a model that never answers is tried once more when the step's time is over, and then the run fails with the reason", async () => {
  world.script.push("hang", { text: "half an ans", streamFault: "hang" }, { text: "half an ans", streamFault: "hang" });
  const { runId } = await world.ask("hang");
  expect(await world.stepOnce(runId)).toEqual({ did: "step", status: "queued" });
  expect(await world.row(runId)).toMatchObject({ status: "queued", attempts: 1 });
  await world.stepOnce(runId);
  expect(await world.row(runId)).toMatchObject({ status: "failed", error_code: "time_limit" });
  const events = await world.admin.sql`select type from run_events where run_id = ${runId} order by seq`;
  expect(events.filter((e) => e["type"] === "attempt.reset").length).toBeGreaterThan(0);
});
