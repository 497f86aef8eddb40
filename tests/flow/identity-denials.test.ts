import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Api, type Client, startApi } from "./http-fixture.ts";
import { addWaiting, type Waiting } from "./http-records.ts";

let api: Api;
let waiting: Waiting;
let member: Client;
let approver: Client;
beforeAll(async () => {
  api = await startApi();
  waiting = await addWaiting(api, api.workspaceId, "owner");
  member = await api.signIn("member");
  approver = await api.signIn("approver");
});
beforeEach(() => api.admin.sql`delete from audit_events where event = 'authorization.denied'`);
afterAll(() => api.stop());

const denials = async () =>
  (
    await api.admin.sql`select workspace_id, actor_id, object_kind, object_id, run_id, data from audit_events
                         where event = 'authorization.denied' order by id`
  ).map((row) => ({ ...row }));

test("AUD-1: a refused change of a run is audited once, with who, what and where, and admins of the workspace read it", async () => {
  const comment = { approvalId: waiting.approvalId, outcome: "end", comment: "looked" };
  expect((await member.call("POST", `/api/runs/${waiting.runId}/cancel`)).body.code).toBe("forbidden");
  expect((await member.call("POST", `/api/runs/${waiting.runId.toUpperCase()}/resume`)).body.code).toBe("forbidden");
  expect((await approver.call("POST", `/api/runs/${waiting.runId}/reconcile`, comment)).body.code).toBe("forbidden");
  const about = { workspace_id: api.workspaceId, object_kind: "run", object_id: waiting.runId, run_id: waiting.runId };
  expect(await denials()).toEqual([
    { ...about, actor_id: api.ids.member, data: { endpoint: "cancelRun", code: "forbidden" } },
    { ...about, actor_id: api.ids.member, data: { endpoint: "resumeRun", code: "forbidden" } },
    { ...about, actor_id: api.ids.approver, data: { endpoint: "reconcileRun", code: "forbidden" } },
  ]);
  const owner = await api.signIn("owner");
  const page = await owner.call("GET", `/api/workspaces/${api.workspaceId}/audit?limit=1`);
  expect(page.body.items[0]).toMatchObject({ event: "authorization.denied", actor: { name: "The approver" } });
});

test("AUD-1: a refused renewal of a request is audited once, with its workspace", async () => {
  expect((await approver.call("POST", `/api/approvals/${waiting.approvalId}/request-again`)).body.code).toBe(
    "forbidden",
  );
  expect(await denials()).toEqual([
    {
      workspace_id: api.workspaceId,
      actor_id: api.ids.approver,
      object_kind: "approval",
      object_id: waiting.approvalId,
      run_id: null,
      data: { endpoint: "requestAgain", code: "forbidden" },
    },
  ]);
});

test("AUD-1: what a verb or the database audited itself is not written a second time", async () => {
  const seen = { seenHash: waiting.snapshotHash };
  expect((await member.call("POST", `/api/approvals/${waiting.approvalId}/approve`, seen)).body.code).toBe(
    "approver_missing",
  );
  expect((await member.call("PATCH", `/api/workspaces/${api.workspaceId}`, { description: "x" })).body.code).toBe(
    "forbidden",
  );
  expect((await member.call("GET", "/api/admin/tools")).body.code).toBe("forbidden");
  await api.admin.sql`update approvals set four_eyes = true where id = ${waiting.approvalId}`;
  const owner = await api.signIn("owner");
  expect((await owner.call("POST", `/api/approvals/${waiting.approvalId}/approve`, seen)).body.code).toBe("four_eyes");
  expect((await denials()).map((row) => row["data"])).toEqual([
    { code: "approver_missing" },
    { needed: "workspace_admin" },
    { needed: "platform_admin" },
    { code: "four_eyes" },
  ]);
});

test("AUD-1: a refusal without a workspace is audited as the platform's; what is hidden or conflicting is no refusal of rights", async () => {
  const global = await api.signIn("global");
  expect((await global.call("POST", "/api/workspaces", { name: "Mine" })).body.code).toBe("forbidden");
  const outsider = await api.signIn("outsider");
  expect((await outsider.call("POST", `/api/runs/${waiting.runId}/cancel`)).status).toBe(404);
  expect((await member.call("POST", `/api/runs/${randomUUID()}/cancel`)).status).toBe(404);
  const owner = await api.signIn("owner");
  expect((await owner.call("POST", `/api/runs/${waiting.runId}/resume`)).status).toBe(409);
  expect(await denials()).toEqual([
    {
      workspace_id: null,
      actor_id: api.ids.global,
      object_kind: null,
      object_id: null,
      run_id: null,
      data: { endpoint: "createWorkspace", code: "forbidden" },
    },
  ]);
});
