import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { step } from "@aiw/engine/step";
import { createLog } from "@aiw/platform/log";
import { traceIdOf } from "@aiw/platform/trace";
import { startWorld } from "../kit/world.ts";
import { startApi } from "./http-fixture.ts";

type Line = Readonly<Record<string, unknown>>;

test("SEC-9 a request that fails is logged with its id, its workspace and its run", async () => {
  const api = await startApi();
  try {
    const owner = await api.signIn("owner");
    await api.admin.sql`alter table runs rename to runs_gone`;
    const runId = randomUUID();
    const list = await owner.call("GET", `/api/workspaces/${api.workspaceId}/runs`);
    const one = await owner.call("GET", `/api/runs/${runId}`);
    expect([list.status, one.status]).toEqual([500, 500]);
    const lines = api.logs.map((line): Line => JSON.parse(line));
    const failed = lines.filter((line) => line["message"] === "a request failed");
    expect(failed).toMatchObject([
      { requestId: list.body.requestId, workspaceId: api.workspaceId },
      { requestId: one.body.requestId, runId },
    ]);
  } finally {
    await api.stop();
  }
});

test("SEC-9 I8 each line of a step names message, run, workspace, step and trace, and shows no key", async () => {
  const world = await startWorld();
  try {
    const lines: Line[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line));
    const log = createLog({ level: "debug", write, traces: true }).child({ requestId: "message-1" });
    const { runId } = await world.ask("hello");
    const broken = {
      ...world.deps,
      log,
      gateways: {
        open: ({ apiKey }: { apiKey: string | null }) => {
          throw new Error(`cannot use Bearer ${apiKey ?? "sk-environment-key"}`);
        },
      },
      ring: async () => {
        throw new Error("no queue");
      },
    };
    expect(await step(broken, { v: 1, runId })).toEqual({ did: "step", status: "queued" });
    const ids = { requestId: "message-1", runId, workspaceId: world.workspaceId, step: 1, traceId: traceIdOf(runId) };
    expect(lines).toMatchObject([
      { ...ids, message: "a step failed", level: "error" },
      { ...ids, message: "a doorbell could not be rung", level: "warn" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("sk-");
  } finally {
    await world.stop();
  }
});
