import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as approvals from "@aiw/core/approvals";
import * as policies from "@aiw/core/policies";
import * as runs from "@aiw/core/runs";
import * as tools from "@aiw/core/tools";
import type { Explanation } from "@aiw/contract/explanation";
import { onPoint } from "@aiw/platform/fault";
import { transaction } from "@aiw/platform/db";
import {
  auditOf,
  callsOf,
  decide,
  eventually,
  isPushed,
  onlyRequest,
  outputsOf,
  propose,
  readFile,
  requestsOf,
  sweepOnce,
  topic,
  violations,
} from "../kit/runs.ts";
import { startWorld, type Role, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
  // Nothing but the rules of these tests asks.
  await classify("allow");
});
afterAll(() => world.stop());

const classify = async (decision: "allow" | null): Promise<void> => {
  const tool = (await tools.adminList(world.as("admin"))).find((t) => t.id === "git.propose_change");
  if (tool === undefined) throw new Error("no such tool");
  const { version, definitionHash, riskClass, level, fourEyes } = tool;
  await tools.classify(world.as("admin"), tool.id, { version, definitionHash, riskClass, decision, level, fourEyes });
};

const DRAFT = { pattern: "git.propose_change", approvalLevel: null, fourEyes: null, label: "", sourceId: null };
const asks = async (condition: string | null, more: Partial<typeof DRAFT> = {}) =>
  policies.create(await world.member("owner"), { ...DRAFT, ...more, decision: "approve", condition });

/** A rule of the workspace for the length of a test. */
const underRule = async (condition: string | null, work: () => Promise<void>, more: Partial<typeof DRAFT> = {}) => {
  const rule = await asks(condition, more);
  try {
    await work();
  } finally {
    const owner = await world.member("owner");
    if ((await policies.list(owner)).some(({ id }) => id === rule.id)) await policies.remove(owner, rule.id, undefined);
  }
};

let line = 100;
/** A proposal that is like no other. */
const change = (title = "Change the limit") => {
  line += 1;
  const call = propose(`total >= ${line}`);
  return { ...call, arguments: { ...(call.arguments as object), title } };
};

const started = async (
  role: Role,
  ...calls: readonly { readonly name: string; readonly arguments: string | Readonly<Record<string, unknown>> }[]
): Promise<string> => {
  const t = topic();
  world.script.push(t, { calls }, { text: "seen" });
  return (await world.ask(t, role)).runId;
};
const run = async (role: Role, ...calls: Parameters<typeof started> extends [Role, ...infer R] ? R : never) => {
  const runId = await started(role, ...calls);
  return { runId, row: await world.drive(runId) };
};
const offeredIn = (runId: string): readonly string[] => {
  const last = world.script.requests.at(-1);
  if (last === undefined) throw new Error(`the model was not asked in ${runId}`);
  return last.tools.map((tool) => tool.name);
};

describe("a rule asks only where its condition holds (POL-7)", () => {
  test("POL-7 true: a person is asked; false: the call runs by itself, followed the same way", async () => {
    await underRule('param.title == "Change the limit"', async () => {
      const asked = await run("member", change());
      expect(asked.row.status).toBe("waiting_approval");
      await decide(world, "approver", await onlyRequest(world, asked.runId), "rejected");
      await world.drive(asked.runId);

      const silent = await run("member", change("Something else"));
      expect(silent.row.status).toBe("completed");
      const request = await onlyRequest(world, silent.runId);
      expect(request).toMatchObject({ status: "executed", allowed_by_policy: true });
      expect(isPushed(world, request)).toBe(true);
      expect(await violations(world, [asked.runId, silent.runId])).toEqual([]);
    });
  });

  test("POL-7 POL-2 APR-1 why a person is asked, with the values, and what would have made it automatic, is stored with call and request and returned", async () => {
    await underRule('param.title == "Change the limit" and not context.is_admin', async () => {
      const { runId } = await run("member", change());
      const request = await onlyRequest(world, runId);
      const shown = await approvals.detail(world.as("approver"), [world.workspaceId], request.id);
      expect(shown.explanation).toMatchObject({
        code: "rule_condition_true",
        atLevel: "workspace",
        params: { pattern: "git.propose_change", condition: expect.stringContaining("param.title") },
        condition: {
          outcome: "true",
          trace: [
            {
              text: 'param.title == "Change the limit"',
              outcome: "true",
              reads: [{ path: "param.title", type: "string", value: "Change the limit" }],
            },
            { outcome: "false", reads: [{ path: "context.is_admin", value: false }] },
          ],
          counterfactual: [['param.title != "Change the limit"'], ["context.is_admin"]],
        },
      });
      const detail = await runs.detail(world.as("member"), [world.workspaceId], runId);
      expect(detail.toolCalls[0]).toMatchObject({ decision: "require_approval", explanation: shown.explanation });
      await runs.cancel(world.as("member"), [world.workspaceId], runId);
    });
  });

  test.each([
    ["a value that is not there", "param.amount > 50", "missing_value"],
    ["a value of another type", "param.title > 50", "type_mismatch"],
    ["a value below something without members", 'param.title.text == "x"', "type_mismatch"],
  ])("POL-7 %s: a person is asked, and told why", async (_what, condition, errorCode) => {
    await underRule(condition, async () => {
      const { runId, row } = await run("member", change());
      expect(row.status).toBe("waiting_approval");
      const [call] = await world.admin.sql<{ explanation: Explanation }[]>`
        select explanation from tool_calls where run_id = ${runId}`;
      expect(call?.explanation).toMatchObject({ code: "rule_condition_error", condition: { errorCode } });
      await runs.cancel(world.as("member"), [world.workspaceId], runId);
    });
  });

  test("POL-7 the context is the requester as the rows say: the admin's call runs, the member's waits", async () => {
    await underRule("not context.is_admin", async () => {
      expect((await run("owner", change())).row.status).toBe("completed");
      const { runId, row } = await run("member", {
        ...change(),
        arguments: { ...change().arguments, title: "is_admin" },
      });
      expect(row.status).toBe("waiting_approval");
      await runs.cancel(world.as("member"), [world.workspaceId], runId);
    });
  });

  test("POL-3 the strictest level wins: a condition that is false below a rule that asks changes nothing", async () => {
    const above = await policies.createPlatform(world.as("admin"), { ...DRAFT, decision: "approve", condition: null });
    await underRule('param.title == "never"', async () => {
      const { runId, row } = await run("member", change());
      expect(row.status).toBe("waiting_approval");
      await runs.cancel(world.as("member"), [world.workspaceId], runId);
    });
    await policies.removePlatform(world.as("admin"), above.id, above.version);
  });

  test("POL-3 POL-7 an `auto` rule stands beside a conditional one of the same pattern", async () => {
    const always = await policies.createPlatform(world.as("admin"), { ...DRAFT, decision: "auto", condition: null });
    const sometimes = await policies.createPlatform(world.as("admin"), {
      ...DRAFT,
      decision: "approve",
      condition: 'param.title == "ask me"',
    });
    expect((await run("member", change())).row.status).toBe("completed");
    const { runId, row } = await run("member", change("ask me"));
    expect(row.status).toBe("waiting_approval");
    await runs.cancel(world.as("member"), [world.workspaceId], runId);
    for (const rule of [always, sometimes]) await policies.removePlatform(world.as("admin"), rule.id, undefined);
  });

  test("POL-3 a rule for one source binds calls there alone", async () => {
    await underRule(
      null,
      async () => {
        const { runId, row } = await run("member", change());
        expect(row.status).toBe("waiting_approval");
        await runs.cancel(world.as("member"), [world.workspaceId], runId);
      },
      { sourceId: world.sourceId as never },
    );
  });

  test("POL-9 a tool whose rule depends on the call is offered; one that is denied for every call is not", async () => {
    await underRule('param.title == "x"', async () => {
      const { runId } = await run("member", readFile("README.md"));
      expect(offeredIn(runId)).toContain("propose_change");
    });
    const owner = await world.member("owner");
    const denied = await policies.create(owner, { ...DRAFT, decision: "deny", condition: null });
    const { runId } = await run("member", readFile("README.md"));
    expect(offeredIn(runId)).not.toContain("propose_change");
    await policies.remove(owner, denied.id, denied.version);
  });

  test("POL-7 a read asks when its condition holds", async () => {
    await underRule(
      'param.path == "README.md"',
      async () => {
        expect((await run("member", readFile("src/greeting.ts"))).row.status).toBe("completed");
        const { runId, row } = await run("member", readFile("README.md"));
        expect(row.status).toBe("waiting_approval");
        await runs.cancel(world.as("member"), [world.workspaceId], runId);
      },
      { pattern: "git.read_file" },
    );
  });
});

describe("what is judged is what runs (N72)", () => {
  const text = (title: string): string => JSON.stringify(change().arguments).replace('"Change the limit"', title);

  test.each([
    ["an escaped value", '"Ch\\u0061nge the limit"', "waiting_approval"],
    ["blanks around it", '  "Change the limit"  ', "waiting_approval"],
    ["another letter case", '"change the limit"', "completed"],
    ["a blank behind it", '"Change the limit "', "completed"],
    ["a letter that looks the same", '"Chаnge the limit"', "completed"],
  ])("N72 the condition sees the frozen value and no other: %s", async (_what, title, status) => {
    await underRule('param.title == "Change the limit"', async () => {
      const { runId, row } = await run("member", { name: "propose_change", arguments: text(title) });
      expect(row.status).toBe(status);
      const request = await onlyRequest(world, runId);
      const frozen = JSON.parse(request.args_text) as { title: string };
      expect(frozen.title === "Change the limit").toBe(status === "waiting_approval");
      if (status === "waiting_approval") await runs.cancel(world.as("member"), [world.workspaceId], runId);
    });
  });

  test("N72 a key given twice reaches neither the condition nor the tool", async () => {
    await underRule('param.title == "Change the limit"', async () => {
      const args = text('"Something else"').replace('"description"', '"title":"Change the limit","description"');
      const { runId } = await run("member", { name: "propose_change", arguments: args });
      expect((await callsOf(world, runId))[0]).toMatchObject({ status: "failed" });
      expect(await requestsOf(world, runId)).toEqual([]);
    });
  });
});

describe("conditions at the execution (APR-3)", () => {
  /** A write that policy allowed, looked at again after `meanwhile`. */
  const overtaken = async (role: Role, meanwhile: () => Promise<unknown>): Promise<void> => {
    const runId = await started(role, change());
    await world.stepOnce(runId);
    await world.stepOnce(runId);
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "approved", allowed_by_policy: true });
    await meanwhile();
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    expect(request).toMatchObject({ status: "invalid", invalid_reason: "superseded", attempt: 0 });
    expect(isPushed(world, request)).toBe(false);
    expect((await outputsOf(world, runId))[0]).toMatch(/^invalid: /);
  };

  test("APR-3 POL-7 a rule whose condition holds for the frozen arguments is added: nothing runs", async () => {
    await overtaken("member", () => asks('param.title == "Change the limit"'));
    const owner = await world.member("owner");
    for (const rule of await policies.list(owner))
      if (rule.mayChange) await policies.remove(owner, rule.id, rule.version);
  });

  test("APR-3 POL-7 the requester is no admin any more, which a condition demands: nothing runs", async () => {
    await underRule("not context.is_admin", async () => {
      await overtaken(
        "owner",
        () =>
          world.admin
            .sql`update memberships set role = 'approver' where workspace_id = ${world.workspaceId} and user_id = ${world.people.owner.userId}`,
      );
      await world.admin
        .sql`update memberships set role = 'admin' where workspace_id = ${world.workspaceId} and user_id = ${world.people.owner.userId}`;
    });
  });

  test("APR-3 POL-7 a rule whose condition does not hold for the frozen arguments is added: it runs", async () => {
    const runId = await started("member", change());
    await world.stepOnce(runId);
    await world.stepOnce(runId);
    await underRule('param.title == "Something else"', async () => {
      expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed" });
  });

  test("APR-3 POL-7 what a person approved because of a condition runs under the same condition", async () => {
    await underRule('param.title == "Change the limit"', async () => {
      const { runId } = await run("member", change());
      await decide(world, "approver", await onlyRequest(world, runId), "approved");
      expect(await world.drive(runId)).toMatchObject({ status: "completed" });
      expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed" });
    });
  });
});

describe("the stop switch (POL-13)", () => {
  const stopHere = async (stopped: boolean) => policies.setWriteStop(await world.member("owner"), stopped);
  const stopEverywhere = (stopped: boolean) => policies.setPlatformWriteStop(world.as("admin"), stopped);

  test.each([
    ["workspace", stopHere],
    ["platform", stopEverywhere],
  ])(
    "POL-13 stopped by the %s: requests stay, executions wait, nothing spins; afterwards each runs once",
    async (_by, stop) => {
      await stop(true);
      const { runId, row } = await run("member", readFile("README.md"), change());
      expect(row.status).toBe("waiting_approval");
      const held = await onlyRequest(world, runId);
      expect(held).toMatchObject({ status: "approved", attempt: 0 });
      expect(isPushed(world, held)).toBe(false);
      expect((await callsOf(world, runId)).map((c) => c.status)).toEqual(["executed", "waiting"]);
      const shown = await approvals.detail(world.as("approver"), [world.workspaceId], held.id);
      expect(shown.stopped).toBe(true);

      for (let n = 0; n < 3; n += 1) expect(await sweepOnce(world)).toMatchObject({ released: 0 });
      expect(await world.row(runId)).toMatchObject({ status: "waiting_approval", step: row.step, fence: row.fence });

      await stop(false);
      world.rung.length = 0;
      expect(await sweepOnce(world)).toMatchObject({ released: 1 });
      expect(world.rung.map((r) => r.runId)).toContain(runId);
      expect(await world.drive(runId)).toMatchObject({ status: "completed" });
      expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed", attempt: 1 });
      expect(await sweepOnce(world)).toMatchObject({ released: 0 });
      expect(await violations(world, [runId])).toEqual([]);
    },
  );

  test("POL-13 a request that a person approves meanwhile waits too; a rejection needs no waiting", async () => {
    await underRule(null, async () => {
      const first = await run("member", change());
      const second = await run("member", change());
      await stopHere(true);
      await decide(world, "approver", await onlyRequest(world, first.runId), "approved");
      await decide(world, "approver", await onlyRequest(world, second.runId), "rejected");
      expect(await world.drive(first.runId)).toMatchObject({ status: "waiting_approval" });
      expect(await world.drive(second.runId)).toMatchObject({ status: "completed" });
      expect(await onlyRequest(world, first.runId)).toMatchObject({ status: "approved" });
      await stopHere(false);
      await sweepOnce(world);
      expect(await world.drive(first.runId)).toMatchObject({ status: "completed" });
    });
  });

  test("POL-13 lifted in the moment the run comes to rest: it is sent on nevertheless", async () => {
    await stopHere(true);
    const runId = await started("member", change());
    let lifted: Promise<unknown> | undefined;
    let commits = 0;
    const unlisten = onPoint((point) => {
      if (point === "tool.claim:after") lifted ??= stopHere(false).then(() => sweepOnce(world));
      if (point === "run.commit:before") commits += 1;
    });
    await world.drive(runId);
    unlisten();
    await lifted;
    expect(commits).toBeGreaterThan(0);
    await sweepOnce(world);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "executed", attempt: 1 });
  });

  test("POL-13 APR-3 what waited past its time to execute does not run when the switch is lifted", async () => {
    await stopHere(true);
    const { runId } = await run("member", change());
    await world.shift(901);
    await stopHere(false);
    await sweepOnce(world);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "invalid", invalid_reason: "lapsed", attempt: 0 });
  });

  test("POL-13 a waiting run can be cancelled", async () => {
    await stopHere(true);
    const { runId } = await run("member", change());
    await runs.cancel(world.as("member"), [world.workspaceId], runId);
    await stopHere(false);
    expect(await sweepOnce(world)).toMatchObject({ released: 0 });
    expect(await world.row(runId)).toMatchObject({ status: "cancelled" });
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("POL-13 throwing the switch waits for the claim that saw it open, so that no call goes out afterwards", async () => {
    const holding = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const claim = transaction(world.deps.db, "unscoped", async (tx) => {
      await tx`select pg_advisory_xact_lock_shared(hashtextextended('aiw.writes', 0))`;
      holding.resolve();
      await release.promise;
    });
    await holding.promise;
    let thrown = false;
    const stop = stopHere(true).then(() => (thrown = true));
    await eventually(async () => {
      const waiting = await world.admin.sql`select 1 from pg_locks where locktype = 'advisory' and not granted`;
      return waiting.length > 0 ? true : undefined;
    });
    expect(thrown).toBe(false);
    release.resolve();
    await claim;
    await stop;
    expect(thrown).toBe(true);
    await stopHere(false);
  });

  test("POL-13 both directions are audited, repeating one is not", async () => {
    const count = async (): Promise<number> =>
      (await world.admin.sql`select 1 from audit_events where event in ('writes.stopped', 'writes.resumed')`).length;
    const before = await count();
    for (const stopped of [true, true, false, false]) await stopHere(stopped);
    expect((await count()) - before).toBe(2);
  });
});

test("POL-7 AUD-1 the audit of a run that a condition stopped names the blocked or staged call", async () => {
  await underRule('param.title == "Change the limit"', async () => {
    const { runId } = await run("member", change());
    expect(await auditOf(world, runId)).toContain("approval.staged");
    await runs.cancel(world.as("member"), [world.workspaceId], runId);
  });
});
