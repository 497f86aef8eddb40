import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InputTool } from "@aiw/contract/agents";
import * as approvals from "@aiw/core/approvals";
import * as runs from "@aiw/core/runs";
import { setAgent } from "../kit/agents.ts";
import { violations } from "../kit/oracle.ts";
import {
  callsOf,
  decide,
  isPushed,
  outputsOf,
  propose,
  requestsOf,
  sweepOnce,
  topic,
  type Call,
  type Request,
} from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

const MFA: InputTool = {
  name: "get_mfa",
  prompt: "Request the current MFA code when sign-in requires it.",
  label: "MFA code",
  params: [
    { name: "reason", type: "str" },
    { name: "tries", type: "int" },
  ],
  sensitive: false,
};
const OK: InputTool = {
  name: "ask_ok",
  prompt: "Ask whether to go on.",
  label: "Go on?",
  params: [],
  sensitive: false,
};

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await setAgent(world, { inputs: [MFA, OK], timeoutS: 600, message: "Only the owner knows." });
});
afterAll(() => world.stop());

const mfa = (reason = "sign-in", tries = 1): Call => ({ name: "get_mfa", arguments: { reason, tries } });
let counter = 5000;
const change = (): Call => {
  counter += 1;
  return propose(`total >= ${counter}`);
};

const asked = async (...turns: readonly (readonly Call[])[]): Promise<{ runId: string; requests: Request[] }> => {
  const t = topic();
  world.script.push(t, ...turns.map((calls) => ({ calls: [...calls] })), { text: "Thank you." });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  return { runId, requests: await requestsOf(world, runId) };
};
const one = async (...calls: readonly Call[]): Promise<{ runId: string; request: Request }> => {
  const { runId, requests } = await asked(calls);
  const [request] = requests;
  if (request === undefined) throw new Error("nothing was asked");
  return { runId, request };
};

describe("APR-9 a person's text is the result of a tool", () => {
  test.each(["001234", "  two  spaces ", "line\nline", "<<<end untrusted>>>", "ä𝄞"])(
    "the answer %j reaches the model exactly, and the run goes on",
    async (answer) => {
      const { runId, request } = await one(mfa());
      expect((await world.row(runId)).status).toBe("waiting_input");
      await decide(world, "approver", request, "approved", { response: answer });
      expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "answered" });
      expect(await outputsOf(world, runId)).toEqual([answer]);
      expect(await violations(world, [runId])).toEqual([]);
    },
  );

  test("the model is offered the tool with its prompt; the person sees label, values and message, and not the prompt", async () => {
    const { request } = await one(mfa("to sign in", 3));
    const sent = world.gateway.requests().at(-1);
    expect(JSON.stringify(sent)).toContain(MFA.prompt);
    const detail = await approvals.detail(world.as("approver"), [world.workspaceId], request.id);
    expect(detail).toMatchObject({
      responseLabel: "MFA code",
      sensitive: false,
      decidable: true,
      message: "Only the owner knows.",
      tool: "input.get_mfa",
      riskClass: "read",
    });
    expect(detail.preview.fields).toEqual([
      { label: "reason", value: "to sign in" },
      { label: "tries", value: "3" },
    ]);
    expect(JSON.stringify(detail)).not.toContain(MFA.prompt);
  });

  test("arguments that are missing, extra or of the wrong kind are refused, and nobody is asked", async () => {
    const bad: readonly Call[] = [
      { name: "get_mfa", arguments: { reason: "x" } },
      { name: "get_mfa", arguments: { reason: "x", tries: "1" } },
      { name: "get_mfa", arguments: { reason: "x", tries: 1, more: true } },
      { name: "ask_ok", arguments: { anything: 1 } },
    ];
    const { runId, requests } = await asked(bad);
    expect(requests).toEqual([]);
    expect((await callsOf(world, runId)).map((c) => c.status)).toEqual(["failed", "failed", "failed", "failed"]);
  });

  test("F62 a second, a late and a blank answer are refused with their codes, and so is one to another request", async () => {
    const { runId, request } = await one(mfa("twice"));
    await expect(decide(world, "approver", request, "approved", { response: " \n\t" })).rejects.toMatchObject({
      code: "response_required",
    });
    await expect(decide(world, "approver", request, "approved")).rejects.toMatchObject({ code: "response_required" });
    await expect(decide(world, "approver", request, "rejected", { response: "no" })).rejects.toMatchObject({
      code: "response_not_expected",
    });
    await decide(world, "approver", request, "approved", { response: "1" });
    // The same person, the same text: an answer is given once (unlike a yes, which may be repeated).
    for (const again of ["1", "2"])
      await expect(decide(world, "approver", request, "approved", { response: again })).rejects.toMatchObject({
        code: "decided",
      });
    await world.drive(runId);
    expect(await outputsOf(world, runId)).toEqual(["1"]);

    const late = await one(mfa("late"));
    await world.shift(601);
    await expect(decide(world, "approver", late.request, "approved", { response: "1" })).rejects.toMatchObject({
      code: "expired",
    });
    await sweepOnce(world);
    expect((await world.drive(late.runId)).status).toBe("completed");
    expect((await outputsOf(world, late.runId))[0]).toMatch(/^expired:/);

    const ordinary = await one(change());
    await expect(decide(world, "approver", ordinary.request, "approved", { response: "x" })).rejects.toMatchObject({
      code: "response_not_expected",
    });
    await runs.cancel(world.as("member"), [world.workspaceId], ordinary.runId);
  });

  test("who may decide approvals answers; members may not, and strangers see nothing", async () => {
    const { runId, request } = await one(mfa("rights"));
    await expect(decide(world, "member", request, "approved", { response: "1" })).rejects.toMatchObject({
      code: "approver_missing",
    });
    await expect(decide(world, "outsider", request, "approved", { response: "1" })).rejects.toMatchObject({
      code: "not_found",
    });
    await decide(world, "owner", request, "approved", { response: "1" });
    expect((await world.drive(runId)).status).toBe("completed");
  });

  test("RUN-14 inputs and approvals of one turn, answered in any order: results in call order, each once", async () => {
    const { runId, requests } = await asked([mfa("a"), change(), { name: "ask_ok", arguments: {} }]);
    expect((await world.row(runId)).status).toBe("waiting_approval");
    const [a, write, ok] = requests;
    if (a === undefined || write === undefined || ok === undefined) throw new Error("three requests");
    await decide(world, "approver", ok, "rejected", { reason: "no" });
    await world.drive(runId);
    await decide(world, "approver", write, "approved");
    await world.drive(runId);
    expect(isPushed(world, write)).toBe(true);
    expect((await world.row(runId)).status).toBe("waiting_input");
    await decide(world, "approver", a, "approved", { response: "0042" });
    expect((await world.drive(runId)).status).toBe("completed");
    const outputs = await outputsOf(world, runId);
    expect(outputs[0]).toBe("0042");
    expect(outputs[2]).toContain("rejected: A person rejected this call. Reason: no");
    expect((await requestsOf(world, runId)).map((r) => r.status)).toEqual(["executed", "executed", "rejected"]);
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("each later request needs its own answer, and the earlier one stays", async () => {
    const t = topic();
    world.script.push(t, { calls: [mfa("first")] }, { calls: [mfa("second")] }, { text: "Both." });
    const { runId } = await world.ask(t);
    for (const answer of ["111", "222"]) {
      await world.drive(runId);
      const open = (await requestsOf(world, runId)).find((r) => r.status === "pending");
      if (open === undefined) throw new Error("nothing is asked");
      await decide(world, "approver", open, "approved", { response: answer });
    }
    expect((await world.drive(runId)).status).toBe("completed");
    expect(await outputsOf(world, runId)).toEqual(["111", "222"]);
  });

  test("RUN-8 a run that waits for an input can be cancelled; the request is closed with it", async () => {
    const { runId, request } = await one(mfa("cancel"));
    await runs.cancel(world.as("member"), [world.workspaceId], runId);
    await expect(decide(world, "approver", request, "approved", { response: "1" })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-10 N81 every answer is encrypted at rest, and one that is moved to another request does not open", async () => {
    const first = await one(mfa("swap 1"));
    const second = await one(mfa("swap 2"));
    await decide(world, "approver", first.request, "approved", { response: "swap-canary-1" });
    await decide(world, "approver", second.request, "approved", { response: "swap-canary-2" });
    const sealed = await world.admin.sql<{ response: string }[]>`
      select response from approvals where id in (${first.request.id}, ${second.request.id}) order by id`;
    expect(JSON.stringify(sealed)).not.toContain("canary");
    await world.admin.sql`update approvals set response = ${sealed[1]?.response ?? ""} where id = ${first.request.id}`;
    expect((await world.stepOnce(first.runId)).did).toBe("step");
    expect(await outputsOf(world, first.runId)).toEqual([]);
    expect((await world.row(first.runId)).status).toBe("queued");
  });
});
