import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as identity from "@aiw/core/identity";
import { ENDPOINTS, type Endpoint } from "@aiw/contract/api";
import { type APPROVAL_RIGHTS, RIGHTS_OF, type Capacity } from "@aiw/contract/rights";
import { addWaiting, SNAPSHOT_HASH, type Waiting } from "./http-records.ts";
import { type Answer, type Api, type Role, startApi } from "./http-fixture.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
  sourceId = await api.addTestedSource(api.workspaceId, "owner");
});
afterAll(() => api.stop());
let sourceId: string;
let waiting: Waiting;
beforeEach(async () => {
  waiting = await addWaiting(api, api.workspaceId, "member", sourceId);
});

const ALL = ["approvals.view", "approvals.decide", "runs.view", "runs.start"];
const keysPath = (): string => `/api/workspaces/${api.workspaceId}/keys`;
const keyOf = async (
  role: Role,
  scopes: readonly string[] = ALL,
  expiresInDays = 30,
): Promise<{ token: string; id: string }> => {
  const client = await api.signIn(role);
  const made = await client.call("POST", keysPath(), { name: `of ${role}`, scopes, expiresInDays });
  expect(made.status).toBe(201);
  return { token: made.body.token, id: made.body.key.id };
};
const withKey = (
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => api.anonymous.call(method, path, body, { authorization: `Bearer ${token}`, ...headers });
const decidePath = (id = waiting.approvalId, project = api.workspaceId): string =>
  `/api/projects/${project}/approvals/${id}/decide`;

describe("API keys (IDN-5)", () => {
  test("IDN-5 SEC-9 a key is shown once: no list, row, log or audit entry holds it", async () => {
    const { token } = await keyOf("member");
    expect(token).toMatch(/^aiw_[A-Za-z0-9_-]{43}$/);
    const listed = await (await api.signIn("member")).call("GET", keysPath());
    expect(listed.body.items[0]).toMatchObject({ last4: token.slice(-4), owner: { name: "member" }, lastUsedAt: null });
    await withKey(token, "GET", "/api/approvals");
    const rows = await api.admin
      .sql`select to_jsonb(k)::text as text from api_keys k union all select to_jsonb(e)::text from audit_events e`;
    for (const text of [JSON.stringify(listed.body), JSON.stringify(rows), api.logs.join("\n")])
      expect(text).not.toContain(token);
    const used = await (await api.signIn("member")).call("GET", keysPath());
    expect(used.body.items[0].lastUsedAt).not.toBeNull();
    const [made] = await api.admin
      .sql`select data from audit_events where event = 'key.created' order by id desc limit 1`;
    expect(made?.["data"]).toMatchObject({ scopes: ALL });
  });

  test("IDN-5 owner and admins revoke, others do not see it; a revoked, expired or disabled owner's key is nobody", async () => {
    const mine = await keyOf("member");
    const works = async (token: string): Promise<number> => (await withKey(token, "GET", "/api/approvals")).status;
    expect(await works(mine.token)).toBe(200);
    const approver = await api.signIn("approver");
    expect((await approver.call("DELETE", `${keysPath()}/${mine.id}`)).status).toBe(404);
    expect((await approver.call("GET", keysPath())).body.items).toEqual([]);
    const owner = await api.signIn("owner");
    expect((await owner.call("DELETE", `${keysPath()}/${mine.id}`)).status).toBe(204);
    expect((await owner.call("DELETE", `${keysPath()}/${mine.id}`)).status).toBe(204);
    expect(await works(mine.token)).toBe(401);
    expect(
      await api.admin.sql`select 1 from audit_events where event = 'key.revoked' and object_id = ${mine.id}`,
    ).toHaveLength(1);

    const short = await keyOf("member", ALL, 1);
    await api.admin.sql`update api_keys set expires_at = aiw_now() where id = ${short.id}`;
    expect(await works(short.token)).toBe(401);

    const leaver = await keyOf("leaver");
    expect(await works(leaver.token)).toBe(200);
    await identity.disableUser(api.system, api.ids.leaver);
    expect(await works(leaver.token)).toBe(401);
    await api.admin.sql`update users set disabled_at = null where id = ${api.ids.leaver}`;
  });

  test("IDN-5 scopes are a set: one that is named twice counts once", async () => {
    const client = await api.signIn("member");
    const scopes = ["runs.view", "approvals.view", "runs.view"];
    const made = await client.call("POST", keysPath(), { name: "twice", scopes, expiresInDays: 1 });
    expect(made).toMatchObject({ status: 201, body: { key: { scopes: ["runs.view", "approvals.view"] } } });
  });

  test("IDN-5 a key does what its scopes name and nothing else: every other endpoint is refused", async () => {
    const { token } = await keyOf("owner");
    const answers: string[] = [];
    for (const [name, endpoint] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
      if (endpoint.access === "public" || endpoint.scope !== undefined) continue;
      const path = endpoint.path.replace(/:workspaceId/, api.workspaceId).replace(/:\w+/g, waiting.approvalId);
      const { status } = await withKey(token, endpoint.method, path, endpoint.body === undefined ? undefined : {});
      if (status !== 403) answers.push(`${name} ${status}`);
    }
    expect(answers).toEqual([]);
    const viewing = await keyOf("approver", ["approvals.view"]);
    expect((await withKey(viewing.token, "GET", `/api/approvals/${waiting.approvalId}`)).status).toBe(200);
    const refused = await withKey(viewing.token, "POST", decidePath(), { status: "approved" });
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
  });

  test("IDN-5 a key's rights are its owner's at the moment of use, in its workspace alone, never a platform admin's", async () => {
    const { token } = await keyOf("approver");
    expect((await withKey(token, "GET", `/api/approvals/${waiting.approvalId}`)).status).toBe(200);
    await api.admin
      .sql`update memberships set role = 'member' where user_id = ${api.ids.approver} and workspace_id = ${api.workspaceId}`;
    expect((await withKey(token, "GET", `/api/approvals/${waiting.approvalId}`)).status).toBe(404);
    expect((await withKey(token, "POST", decidePath(), { status: "approved" })).body.code).toBe("approver_missing");
    await api.admin
      .sql`update memberships set role = 'approver' where user_id = ${api.ids.approver} and workspace_id = ${api.workspaceId}`;

    // The owner joins the other workspace too, and is a global approver: the key stays where it was made.
    await api.admin
      .sql`insert into memberships (workspace_id, user_id, role) values (${api.otherWorkspaceId}, ${api.ids.approver}, 'admin')`;
    await api.admin.sql`update users set is_global_approver = true where id = ${api.ids.approver}`;
    const otherSource = await api.addTestedSource(api.otherWorkspaceId, "outsider");
    const there = await addWaiting(api, api.otherWorkspaceId, "outsider", otherSource);
    const global = await addWaiting(api, api.otherWorkspaceId, "outsider", otherSource, "global_approver");
    const session = await api.signIn("approver");
    for (const { approvalId } of [there, global]) {
      expect((await session.call("GET", `/api/approvals/${approvalId}`)).status).toBe(200);
      expect((await withKey(token, "GET", `/api/approvals/${approvalId}`)).status).toBe(404);
      for (const project of [api.workspaceId, api.otherWorkspaceId])
        expect((await withKey(token, "POST", decidePath(approvalId, project), { status: "approved" })).status).toBe(
          404,
        );
    }
    expect((await withKey(token, "GET", `/api/runs/${there.runId}`)).status).toBe(404);
    expect((await withKey(token, "GET", `/api/workspaces/${api.otherWorkspaceId}/runs`)).status).toBe(404);
    const listed = await withKey(token, "GET", "/api/approvals");
    expect(new Set(listed.body.items.map((i: { workspaceId: string }) => i.workspaceId))).toEqual(
      new Set([api.workspaceId]),
    );
    await api.admin
      .sql`delete from memberships where workspace_id = ${api.otherWorkspaceId} and user_id = ${api.ids.approver}`;
    await api.admin.sql`update users set is_global_approver = false where id = ${api.ids.approver}`;
  });

  test("N20 N15 only the bearer scheme counts; with the header the cookie counts for nothing; no origin is asked for", async () => {
    const { token } = await keyOf("approver");
    const session = await api.signIn("owner");
    for (const authorization of [
      `Basic ${token}`,
      `bearer${token}`,
      token,
      `Bearer ${token} x`,
      "Bearer ",
      `Bearer aiw_${"A".repeat(43)}`,
    ]) {
      expect((await api.anonymous.call("GET", "/api/approvals", undefined, { authorization })).status).toBe(401);
      expect((await session.call("GET", "/api/me", undefined, { authorization })).status).toBe(401);
    }
    const cross = { origin: "https://elsewhere.example.com", "sec-fetch-site": "cross-site" };
    expect(
      (await session.call("POST", decidePath(), { status: "approved", seen_hash: SNAPSHOT_HASH }, cross)).body.code,
    ).toBe("cross_site");
    expect((await withKey(token, "POST", decidePath(), { status: "approved" }, cross)).status).toBe(200);
  });

  test("SEC-6 calls with one key are limited", async () => {
    const limited = await startApi({ callsPerKey: 5 });
    try {
      const client = await limited.signIn("member");
      const made = await client.call("POST", `/api/workspaces/${limited.workspaceId}/keys`, {
        name: "k",
        scopes: ALL,
        expiresInDays: 1,
      });
      const statuses: number[] = [];
      for (let n = 0; n < 7; n += 1)
        statuses.push(
          (
            await limited.anonymous.call("GET", "/api/approvals", undefined, {
              authorization: `Bearer ${made.body.token}`,
            })
          ).status,
        );
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    } finally {
      await limited.stop();
    }
  });
});

describe("deciding by API (APR-13)", () => {
  test("APR-13 without seen_hash only a key decides, and request, page and audit say that no hash was seen", async () => {
    const session = await api.signIn("approver");
    const refused = await session.call("POST", decidePath(), { status: "approved" });
    expect([refused.status, refused.body.code]).toEqual([400, "seen_hash_required"]);
    const { token, id } = await keyOf("approver");
    const done = await withKey(token, "POST", decidePath(), {
      status: "approved",
      reason: "checked by the release service",
    });
    expect([done.status, done.body.status]).toEqual([200, "approved"]);
    expect(done.body.votes).toMatchObject([{ vote: "approved", channel: "api", seenHash: false, key: "of approver" }]);
    const [row] = await api.admin
      .sql`select data from audit_events where event = 'approval.granted' and object_id = ${waiting.approvalId}`;
    expect(row?.["data"]).toMatchObject({ noHashSeen: true, apiKey: id, channel: "api" });
    // Idempotent, also with the hash now; another decision is not.
    expect((await withKey(token, "POST", decidePath(), { status: "approved", seen_hash: SNAPSHOT_HASH })).status).toBe(
      200,
    );
    expect((await withKey(token, "POST", decidePath(), { status: "rejected", reason: "no" })).body.code).toBe(
      "decided",
    );
    expect(await api.admin.sql`select 1 from approval_votes where approval_id = ${waiting.approvalId}`).toHaveLength(1);
  });

  test("APR-13 N35 N37 the body is exact: a stale hash is 409, a rejection needs a reason of at most 2,000 characters, no response, no other field", async () => {
    const { token } = await keyOf("approver");
    const code = async (body: object): Promise<string> => (await withKey(token, "POST", decidePath(), body)).body.code;
    expect(await code({ status: "approved", seen_hash: "b".repeat(64) })).toBe("stale");
    expect(await code({ status: "rejected" })).toBe("reason_required");
    expect(await code({ status: "rejected", reason: "x".repeat(2001) })).toBe("bad_request");
    expect(await code({ status: "approved", response: "yes" })).toBe("response_not_expected");
    expect(await code({ status: "rejected", reason: "no", response: "yes" })).toBe("response_not_expected");
    expect(await code({ status: "expired" })).toBe("bad_request");
    expect(await code({ status: "approved", decided_by: api.ids.owner })).toBe("unknown_field");
    const done = await withKey(token, "POST", decidePath(), { status: "rejected", reason: "x".repeat(2000) });
    expect([done.status, done.body.status]).toEqual([200, "rejected"]);
  });

  test("APR-13 a key that decides its owner's own request is a self-approval, and four eyes holds for keys too", async () => {
    const own = await addWaiting(api, api.workspaceId, "approver", sourceId);
    const { token } = await keyOf("approver");
    const done = await withKey(token, "POST", decidePath(own.approvalId), { status: "approved" });
    expect(done.body.selfApproval).toBe(true);
    const four = await addWaiting(api, api.workspaceId, "approver", sourceId);
    await api.admin.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update approvals set four_eyes = true where id = ${four.approvalId}`;
    });
    expect((await withKey(token, "POST", decidePath(four.approvalId), { status: "approved" })).body.code).toBe(
      "four_eyes",
    );
  });

  test("APR-13 G14 the open list goes on by cursor, soonest expiry first, each request once, whatever is decided meanwhile", async () => {
    for (let n = 0; n < 4; n += 1) await addWaiting(api, api.workspaceId, "member", sourceId);
    const { token } = await keyOf("approver");
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Answer = await withKey(
        token,
        "GET",
        `/api/approvals?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`,
      );
      seen.push(...page.body.items.map((i: { id: string }) => i.id));
      if (cursor === null)
        await withKey(token, "POST", decidePath(page.body.items[1].id), { status: "rejected", reason: "no" });
      cursor = page.body.next;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    const whole = await withKey(token, "GET", "/api/approvals?limit=100");
    expect(seen.filter((id) => whole.body.items.some((i: { id: string }) => i.id === id))).toEqual(
      whole.body.items.map((i: { id: string }) => i.id),
    );
  });
});

describe("rights (APR-5, APR-13)", () => {
  const capacities: readonly [Capacity, Role, string][] = [
    ["admin", "owner", "workspace_admin"],
    ["approver", "approver", "workspace_admin"],
    ["member", "leaver", "workspace_admin"],
    ["requester", "member", "workspace_admin"],
    ["global_approver", "global", "global_approver"],
  ];
  test.each(capacities)(
    "APR-13 what the table gives to %s is what the database lets them do",
    async (capacity, role, level) => {
      const request = await addWaiting(api, api.workspaceId, "member", sourceId, level);
      const client = await api.signIn(role);
      const may = (right: (typeof APPROVAL_RIGHTS)[number]): boolean => RIGHTS_OF[capacity].includes(right);
      expect((await client.call("GET", `/api/approvals/${request.approvalId}`)).status === 200).toBe(
        may("approvals.view"),
      );
      const decided = await client.call("POST", decidePath(request.approvalId), {
        status: "rejected",
        reason: "no",
        seen_hash: SNAPSHOT_HASH,
      });
      expect(decided.status === 200).toBe(may("approvals.decide"));
      if (decided.status !== 200) expect(["approver_missing", "not_found"]).toContain(decided.body.code);
    },
  );
});

describe("several at once (APR-15)", () => {
  test("N38 APR-15 N single decisions with a result for each: foreign and absent ids are not_found in their place, the others are decided", async () => {
    const otherSource = await api.addTestedSource(api.otherWorkspaceId, "outsider");
    const foreign = await addWaiting(api, api.otherWorkspaceId, "outsider", otherSource);
    const second = await addWaiting(api, api.workspaceId, "member", sourceId);
    const stale = await addWaiting(api, api.workspaceId, "member", sourceId);
    const client = await api.signIn("approver");
    const absent = "00000000-0000-4000-8000-000000000000";
    const requests = [
      { approvalId: waiting.approvalId, seenHash: SNAPSHOT_HASH },
      { approvalId: foreign.approvalId, seenHash: SNAPSHOT_HASH },
      { approvalId: stale.approvalId, seenHash: "b".repeat(64) },
      { approvalId: absent, seenHash: SNAPSHOT_HASH },
      { approvalId: second.approvalId, seenHash: SNAPSHOT_HASH },
    ];
    const { status, body } = await client.call("POST", "/api/approvals/decisions", { status: "approved", requests });
    expect(status).toBe(200);
    expect(body.items).toEqual([
      { approvalId: waiting.approvalId, ok: true, code: null, status: "approved" },
      { approvalId: foreign.approvalId, ok: false, code: "not_found", status: null },
      { approvalId: stale.approvalId, ok: false, code: "stale", status: null },
      { approvalId: absent, ok: false, code: "not_found", status: null },
      { approvalId: second.approvalId, ok: true, code: null, status: "approved" },
    ]);
    const rows = await api.admin
      .sql`select status from approvals where id in (${foreign.approvalId}, ${stale.approvalId})`;
    expect(rows.map((r) => r["status"])).toEqual(["pending", "pending"]);
    const audit = await api.admin
      .sql`select object_id from audit_events where event = 'approval.granted' and object_id in (${waiting.approvalId}, ${second.approvalId})`;
    expect(audit).toHaveLength(2);
    // Again: one's own decisions are no error, and nothing is decided twice.
    const again = await client.call("POST", "/api/approvals/decisions", {
      status: "approved",
      requests: [requests[0], requests[4]],
    });
    expect(again.body.items.map((i: { ok: boolean }) => i.ok)).toEqual([true, true]);
    expect(
      (await client.call("POST", "/api/approvals/decisions", { status: "rejected", requests: [requests[2]] })).body
        .items[0].code,
    ).toBe("reason_required");
  });
});
