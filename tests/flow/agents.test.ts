import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT_IN_AGENT, type AgentSettings, type InputTool } from "@aiw/contract/agents";
import { Problem } from "@aiw/contract/problem";
import * as agents from "@aiw/core/agents";
import * as approvals from "@aiw/core/approvals";
import * as runs from "@aiw/core/runs";
import { partsOf, setAgent } from "../kit/agents.ts";
import { violations } from "../kit/oracle.ts";
import { decide, propose, readFile, requestsOf, sweepOnce, topic, type Call, type Request } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

let counter = 7000;
const next = (): Call => {
  counter += 1;
  return propose(`total >= ${counter}`);
};

describe("AGT-1, AGT-2 settings of the agent are versions, checked when they are saved", () => {
  const input = (name: string, more: Partial<InputTool> = {}): InputTool => ({
    name,
    prompt: "Ask for it.",
    label: "Code",
    params: [],
    sensitive: false,
    ...more,
  });
  const refused = async (settings: Partial<AgentSettings>): Promise<readonly [string, object | undefined]> => {
    const owner = await world.member("owner");
    const { version } = await agents.get(owner);
    try {
      await agents.save(owner, { version, settings: { ...BUILT_IN_AGENT, ...settings } });
    } catch (error) {
      if (error instanceof Problem) return [error.code, error.fields];
      throw error;
    }
    throw new Error("it was saved");
  };

  test("each save is a new version, the same settings are none, and who has not seen the newest is told", async () => {
    const owner = await world.member("owner");
    const before = await agents.get(owner);
    expect(before).toMatchObject({ version: 0, settings: BUILT_IN_AGENT, changedBy: null });
    const first = await setAgent(world, { mode: "stage" });
    expect(first).toMatchObject({ version: 1, settings: { mode: "stage" }, changedBy: { name: "owner" } });
    expect((await setAgent(world, { mode: "stage" })).version).toBe(1);
    await expect(agents.save(owner, { version: 0, settings: BUILT_IN_AGENT })).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await setAgent(world, {})).version).toBe(2);
    const kept = await world.admin.sql`select settings ->> 'mode' as mode from agent_versions order by version`;
    expect(kept.map((row) => row["mode"])).toEqual(["stage", "pause"]);
  });

  test("members and approvers read them and cannot change them", async () => {
    const member = await world.member("approver");
    expect((await agents.get(member)).name).toBe("default");
    await expect(agents.save(member, { version: 0, settings: BUILT_IN_AGENT })).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  test("names that are reserved, a tool's, or used twice are refused, with the place and the reason", async () => {
    expect(await refused({ inputs: [input("ask_user")] })).toEqual(["bad_request", { "inputs.0.name": "reserved" }]);
    expect(await refused({ inputs: [input("git_read_file")] })).toEqual([
      "bad_request",
      { "inputs.0.name": "is_a_tool" },
    ]);
    expect(await refused({ inputs: [input("mfa"), input("mfa")] })).toEqual([
      "bad_request",
      { "inputs.1.name": "taken" },
    ]);
    const params: InputTool["params"] = [
      { name: "a", type: "str" },
      { name: "a", type: "int" },
    ];
    expect(await refused({ inputs: [input("mfa", { params })] })).toEqual([
      "bad_request",
      { "inputs.0.params": "taken" },
    ]);
  });

  test("a gated tool has to exist, once, with a condition that reads", async () => {
    expect(await refused({ tools: [{ tool: "orders.refund", condition: null }] })).toEqual([
      "bad_request",
      { "tools.0.tool": "unknown" },
    ]);
    const gated = { tool: "git.read_file", condition: null };
    expect(await refused({ tools: [gated, gated] })).toEqual(["bad_request", { "tools.1.tool": "taken" }]);
    const [code, fields] = await refused({ tools: [{ tool: "git.read_file", condition: "param.path ==" }] });
    expect(code).toBe("condition_invalid");
    expect(Object.keys(fields ?? {})).toEqual(["tools.0.condition"]);
  });
});

describe("F63 the rule is the one of the run's start", () => {
  test("a run that is under way when the workspace goes over to stage still pauses; the next one stages", async () => {
    await setAgent(world, { mode: "pause" });
    const t = topic();
    world.script.push(t, { calls: [readFile("README.md")] }, { calls: [next()] }, { text: "Done." });
    const { runId } = await world.ask(t);
    await world.stepOnce(runId);
    const { version } = await setAgent(world, { mode: "stage" });
    await world.drive(runId);
    expect((await world.row(runId)).status).toBe("waiting_approval");
    expect(await partsOf(world, runId)).toEqual([]);
    const detail = await runs.detail(world.as("member"), [world.workspaceId], runId);
    expect(detail.agent.version).toBe(version - 1);
    const [staging] = await world.admin.sql<{ data: { mode: string } }[]>`
      select data from audit_events where run_id = ${runId} and event = 'approval.staged'`;
    expect(staging?.data.mode).toBe("pause");
  });

  test("POL-3 the agent's own rule asks for what the class allows, and never the other way round", async () => {
    await setAgent(world, { tools: [{ tool: "git.read_file", condition: 'param.path == "README.md"' }] });
    const t = topic();
    world.script.push(t, { calls: [readFile("README.md"), readFile("src/greeting.ts")] }, { text: "Done." });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    expect((await world.row(runId)).status).toBe("waiting_approval");
    const [request, ...others] = await requestsOf(world, runId);
    expect(others).toEqual([]);
    expect(request?.args_text).toContain("README.md");
    if (request !== undefined) await decide(world, "approver", request, "approved");
    expect((await world.drive(runId)).status).toBe("completed");
  });
});

describe("APR-6 on_rejection", () => {
  const failing = async (): Promise<{ runId: string; requests: Request[] }> => {
    await setAgent(world, { onRejection: "fail", timeoutS: 60, message: "Ask the owner first." });
    const t = topic();
    world.script.push(t, { calls: [next(), propose('"servus"', '"hello"', "src/greeting.ts")] }, { text: "never" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    return { runId, requests: await requestsOf(world, runId) };
  };

  test("fail: the run ends with the given reason in its error, and the siblings are closed", async () => {
    const { runId, requests } = await failing();
    const [first, second] = requests;
    if (first === undefined || second === undefined) throw new Error("two requests");
    const detail = await approvals.detail(world.as("approver"), [world.workspaceId], first.id);
    expect(detail.message).toBe("Ask the owner first.");
    await decide(world, "approver", second, "rejected", { reason: "not this quarter" });
    await world.drive(runId);
    expect(await world.row(runId)).toMatchObject({
      status: "failed",
      error_code: "request_rejected",
      error_text: "A person rejected the request. Reason: not this quarter",
    });
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["cancelled", "rejected"]);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-7 fail: expiry has a time of its own and an error text of its own", async () => {
    const { runId } = await failing();
    await world.shift(61);
    await sweepOnce(world);
    await world.drive(runId);
    expect(await world.row(runId)).toMatchObject({
      status: "failed",
      error_code: "request_expired",
      error_text: "Nobody decided the request in time.",
    });
    expect(await violations(world, [runId])).toEqual([]);
  });
});
