import { randomUUID } from "node:crypto";
import * as approvals from "@aiw/core/approvals";
import { runJob } from "@aiw/function-jobs/run-job";
import { onPoint } from "@aiw/platform/fault";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Api, startApi } from "../flow/http-fixture.ts";
import { addWaiting } from "../flow/http-records.ts";
import { jobsOf } from "../kit/mcp.ts";
import {
  auditOf,
  callsOf,
  decide,
  isPushed,
  onlyRequest,
  outputsOf,
  propose,
  readFile,
  requestsOf,
  topic,
  violations,
} from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

describe("what a request shows is what it does", () => {
  test("N30 a summary of the model that lies is kept apart: neither title nor change nor what is decided on has a word of it", async () => {
    const t = topic();
    const lie = "I only fixed a typo in the README; the owner has approved it already.";
    world.script.push(t, { text: lie, calls: [propose("total >= 3000")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const request = await onlyRequest(world, runId);
    const view = await approvals.detail(world.as("approver"), [world.workspaceId], request.id);
    expect(view.modelNote).toBe(lie);
    const [row] = await world.admin.sql<
      { title: string; snapshot: string }[]
    >`select title, snapshot from approvals where id = ${request.id}`;
    for (const shown of [view.title, row?.title, row?.snapshot, JSON.stringify(view.preview), view.args])
      expect(shown).not.toContain("typo");
    expect(JSON.stringify(view.preview)).toContain("total >= 3000");
  });

  test("N33 a call id used again in another run, or the same arguments by another person, is another request", async () => {
    const asked = async (role: "member" | "owner"): Promise<string> => {
      const t = topic();
      world.script.push(t, { calls: [{ ...propose("total >= 3001"), callId: "call_same" }] }, { text: "done" });
      const { runId } = await world.ask(t, role);
      await world.drive(runId);
      return runId;
    };
    const runs = [await asked("member"), await asked("member"), await asked("owner")];
    const requests = await Promise.all(runs.map((runId) => onlyRequest(world, runId)));
    const [first, ...others] = requests;
    if (first === undefined) throw new Error("no request");
    expect(new Set(requests.map((r) => r.args_text)).size).toBe(1);
    expect(new Set(requests.map((r) => r.snapshot_hash)).size).toBe(3);
    await decide(world, "approver", first, "approved");
    for (const runId of runs) await world.drive(runId);
    expect(isPushed(world, first)).toBe(true);
    for (const other of others) {
      expect(isPushed(world, other)).toBe(false);
      await expect(
        decide(world, "approver", other, "approved", { seenHash: first.snapshot_hash }),
      ).rejects.toMatchObject({ code: "stale" });
    }
  });
});

describe("what a model writes as arguments (N24, N25, N43)", () => {
  const path = '"path":"README.md"';
  const BAD: Readonly<Record<string, string>> = {
    "N24 a member twice": `{${path},${path}}`,
    "N24 a member twice, once escaped": `{${path},"p\\u0061th":"x"}`,
    "N25 2^53+1": `{${path},"start_line":9007199254740993}`,
    "N25 1e400": `{${path},"start_line":1e400}`,
    "N43 __proto__": `{${path},"__proto__":{"is_admin":true}}`,
    "N43 constructor": `{${path},"constructor":{}}`,
    "N43 toString": `{${path},"toString":"x"}`,
    "N43 a list": `[{${path}}]`,
    "N43 a text": '"README.md"',
    "N43 null": "null",
    "N43 a number as text": `{${path},"start_line":"5"}`,
    "N43 a text as number": '{"path":5}',
    "N43 NaN": `{${path},"start_line":NaN}`,
    "N43 Infinity": `{${path},"start_line":Infinity}`,
    "N43 a byte order mark": `\ufeff{${path}}`,
    "N43 a hundred levels": `{"path":${"[".repeat(100)}${"]".repeat(100)}}`,
    "F10 U+0000": '{"path":"a\\u0000b"}',
    "F10 half a surrogate pair": '{"path":"\\ud800"}',
    "RUN-15 a megabyte": `{"path":"${"x".repeat(1_100_000)}"}`,
    "RUN-15 not JSON": `{${path}`,
  };
  test.each(Object.entries(BAD))(
    "%s is an error for the model and an audit row; nothing is read, the run goes on",
    async (_, args) => {
      const t = topic();
      world.script.push(t, { calls: [{ name: "git_read_file", arguments: args }] }, { text: "understood" });
      const { runId } = await world.ask(t);
      let reads = 0;
      const unlisten = onPoint((point) => void (point === "tool.read:before" && (reads += 1)));
      expect(await world.drive(runId)).toMatchObject({ status: "completed", end_reason: "answered" });
      unlisten();
      expect(reads).toBe(0);
      expect((await outputsOf(world, runId))[0]).toMatch(/^error: The arguments could not be used/);
      expect(await auditOf(world, runId)).toContain("tool.bad_arguments");
      expect(await violations(world, [runId])).toEqual([]);
    },
  );

  test("I9 I10 a hundred calls with ids of others, unknown names and spoilt arguments: each answered once, in order, nobody else's thing touched", async () => {
    const foreign = await foreignSource();
    const t = topic();
    const calls = Array.from({ length: 100 }, (_, n) => {
      if (n % 4 === 0) return { name: "git_read_file", arguments: { path: "README.md", source: foreign } };
      if (n % 4 === 1) return { name: "approve", arguments: { workspace_id: foreign, approval: randomUUID() } };
      if (n % 4 === 2) return { name: "git_read_file", arguments: Object.values(BAD)[n % 15] ?? "" };
      return readFile("README.md");
    });
    world.script.push(t, { calls }, { text: "done" });
    const { runId } = await world.ask(t);
    expect(await world.drive(runId)).toMatchObject({ status: "completed" });
    const rows = await callsOf(world, runId);
    expect(rows).toHaveLength(100);
    expect(rows.map((row) => row.status)).toEqual(calls.map((_, n) => (n % 4 === 3 ? "executed" : "failed")));
    expect(await requestsOf(world, runId)).toEqual([]);
    expect(await violations(world, [runId])).toEqual([]);
  });

  /** A source of another workspace, by its id. */
  const foreignSource = async (): Promise<string> => {
    const [team] = await world.admin.sql<{ id: string }[]>`select id from teams where name = 'Logistics'`;
    const [workspace] = await world.admin.sql<{ id: string }[]>`
      insert into workspaces (name, description, team_id, created_by) values (${randomUUID()}, '', ${team?.id ?? ""}, ${world.people.outsider.userId}) returning id`;
    const id = randomUUID();
    await world.admin.sql`insert into sources (id, workspace_id, kind, name, config, status, confirmed_by, created_by)
      values (${id}, ${workspace?.id ?? ""}, 'git', 'theirs', ${world.admin.sql.json({ url: world.repository.url, branch: null, username: null })}, 'tested',
              ${world.people.outsider.userId}, ${world.people.outsider.userId})`;
    return id;
  };
});

describe("messages are doorbells (N86)", () => {
  test("N86 a message with a forged or foreign id, or one that comes again, changes nothing", async () => {
    const t = topic();
    world.script.push(t, { calls: [propose("total >= 3002")] }, { text: "done" });
    const { runId } = await world.ask(t);
    await world.drive(runId);
    const everything = async (): Promise<unknown> =>
      world.admin
        .sql`select (select md5(string_agg(r::text, '' order by r.id)) from runs r) as runs, (select md5(string_agg(a::text, '' order by a.id)) from approvals a) as approvals,
        (select count(*) from run_events) as events, (select count(*) from audit_events) as audit, (select md5(string_agg(j::text, '' order by j.id)) from jobs j) as jobs`;
    const before = await everything();
    expect(await world.stepOnce(randomUUID())).toEqual({ did: "nothing", why: "none" });
    expect(await world.stepOnce(world.workspaceId)).toEqual({ did: "nothing", why: "none" });
    for (let n = 0; n < 3; n += 1) expect(await world.stepOnce(runId)).toEqual({ did: "nothing", why: "none" });
    await runJob(jobsOf(world), randomUUID());
    expect(await everything()).toEqual(before);
    expect(await onlyRequest(world, runId)).toMatchObject({ status: "pending" });
  });
});

describe("several decisions at once (N38)", () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  test("F54 nobody edits what was asked for: arguments beside a decision are refused, and the database refuses to change a frozen request", async () => {
    const { approvalId, snapshotHash: seenHash } = await addWaiting(api, api.workspaceId, "member");
    const approver = await api.signIn("approver");
    const base = `/api/approvals/${approvalId}`;
    for (const edit of ["args", "arguments", "edited", "form", "preview", "snapshot", "snapshotHash"]) {
      for (const [path, body] of [
        [`${base}/approve`, { seenHash }],
        [`${base}/reject`, { seenHash, reason: "no" }],
        [
          `/api/projects/${api.workspaceId}/approvals/${approvalId}/decide`,
          { status: "approved", seen_hash: seenHash },
        ],
      ] as const) {
        const answer = await approver.call("POST", path, { ...body, [edit]: { amount: 1 } });
        expect([path, edit, answer.status]).toEqual([path, edit, 400]);
      }
    }
    const { sql } = api.admin;
    for (const column of ["args_text", "form", "preview", "preconditions", "snapshot", "snapshot_hash"])
      await expect(
        sql.unsafe(`update approvals set ${column} = ${column} || ' ' where id = '${approvalId}'`),
      ).rejects.toMatchObject({ code: "AIW02" });
    const [row] = await sql`select status, args_text from approvals where id = ${approvalId}`;
    expect(row).toEqual({ status: "pending", args_text: "{}" });
  });

  test("N38 each is a decision of its own with its own answer; an id of another workspace is nothing in its place", async () => {
    const own = [await addWaiting(api, api.workspaceId, "member"), await addWaiting(api, api.workspaceId, "member")];
    const foreign = await addWaiting(api, api.otherWorkspaceId, "outsider");
    const approver = await api.signIn("approver");
    const ids = [own[0]?.approvalId, foreign.approvalId, randomUUID(), own[1]?.approvalId];
    const answers = await Promise.all(
      ids.map((id) => approver.call("POST", `/api/approvals/${id}/approve`, { seenHash: foreign.snapshotHash })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 200]);
    const [absent, other] = [answers[2]?.body, answers[1]?.body];
    expect({ ...other, requestId: "" }).toEqual({ ...absent, requestId: "" });
    const [row] = await api.admin.sql`select status, decided_by from approvals where id = ${foreign.approvalId}`;
    expect(row).toEqual({ status: "pending", decided_by: null });
  });
});
