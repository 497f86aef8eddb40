import { randomUUID } from "node:crypto";
import * as identity from "@aiw/core/identity";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, type Api, type Client, DEMO_PASSWORD, type Role, startApi, withCookie } from "./http-fixture.ts";
import { addRun, addWaiting } from "./http-records.ts";

let api: Api;
let admin: Client;
beforeAll(async () => {
  api = await startApi();
  admin = await api.signIn("admin");
});
afterAll(() => api.stop());

const USERS = "/api/admin/users";
const plain = { teamIds: [] as string[], isPlatformAdmin: false, isGlobalApprover: false };
const make = (name: string, change: object = {}): Promise<Answer> =>
  admin.call("POST", USERS, { name, displayName: `The ${name}`, ...plain, ...change });
const login = (name: string, password: string): Promise<Answer> =>
  api.anonymous.call("POST", "/api/login", { name, password });
const act = (id: string, verb: string, client = admin): Promise<Answer> =>
  client.call("POST", `${USERS}/${id}/${verb}`);
const put = (id: string, body: object): Promise<Answer> => admin.call("PUT", `${USERS}/${id}`, body);
interface Event {
  readonly event: string;
  readonly actor_id: string | null;
  readonly data: unknown;
}
const events = async (id: string): Promise<Event[]> =>
  (
    await api.admin.sql<Event[]>`select event, actor_id, data from audit_events where object_id = ${id} order by id`
  ).map((row) => ({ ...row }));

/** A person with an own password, and a session of theirs. */
async function settled(name: string, change: object = {}): Promise<{ id: string; client: Client; password: string }> {
  const made = await make(name, change);
  const first = await login(name, made.body.oneTimePassword);
  const password = `own ${randomUUID()}`;
  const changed = await withCookie(api, first.cookie ?? "").call("POST", "/api/me/password", {
    current: made.body.oneTimePassword,
    next: password,
  });
  return { id: made.body.user.id, client: withCookie(api, changed.cookie ?? ""), password };
}

test("IDN-2: a platform admin makes a user whose one-time password is shown once, and stored and told nowhere else", async () => {
  const made = await make("newcomer", { teamIds: [api.teamId], isGlobalApprover: true });
  expect(made.status).toBe(201);
  expect(made.body.user).toMatchObject({
    name: "newcomer",
    displayName: "The newcomer",
    isPlatformAdmin: false,
    isGlobalApprover: true,
    teams: [{ id: api.teamId, name: "Payments" }],
    disabledAt: null,
    lockedUntil: null,
    mustChangePassword: true,
    lastSignInAt: null,
  });
  const { oneTimePassword: password, user } = made.body;
  expect(password).toMatch(/^[A-Za-z0-9_-]{20}$/);
  const stored = await api.admin.sql`select to_jsonb(u)::text as row from users u where id = ${user.id}`;
  const told = await api.admin.sql`select data::text as data from audit_events`;
  const listed = await admin.call("GET", `${USERS}?search=newcomer`);
  for (const text of [JSON.stringify(stored), JSON.stringify(told), JSON.stringify(listed.body), api.logs.join("\n")])
    expect(text).not.toContain(password);
  const first = await login("newcomer", password);
  expect(first.body).toMatchObject({ mustChangePassword: true, isGlobalApprover: true, teams: [{ name: "Payments" }] });
  expect((await admin.call("GET", `${USERS}?search=newcomer`)).body.items[0].lastSignInAt).not.toBeNull();
  expect(await events(user.id)).toEqual([
    {
      event: "user.created",
      actor_id: api.ids.admin,
      data: { platformAdmin: false, globalApprover: true, teamIds: [api.teamId] },
    },
  ]);
});

test("N18: a name is taken whatever its case; odd names, unknown teams and hidden characters are refused and make nobody", async () => {
  expect((await make("Casey")).status).toBe(201);
  expect((await make("casey")).body).toMatchObject({ code: "name_taken", fields: { name: "taken" } });
  for (const name of ["a b", "ä", "-a", "x\u0000y"])
    expect((await make(name)).body.fields).toEqual({ name: "invalid" });
  expect((await make("hidden", { displayName: "Ad\u200bmin" })).body.fields).toEqual({ displayName: "bad_text" });
  expect((await make("hidden", { displayName: "\u0000" })).body.code).toBe("bad_request");
  expect((await make("hidden", { teamIds: [randomUUID()] })).status).toBe(404);
  expect((await admin.call("GET", `${USERS}?search=hidden`)).body.items).toEqual([]);
});

test("ADM-1: people are listed by name in pages that neither skip nor repeat anybody, and found by name or display name", async () => {
  for (const name of ["page-3", "Page-1", "page-2"]) await make(name, { displayName: `100% ${name}` });
  const seen: string[] = [];
  let cursor = "";
  do {
    const page = await admin.call("GET", `${USERS}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
    expect(page.status).toBe(200);
    seen.push(...page.body.items.map((user: { name: string }) => user.name.toLowerCase()));
    cursor = page.body.next ?? "";
  } while (cursor !== "");
  const all = (await api.admin.sql`select lower(name) as name from users order by 1`).map((row) => row["name"]);
  expect(seen).toEqual(all);
  const found = async (search: string): Promise<string[]> =>
    (await admin.call("GET", `${USERS}?search=${encodeURIComponent(search)}`)).body.items.map(
      (user: { name: string }) => user.name,
    );
  expect(await found("PAGE-")).toEqual(["Page-1", "page-2", "page-3"]);
  expect(await found("100%")).toEqual(["Page-1", "page-2", "page-3"]);
  expect(await found("_age-1")).toEqual([]);
  expect(await found("\u0000nobody")).toEqual([]);
  for (const bad of ["x", randomUUID(), "%00"])
    expect((await admin.call("GET", `${USERS}?cursor=${bad}`)).body.fields).toEqual({ cursor: "invalid" });
});

test("IDN-0, N6: a user disabled by the endpoint has no session at once, no open stream after 5 s, and no sign-in until enabled", async () => {
  const leaver = await settled("leaving", { teamIds: [api.teamId], isGlobalApprover: true });
  await api.admin
    .sql`insert into memberships (workspace_id, user_id, role) values (${api.workspaceId}, ${leaver.id}, 'member')`;
  const { runId } = await addRun(api, api.workspaceId, "member");
  const ended = await Promise.all(
    [`/api/runs/${runId}/events`, "/api/inbox/events"].map(async (path) => {
      const headers = { cookie: leaver.client.cookie };
      const response = await api.request(new Request(`http://localhost${path}`, { headers }));
      expect(response.status).toBe(200);
      return async () => {
        for await (const _ of response.body ?? []) void _;
        return performance.now();
      };
    }),
  );
  const before = performance.now();
  const answer = await act(leaver.id, "disable");
  expect(answer.body.disabledAt).not.toBeNull();
  expect((await leaver.client.call("GET", "/api/me")).status).toBe(401);
  for (const end of ended) expect((await end()) - before).toBeLessThan(5_000);
  expect((await login("leaving", leaver.password)).body.code).toBe("wrong_credentials");

  expect((await act(leaver.id, "disable")).body.disabledAt).toBe(answer.body.disabledAt);
  expect((await act(leaver.id, "enable")).body.disabledAt).toBeNull();
  expect((await act(leaver.id, "enable")).status).toBe(200);
  expect((await leaver.client.call("GET", "/api/me")).status).toBe(401);
  expect((await login("leaving", leaver.password)).status).toBe(200);
  const told = (await events(leaver.id)).map((row) => row.event);
  expect(told).toEqual(["user.created", "user.password_changed", "user.disabled", "user.enabled"]);
});

test("IDN-2: a reset gives a new one-time password, unlocks, ends all sessions, and the old password is worth nothing", async () => {
  const person = await settled("forgetful");
  for (let n = 0; n < 5; n += 1) await login("forgetful", "wrong");
  expect((await login("forgetful", person.password)).body.code).toBe("account_locked");
  const locked = (await admin.call("GET", `${USERS}?search=forgetful`)).body.items[0];
  expect(Date.parse(locked.lockedUntil)).toBeGreaterThan(Date.now());
  const reset = await act(person.id, "reset-password");
  expect(reset.body.user).toMatchObject({ lockedUntil: null, mustChangePassword: true });
  expect((await person.client.call("GET", "/api/me")).status).toBe(401);
  expect((await login("forgetful", person.password)).body.code).toBe("wrong_credentials");
  expect((await login("forgetful", reset.body.oneTimePassword)).body.mustChangePassword).toBe(true);
  const again = await act(person.id, "reset-password");
  expect(again.body.oneTimePassword).not.toBe(reset.body.oneTimePassword);
  expect((await login("forgetful", reset.body.oneTimePassword)).body.code).toBe("wrong_credentials");
});

test("IDN-2: a reset ends the shared demo password for that person, and lets no disabled user in", async () => {
  await act(api.ids.leaver, "disable");
  const reset = await act(api.ids.leaver, "reset-password");
  expect(reset.body.user.disabledAt).not.toBeNull();
  expect((await login("leaver", reset.body.oneTimePassword)).body.code).toBe("wrong_credentials");
  await act(api.ids.leaver, "enable");
  expect((await login("leaver", DEMO_PASSWORD)).body.code).toBe("wrong_credentials");
  expect((await login("leaver", reset.body.oneTimePassword)).status).toBe(200);
});

test("ADM-1: name, flags and teams are changed as a whole, hold from the next request on, and are audited once with old and new", async () => {
  const person = await settled("mover", { teamIds: [api.teamId] });
  const change = {
    displayName: " The  mover ",
    teamIds: [api.otherTeamId.toUpperCase()],
    isPlatformAdmin: true,
    isGlobalApprover: true,
  };
  expect((await person.client.call("GET", USERS)).status).toBe(403);
  const changed = await put(person.id, change);
  expect(changed.body).toMatchObject({
    displayName: "The mover",
    isPlatformAdmin: true,
    isGlobalApprover: true,
    teams: [{ id: api.otherTeamId, name: "Logistics" }],
  });
  expect((await person.client.call("GET", USERS)).status).toBe(200);
  await put(person.id, change);
  expect((await put(person.id, { ...change, teamIds: [randomUUID()], isPlatformAdmin: false })).status).toBe(404);
  expect((await person.client.call("GET", "/api/me")).body).toMatchObject({
    isPlatformAdmin: true,
    teams: [{ name: "Logistics" }],
  });
  const changes = (await events(person.id)).filter((row) => row.event === "user.changed");
  expect(changes).toEqual([
    {
      event: "user.changed",
      actor_id: api.ids.admin,
      data: {
        platformAdmin: { from: false, to: true },
        globalApprover: { from: false, to: true },
        teamIds: { from: [api.teamId], to: [api.otherTeamId] },
      },
    },
  ]);
  await put(person.id, { ...change, isPlatformAdmin: false });
  expect((await person.client.call("GET", USERS)).status).toBe(403);
});

test("N6: who stops being a global approver is told of no further request of that level on the stream that is open", async () => {
  const person = await settled("was-global", { isGlobalApprover: true });
  const response = await api.request(
    new Request("http://localhost/api/inbox/events", { headers: { cookie: person.client.cookie } }),
  );
  const hints: string[] = [];
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) hints.push(decoder.decode(part as Uint8Array));
  })();
  const told = (): number => hints.join("").split('"approvals"').length - 1;
  const first = await addWaiting(api, api.otherWorkspaceId, "outsider", null, "global_approver");
  await api.deps.hint([first.runId]);
  await expect.poll(told, { timeout: 5_000 }).toBe(1);
  await put(person.id, { displayName: "Was global", ...plain });
  const second = await addWaiting(api, api.otherWorkspaceId, "outsider", null, "global_approver");
  await api.deps.hint([second.runId]);
  // The change of rights itself is one last hint: the page reloads and shows less.
  await expect.poll(told, { timeout: 5_000 }).toBe(2);
  await act(person.id, "disable");
  await reading;
  expect(told()).toBe(2);
});

test("IDN-0: the last active platform admin is neither disabled nor demoted, by nobody, and not by two at the same moment", async () => {
  const own = { displayName: "The admin", ...plain };
  expect((await act(api.ids.admin, "disable")).body.code).toBe("last_platform_admin");
  expect((await put(api.ids.admin, own)).body.code).toBe("last_platform_admin");
  expect((await admin.call("GET", "/api/me")).status).toBe(200);
  const second = await make("second", { isPlatformAdmin: true });
  const both = [api.ids.admin, String(second.body.user.id)];
  for (let round = 0; round < 10; round += 1) {
    const outcomes = await Promise.allSettled(both.map((id) => identity.disableUser(api.system, id)));
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const lost = outcomes.find((outcome) => outcome.status === "rejected");
    expect(lost?.reason).toMatchObject({ code: "last_platform_admin" });
    for (const id of both) await identity.enableUser(api.system, id);
  }
  await identity.disableUser(api.system, both[1] ?? "");
  admin = await api.signIn("admin");
});

test("ADM-1: teams are made once whatever their case, with their limit, and count the people who can sign in", async () => {
  const made = await admin.call("POST", "/api/admin/teams", { name: " Field  service ", maxParallelRuns: 3 });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ name: "Field service", maxParallelRuns: 3, people: 0 });
  expect((await admin.call("POST", "/api/admin/teams", { name: "FIELD service", maxParallelRuns: 3 })).body.code).toBe(
    "name_taken",
  );
  for (const maxParallelRuns of [0, -1, 1.5, 100_000])
    expect((await admin.call("POST", "/api/admin/teams", { name: randomUUID(), maxParallelRuns })).status).toBe(400);
  const person = await make("fielder", { teamIds: [made.body.id] });
  const people = async (): Promise<number> =>
    (await admin.call("GET", "/api/admin/teams")).body.items.find((team: { id: string }) => team.id === made.body.id)
      .people;
  expect(await people()).toBe(1);
  await act(person.body.user.id, "disable");
  expect(await people()).toBe(0);
  expect((await events(made.body.id))[0]).toMatchObject({ event: "team.created", actor_id: api.ids.admin });
});

test("IDN-4: who is no platform admin administers nobody, not even themself, and each attempt is audited once", async () => {
  await api.admin.sql`delete from audit_events where event = 'authorization.denied'`;
  for (const role of ["owner", "global"] as const satisfies readonly Role[]) {
    const client = await api.signIn(role);
    expect((await act(api.ids.member, "disable", client)).status).toBe(403);
    expect((await act(api.ids[role], "reset-password", client)).status).toBe(403);
  }
  const rows = await api.admin.sql`select actor_id from audit_events where event = 'authorization.denied' order by id`;
  expect(rows.map((row) => row["actor_id"])).toEqual([api.ids.owner, api.ids.owner, api.ids.global, api.ids.global]);
});
