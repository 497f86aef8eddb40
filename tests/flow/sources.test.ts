import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGitConnector } from "@aiw/connectors/git";
import * as jobs from "@aiw/core/jobs";
import * as sources from "@aiw/core/sources";
import type { JobsDeps } from "@aiw/function-jobs/compose";
import { runJob } from "@aiw/function-jobs/run-job";
import { seedDemoRepository } from "@aiw/infra/local/demo-repository";
import { startGitServer, type GitServer } from "@aiw/infra/local/git-server";
import { setFaultPlan } from "@aiw/platform/fault";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Answer, type Api, type Client, startApi } from "./http-fixture.ts";
import { addWaiting } from "./http-records.ts";

const TOKEN = "git-token-0123456789-wxyz";
let api: Api;
let owner: Client;
let git: GitServer;
let url: string;
let base: string;
let deps: JobsDeps;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "aiw-sources-"));
  git = await startGitServer({ root: join(directory, "git"), users: [{ name: "service", token: TOKEN }] });
  const repository = git.createRepository("orders");
  seedDemoRepository(repository.directory);
  url = repository.url;
  const allowedHosts = [`127.0.0.1:${git.port}`, "git.example.com"];
  api = await startApi({ allowedHosts });
  owner = await api.signIn("owner");
  base = `/api/workspaces/${api.workspaceId}/sources`;
  const stored = new Map<string, Uint8Array>();
  const connector = createGitConnector({
    egress: { allowedHosts, allowLocal: true },
    bucket: {
      put: async (key: string, bytes: Uint8Array) => void stored.set(key, bytes),
      get: async (key: string) => stored.get(key) ?? null,
    },
  });
  deps = {
    ctx: { ...api.system, db: api.step },
    vault: api.deps.vault,
    connectors: new Map([["git", connector]]),
    gateways: {
      open: () => {
        throw new Error("no gateway is asked here");
      },
    },
    ring: async () => undefined,
    hint: async () => undefined,
  };
});
afterEach(() => setFaultPlan(undefined));
afterAll(async () => {
  await api.stop();
  await git.stop();
  rmSync(directory, { recursive: true, force: true });
});

let count = 0;
const create = (change: object = {}): Promise<Answer> => {
  count += 1;
  return owner.call("POST", base, {
    kind: "git",
    name: `repo ${count}`,
    url,
    token: TOKEN,
    confirmed: true,
    ...change,
  });
};
const testOf = async (id: string): Promise<string> => (await owner.call("POST", `${base}/${id}/test`)).body.id;
const jobOf = async (id: string): Promise<Answer> => owner.call("GET", `/api/workspaces/${api.workspaceId}/jobs/${id}`);
const sourceOf = async (id: string) => (await owner.call("GET", `${base}/${id}`)).body;
const events = async (id: string): Promise<string[]> =>
  (await api.admin.sql`select event from audit_events where object_id = ${id} order by id`).map((row) =>
    String(row["event"]),
  );

test("SRC-2: a source is made untested after the admin confirmed who sees it; both are audited", async () => {
  expect((await create({ confirmed: false })).body).toMatchObject({
    code: "confirmation_required",
    fields: { confirmed: "required" },
  });
  const made = await create({ branch: "main", username: "service" });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    kind: "git",
    status: "untested",
    secretLast4: "wxyz",
    config: { url, branch: "main", username: "service" },
    confirmedBy: { name: "owner" },
    lastTest: null,
  });
  expect(await events(made.body.id)).toEqual(["source.created", "source.visibility_confirmed"]);
  expect((await create({ name: made.body.name.toUpperCase() })).body.code).toBe("name_taken");
});

test("SEC-4: the token is sealed for its row, and in no answer, log or audit row", async () => {
  const made = await create();
  const [row] = await api.admin
    .sql`select secret, secret_last4, config::text as config from sources where id = ${made.body.id}`;
  expect(JSON.stringify(row)).not.toContain(TOKEN);
  expect(await api.deps.vault.open(String(row?.["secret"]), sources.secretContext(made.body.id))).toBe(TOKEN);
  await expect(api.deps.vault.open(String(row?.["secret"]), sources.secretContext("another"))).rejects.toMatchObject({
    code: "wrong_context",
  });
  const audit = await api.admin.sql`select data::text from audit_events`;
  for (const text of [
    JSON.stringify(made.body),
    JSON.stringify(await sourceOf(made.body.id)),
    JSON.stringify(audit),
    api.logs.join("\n"),
  ])
    expect(text).not.toContain(TOKEN);
});

test.for([
  ["ftp://git.example.com/a/b", "source_url_invalid"],
  ["ssh://git@git.example.com/a/b", "source_url_invalid"],
  ["git@git.example.com:a/b.git", "source_url_invalid"],
  ["file:///etc/passwd", "source_url_invalid"],
  ["not an address", "source_url_invalid"],
  ["https://user:pass@git.example.com/a/b", "source_url_invalid"],
  ["https://git.example.com/a/b?token=x", "source_url_invalid"],
  ["https://git.example.com/a/b#x", "source_url_invalid"],
  ["https://git.example.com/", "source_url_invalid"],
  ["https://git.exa\tmple.com/a/b", "source_url_invalid"],
  ["https:\\\\git.example.com\\a", "source_url_invalid"],
  ["http://git.example.com/a/b", "source_url_invalid"],
  ["https://git.example.com:8443/a/b", "source_host_not_allowed"],
  ["https://other.example.com/a/b", "source_host_not_allowed"],
  ["https://git.example.com.evil.example/a/b", "source_host_not_allowed"],
  ["https://169.254.169.254/latest", "source_host_not_allowed"],
  ["https://[::1]/a/b", "source_host_not_allowed"],
  ["http://127.0.0.1:1/a/b", "source_host_not_allowed"],
  ["https://0x7f000001/a", "source_host_not_allowed"],
])("SRC-3: %s is refused as %s before anything is stored", async ([address, code]) => {
  const answer = await create({ url: address });
  expect(answer.body.code).toBe(code);
  expect(answer.body.fields.url).toBeDefined();
});

test("SRC-3: branch names Git would not take and user names with a colon are refused", async () => {
  for (const branch of [
    "a..b",
    "-x",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a\\b",
    "/a",
    "a/",
    "a//b",
    "a.lock",
    ".a",
    "a/.b",
    "@",
    "a@{1}",
    "a.",
    "x\u0007",
  ]) {
    expect((await create({ branch })).body.fields, JSON.stringify(branch)).toEqual({ branch: "invalid" });
  }
  expect((await create({ username: "a:b" })).body.fields).toEqual({ username: "invalid" });
  expect((await create({ branch: "feature/ä-1" })).status).toBe(201);
});

test("SRC-2: a test against a real Git server records its stages, and its result is audited", async () => {
  const { id } = (await create()).body;
  const jobId = await testOf(id);
  expect(api.rungJobs).toContain(jobId);
  expect((await jobOf(jobId)).body).toMatchObject({ kind: "source_test", status: "queued" });
  await runJob(deps, jobId);
  expect((await jobOf(jobId)).body).toMatchObject({ status: "done", errorCode: null });
  const source = await sourceOf(id);
  expect(source).toMatchObject({ status: "tested", lastTest: { ok: true } });
  expect(source.lastTest.stages.every((stage: { ok: boolean }) => stage.ok)).toBe(true);
  expect(await events(id)).toEqual(["source.created", "source.visibility_confirmed", "source.tested"]);
  expect((await owner.call("GET", `/api/workspaces/${api.workspaceId}`)).body).toMatchObject({ chatOpen: true });
});

test("SRC-2: a wrong token fails the test with its code, and the source with it", async () => {
  const { id } = (await create({ token: "not-the-right-token" })).body;
  await runJob(deps, await testOf(id));
  const source = await sourceOf(id);
  expect(source.status).toBe("failed");
  expect(source.lastTest.stages.at(-1)).toMatchObject({ ok: false, code: "source_auth_failed" });
});

test("RUN-4: one click is one job, and a duplicate, late or forged message changes nothing", async () => {
  const { id } = (await create()).body;
  const ids = await Promise.all(Array.from({ length: 8 }, () => testOf(id)));
  expect(new Set(ids).size).toBe(1);
  const [jobId = ""] = ids;
  await Promise.all(Array.from({ length: 5 }, () => runJob(deps, jobId)));
  await runJob(deps, jobId);
  await runJob(deps, "00000000-0000-7000-8000-000000000000");
  expect((await events(id)).filter((event) => event === "source.tested")).toHaveLength(1);
  expect((await api.admin.sql`select attempt, status from jobs where id = ${jobId}`)[0]).toEqual({
    attempt: 1,
    status: "done",
  });
  expect(await testOf(id)).not.toBe(jobId);
});

const dueJobs = async (): Promise<string[]> => (await jobs.ringDue(api.step, 15)).map(({ id }) => id);

test("RUN-5: a lost doorbell is rung again after the grace time, once; a job whose process died is taken over", async () => {
  const { id } = (await create()).body;
  const jobId = await testOf(id);
  expect(await dueJobs()).not.toContain(jobId);
  await api.shift(16);
  const rung = await Promise.all([dueJobs(), dueJobs()]);
  expect(rung.flat().filter((one) => one === jobId)).toHaveLength(1);

  const dead = await jobs.claim(deps.ctx, jobId, 60, jobs.JOB_KINDS.jobs);
  expect(await jobs.claim(deps.ctx, jobId, 60, jobs.JOB_KINDS.jobs)).toBeNull();
  await api.shift(61);
  expect(await dueJobs()).toContain(jobId);
  await runJob(deps, jobId);
  expect((await sourceOf(id)).status).toBe("tested");
  // What the first process comes back with is nobody's business any more.
  const stale = await sources.forTest(deps.ctx, { ...expectJob(dead) });
  expect(stale).not.toBeNull();
  expect(
    await sources.recordTest(deps.ctx, expectJob(dead), { id, secret: null }, { ok: false, stages: [], warnings: [] }),
  ).toBe(false);
  expect((await sourceOf(id)).status).toBe("tested");
});
const expectJob = <T>(job: T | null): T => {
  if (job === null) throw new Error("no job was claimed");
  return job;
};

test("RUN-20: a job that keeps killing its process ends as failed after five attempts", async () => {
  const { id } = (await create()).body;
  const jobId = await testOf(id);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    expect((await jobs.claim(deps.ctx, jobId, 60, jobs.JOB_KINDS.jobs))?.attempt).toBe(attempt);
    await api.shift(61);
  }
  expect(await jobs.claim(deps.ctx, jobId, 60, jobs.JOB_KINDS.jobs)).toBeNull();
  expect((await jobOf(jobId)).body).toMatchObject({ status: "failed", errorCode: "attempts_used_up" });
});

test("a test that breaks by itself ends its job as failed, leaves the source as it was, and can be asked for again", async () => {
  const { id } = (await create()).body;
  const jobId = await testOf(id);
  setFaultPlan({ rules: [{ at: "job.test:before", act: "throw" }] });
  await runJob(deps, jobId);
  setFaultPlan(undefined);
  expect((await jobOf(jobId)).body).toMatchObject({ status: "failed", errorCode: "internal" });
  expect((await sourceOf(id)).status).toBe("untested");
  await runJob(deps, await testOf(id));
  expect((await sourceOf(id)).status).toBe("tested");
});

test("SRC-2: new credentials make a source untested, and a test of the old ones does not count for them", async () => {
  const { id } = (await create()).body;
  const jobId = await testOf(id);
  const job = expectJob(await jobs.claim(deps.ctx, jobId, 60, jobs.JOB_KINDS.jobs));
  const old = await sources.forTest(deps.ctx, job);
  const replaced = await owner.call("PUT", `${base}/${id}/secret`, { token: "a-new-token-5678", username: "other" });
  expect(replaced.body).toMatchObject({
    status: "untested",
    secretLast4: "5678",
    lastTest: null,
    config: { username: "other" },
  });
  if (old === null) throw new Error("the source is gone");
  expect(await sources.recordTest(deps.ctx, job, old, { ok: true, stages: [], warnings: [] })).toBe(true);
  expect((await sourceOf(id)).status).toBe("untested");
  expect((await jobOf(jobId)).body.status).toBe("done");
  expect(await events(id)).not.toContain("source.tested");
  expect((await owner.call("PUT", `${base}/${id}/secret`, { token: "short" })).body.secretLast4).toBe("");
});

test("SRC-2: a removed source is gone with its credentials, its name is free, and a late test finds nothing", async () => {
  const made = (await create()).body;
  const jobId = await testOf(made.id);
  expect((await owner.call("DELETE", `${base}/${made.id}`)).status).toBe(204);
  expect((await owner.call("DELETE", `${base}/${made.id}`)).status).toBe(404);
  expect((await owner.call("GET", `${base}/${made.id}`)).status).toBe(404);
  expect((await owner.call("POST", `${base}/${made.id}/test`)).status).toBe(404);
  expect((await api.admin.sql`select secret, secret_last4 from sources where id = ${made.id}`)[0]).toEqual({
    secret: null,
    secret_last4: null,
  });
  await runJob(deps, jobId);
  expect((await jobOf(jobId)).body).toMatchObject({ status: "failed", errorCode: "not_found" });
  expect((await create({ name: made.name })).status).toBe(201);
});

test("RUN-1: removing a source ends its open requests as superseded, sends their runs on, and touches no other", async () => {
  const { id } = (await create()).body;
  const mine = await addWaiting(api, api.workspaceId, "member", id);
  const approved = await addWaiting(api, api.workspaceId, "member", id);
  const other = await addWaiting(api, api.workspaceId, "member", (await create()).body.id);
  await owner.call("POST", `/api/approvals/${approved.approvalId}/approve`, { seenHash: approved.snapshotHash });
  const rung = api.rungRuns.length;
  expect((await owner.call("DELETE", `${base}/${id}`)).status).toBe(204);
  const state = async (one: { approvalId: string; runId: string }) =>
    (
      await api.admin
        .sql`select a.status, a.invalid_reason as reason, r.status as run from approvals a join runs r on r.id = a.run_id where a.id = ${one.approvalId}`
    )[0];
  expect(await state(mine)).toEqual({ status: "invalid", reason: "superseded", run: "queued" });
  expect(await state(approved)).toEqual({ status: "invalid", reason: "superseded", run: "queued" });
  expect(await state(other)).toEqual({ status: "pending", reason: null, run: "waiting_approval" });
  expect(api.rungRuns.slice(rung)).toEqual([{ teamId: api.teamId, runIds: [mine.runId] }]);
  expect(await events(mine.approvalId)).toContain("approval.invalid");
  const late = await owner.call("POST", `/api/approvals/${mine.approvalId}/approve`, { seenHash: mine.snapshotHash });
  expect([late.status, late.body.code]).toEqual([409, "invalid"]);
  const seqs = await api.admin.sql`select seq from run_events where run_id = ${mine.runId} order by seq`;
  expect(seqs.map((row) => row["seq"])).toEqual(seqs.map((_, index) => index + 1));
});

test("IDN-2: `aiw create-admin` makes a platform admin whose one-time password works, once; `aiw doctor` finds all well", async () => {
  const run = (...args: string[]): Promise<{ code: number | null; out: string }> =>
    new Promise((resolve) => {
      const env = {
        ...process.env,
        AIW_DATABASE_ADMIN_URL: api.database.adminUrl,
        AIW_DATABASE_API_URL: api.database.apiUrl,
        AIW_DATABASE_STEP_URL: api.database.stepUrl,
      };
      const child = spawn(process.execPath, [join(import.meta.dirname, "../../packages/cli/src/main.ts"), ...args], {
        env,
      });
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => void (out += chunk.toString()));
      child.on("close", (code) => resolve({ code, out }));
    });
  const made = await run("create-admin", "boss", "The", "boss");
  expect(made.code).toBe(0);
  const password = /One-time password \(shown only now\): (\S+)/.exec(made.out)?.[1] ?? "";
  const login = await api.anonymous.call("POST", "/api/login", { name: "boss", password });
  expect(login.body).toMatchObject({ displayName: "The boss", isPlatformAdmin: true, mustChangePassword: true });
  const again = await run("create-admin", "Boss");
  expect(again.code).toBe(1);
  expect((await run("create-admin")).code).toBe(2);
  expect((await run("nonsense")).code).toBe(2);
  const checked = await run("doctor");
  expect(checked).toMatchObject({ code: 0 });
  expect(checked.out).toContain("ok   migrations");
});
