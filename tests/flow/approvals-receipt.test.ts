import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connector } from "@aiw/connectors/connector";
import { approvedRequest, commitToMain, detailOf, waitingRequest } from "../kit/requests.ts";
import { auditOf, branchOf, decide, eventsOf, isPushed, onlyRequest, violations } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({ gitLimits: { headTtlMs: 0 } });
});
afterAll(() => world.stop());

/** The real connector, but for what it says it did. */
const reporting = (facts: Record<string, string>): Map<string, Connector> => {
  const git = world.deps.connectors.get("git");
  if (git === undefined) throw new Error("a git connector expected");
  const lying: Connector = Object.create(git, {
    write: {
      value: async (...args: Parameters<Connector["write"]>) => {
        const outcome = await git.write(...args);
        return outcome.kind === "executed" ? { ...outcome, result: { ...outcome.result, facts } } : outcome;
      },
    },
  });
  return new Map([["git", lying]]);
};
/** A frozen request cannot be changed by anybody; the test stands in for an earlier version that wrote it. */
const freeze = async (id: string, change: string): Promise<void> => {
  await world.admin.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(`update approvals set ${change} where id = '${id}'`);
  });
};

describe("receipt (APR-21)", () => {
  test("APR-21 after execution: the executed hash made from what was sent is the approved one, expected and reported effect agree, with all times", async () => {
    const { runId, request } = await approvedRequest(world);
    await world.drive(runId);
    const shown = await detailOf(world, "approver", request.id);
    const { branch, commit } = branchOf(request);
    expect(shown).toMatchObject({ status: "executed", executedHash: request.snapshot_hash, incident: false });
    expect(shown.effects).toEqual([
      {
        fact: "branch",
        predicted: branch.slice("refs/heads/".length),
        actual: branch.slice("refs/heads/".length),
        same: true,
      },
      { fact: "commit", predicted: commit, actual: commit, same: true },
      { fact: "base", predicted: expect.any(String), actual: expect.any(String), same: true },
    ]);
    const times = [shown.decidedAt, shown.executingAt, shown.executedAt].map((at) => Date.parse(at ?? ""));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(await auditOf(world, runId)).not.toContain("approval.incident");
    expect(await violations(world, [runId])).toEqual([]);
  });

  test("APR-21 another effect than the expected one is an incident: told in the run, audited, and shown", async () => {
    const { runId, request } = await approvedRequest(world);
    const { branch } = branchOf(request);
    const facts = { branch: branch.slice("refs/heads/".length), commit: "0".repeat(40), base: "1".repeat(40) };
    await world.stepOnce(runId, { ...world.deps, connectors: reporting(facts) });
    const shown = await detailOf(world, "approver", request.id);
    expect(shown).toMatchObject({ status: "executed", incident: true, executedHash: request.snapshot_hash });
    expect(shown.effects.map((e) => [e.fact, e.same])).toEqual([
      ["branch", true],
      ["commit", false],
      ["base", false],
    ]);
    const [row] = await world.admin
      .sql`select data from audit_events where event = 'approval.incident' and object_id = ${request.id}`;
    expect(row?.["data"]).toMatchObject({ differs: ["commit", "base"], approvedHash: request.snapshot_hash });
    const told = (await eventsOf(world, runId)).filter((e) => e.data["incident"] === true);
    expect(told.map((e) => e.data["status"])).toEqual(["executed"]);
    await world.drive(runId);
  });

  test("APR-21 a missing fact is a difference too", async () => {
    const { runId, request } = await approvedRequest(world);
    await world.stepOnce(runId, { ...world.deps, connectors: reporting({}) });
    expect(await detailOf(world, "approver", request.id)).toMatchObject({ incident: true });
    await world.drive(runId);
  });
});

describe("rehearsal (APR-20)", () => {
  test("APR-20 a proposal is tried on the target branch as it is, and the evidence is part of what is decided on", async () => {
    const { runId, request } = await waitingRequest(world);
    const shown = await detailOf(world, "approver", request.id);
    const { tree, commit } = JSON.parse(request.form) as { tree: string; commit: string };
    expect(shown.preview.rehearsal).toMatchObject({
      kind: "rehearsed",
      evidence: {
        base: shown.preconditions["base"],
        head: shown.preconditions["base"],
        target: "main",
        tree,
        commit,
        files: 1,
        conflicts: [],
      },
    });
    // Another word of the evidence, and the request is no longer the one that was decided on.
    await decide(world, "approver", request, "approved");
    await freeze(request.id, `preview = replace(preview, '"conflicts":[]', '"conflicts":["a"]')`);
    await world.drive(runId);
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "invalid", invalid_reason: "tampered" });
    expect(isPushed(world, request)).toBe(false);
  });

  test("APR-20 a target that moved meanwhile: the tree a merge would give, or the files that stand against it", async () => {
    const git = world.deps.connectors.get("git");
    const { runId, request } = await waitingRequest(world);
    const tool = git?.tools.find((t) => t.id === "git.propose_change");
    const [source] = await world.admin.sql<
      { config: { url: string }; secret: string }[]
    >`select config, secret from sources where id = ${world.sourceId}`;
    if (git?.rehearse === undefined || tool === undefined || source === undefined)
      throw new Error("a tool that can be rehearsed expected");
    const secret = await world.deps.vault.open(source.secret, `source:${world.sourceId}`);
    const context = {
      userId: world.people.member.userId,
      workspaceId: world.workspaceId,
      teamId: world.teamId,
      runId,
      source: {
        id: world.sourceId,
        name: "orders",
        kind: "git",
        config: { ...source.config, branch: null, username: null },
        secret,
      },
      pin: null,
      signal: AbortSignal.timeout(20_000),
      timeoutMs: 20_000,
      maxResultBytes: 65_536,
    };
    const { tree } = JSON.parse(request.form) as { tree: string };
    const head = commitToMain(world, "docs/elsewhere.md", "new\n");
    const merged = await git.rehearse(tool, request.form, context);
    expect(merged).toMatchObject({ head, conflicts: [] });
    expect(merged?.["tree"]).toMatch(/^[0-9a-f]{40}$/);
    expect(merged?.["tree"]).not.toBe(tree);
    commitToMain(world, "src/discount.ts", "export const discount = 2;\n");
    expect(await git.rehearse(tool, request.form, context)).toMatchObject({
      conflicts: ["src/discount.ts"],
      tree: null,
    });
    expect(isPushed(world, request)).toBe(false);
    await decide(world, "approver", request, "rejected");
    await world.drive(runId);
  });
});

describe("requests of an earlier version (APR-2)", () => {
  test.each([
    [
      "snapshot",
      `snapshot = replace(snapshot, 'aiw-snapshot-v2', 'aiw-snapshot-v1'), snapshot_hash = encode(sha256(convert_to(replace(snapshot, 'aiw-snapshot-v2', 'aiw-snapshot-v1'), 'UTF8')), 'hex')`,
    ],
  ])(
    "APR-2 a request with an earlier form of %s is upgraded, told at the click, and can be prepared again",
    async (_, change) => {
      const { runId, request } = await waitingRequest(world, { path: "src/greeting.ts", find: "hello" });
      await freeze(request.id, change);
      const old = await onlyRequest(world, runId);
      await expect(decide(world, "approver", old, "approved")).rejects.toMatchObject({ code: "invalid" });
      expect(await onlyRequest(world, runId)).toMatchObject({ status: "invalid", invalid_reason: "upgraded" });
      await world.drive(runId);
      expect(await detailOf(world, "member", request.id)).toMatchObject({ mayRequestAgain: true });
    },
  );

  test("APR-2 approved before the upgrade: nothing is executed", async () => {
    const { runId, request } = await waitingRequest(world, { path: "src/greeting.ts", find: "hello" });
    await decide(world, "approver", request, "approved");
    await freeze(
      request.id,
      `snapshot = replace(snapshot, 'aiw-snapshot-v2', 'aiw-snapshot-v1'), snapshot_hash = encode(sha256(convert_to(replace(snapshot, 'aiw-snapshot-v2', 'aiw-snapshot-v1'), 'UTF8')), 'hex')`,
    );
    await world.drive(runId);
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "invalid", invalid_reason: "upgraded" });
    expect(isPushed(world, request)).toBe(false);
  });
});
