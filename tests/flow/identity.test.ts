import * as identity from "@aiw/core/identity";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, DEMO_PASSWORD, startApi, withCookie } from "./http-fixture.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const login = (name: string, password: string, headers = {}) =>
  api.anonymous.call("POST", "/api/login", { name, password }, headers);
const unlock = (name: string) =>
  api.admin.sql`update users set failed_logins = 0, locked_until = null where name = ${name}`;
const newUser = async (name: string) => identity.createUser(api.system, { name, displayName: name });
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

test("IDN-2: a sign-in makes a session that answers who it is, and signing out ends it on the server (N14)", async () => {
  const first = await login("member", DEMO_PASSWORD);
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ name: "member", isPlatformAdmin: false, teams: [{ name: "Payments" }] });
  const client = withCookie(api, first.cookie ?? "");
  expect((await client.call("GET", "/api/me")).body.name).toBe("member");
  expect((await client.call("POST", "/api/logout")).status).toBe(204);
  expect((await client.call("GET", "/api/me")).body.code).toBe("not_signed_in");
});

test("N13: a sign-in never takes over the session the browser came with, and ends it", async () => {
  const planted = "aiw_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  const first = await login("member", DEMO_PASSWORD, { cookie: planted });
  expect(first.cookie).toMatch(/^aiw_session=[A-Za-z0-9_-]{43}$/);
  expect(first.cookie).not.toBe(planted);
  const second = await login("member", DEMO_PASSWORD, { cookie: first.cookie });
  expect(second.cookie).not.toBe(first.cookie);
  expect((await withCookie(api, first.cookie ?? "").call("GET", "/api/me")).status).toBe(401);
  expect((await withCookie(api, second.cookie ?? "").call("GET", "/api/me")).status).toBe(200);
});

test("N14: the cookie is HttpOnly, SameSite=Lax, and __Host- with Secure under https; the database holds no token", async () => {
  const plain = (await login("member", DEMO_PASSWORD)).headers.getSetCookie()[0];
  expect(plain).toMatch(/^aiw_session=\S+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  const secure = await startApi({ https: true });
  try {
    const answer = await secure.anonymous.call("POST", "/api/login", { name: "member", password: DEMO_PASSWORD });
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-aiw=\S+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/,
    );
    expect(answer.headers.get("strict-transport-security")).toContain("max-age=");
    const [, token = ""] = (answer.cookie ?? "").split("=");
    const rows = await secure.admin.sql`select encode(token_hash, 'escape') as text from sessions`;
    expect(JSON.stringify(rows)).not.toContain(token);
  } finally {
    await secure.stop();
  }
});

test("N14: a session ends after the idle time, and after its absolute time however much it is used", async () => {
  const idle = await login("approver", DEMO_PASSWORD);
  await api.shift(3_601);
  expect((await withCookie(api, idle.cookie ?? "").call("GET", "/api/me")).status).toBe(401);
  const used = withCookie(api, (await login("approver", DEMO_PASSWORD)).cookie ?? "");
  for (let hours = 0; hours < 23; hours += 1) {
    await api.shift(3_500);
    expect((await used.call("GET", "/api/me")).status).toBe(200);
  }
  await api.shift(3_500);
  await api.shift(3_000);
  expect((await used.call("GET", "/api/me")).status).toBe(401);
});

test("N16: of 50 wrong passwords at once at most 5 are looked at; then the right one is refused alike, and works 15 minutes later", async () => {
  await unlock("outsider");
  await api.admin.sql`delete from audit_events where event = 'login.failed'`;
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => login("outsider", `wrong-${n}`)));
  const looked = answers.filter((answer) => answer.body.code === "wrong_credentials");
  expect(looked).toHaveLength(5);
  expect(answers.filter((answer) => answer.body.code === "account_locked")).toHaveLength(45);
  const [reasons] = await api.admin
    .sql`select count(*) filter (where data ->> 'reason' = 'wrong') as wrong, count(*) as all from audit_events where event = 'login.failed'`;
  expect(reasons).toEqual({ wrong: 5, all: 50 });
  const right = await login("outsider", DEMO_PASSWORD);
  expect(right.status).toBe(429);
  expect(right.body.code).toBe("account_locked");
  await api.shift(15 * 60 + 1);
  expect((await login("outsider", DEMO_PASSWORD)).status).toBe(200);
});

test("N16: an unknown name locks and answers exactly as a known one", async () => {
  await unlock("global");
  const codes = async (name: string): Promise<string[]> => {
    const seen: string[] = [];
    for (let n = 0; n < 7; n += 1) seen.push((await login(name, `wrong-${n}`)).body.code);
    return seen;
  };
  expect(await codes("nobody-of-this-name")).toEqual(await codes("global"));
  await unlock("global");
});

test("N16: a right password before the fifth failure starts the count anew", async () => {
  await unlock("global");
  for (let round = 0; round < 3; round += 1) {
    for (let n = 0; n < 4; n += 1) expect((await login("global", "wrong")).body.code).toBe("wrong_credentials");
    expect((await login("global", DEMO_PASSWORD)).status).toBe(200);
  }
});

test("N17: an unknown name takes as long as a wrong password, and both answers are the same but for the request id", async () => {
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
  const measure = async (name: string): Promise<{ ms: number; body: Record<string, unknown> }> => {
    const began = performance.now();
    const { body } = await login(name, "wrong-password");
    return { ms: performance.now() - began, body };
  };
  for (let n = 0; n < 25; n += 1) {
    await unlock("admin");
    const known = await measure("admin");
    const unknown = await measure(`stranger-${n}`);
    times.known.push(known.ms);
    times.unknown.push(unknown.ms);
    expect({ ...unknown.body, requestId: "" }).toEqual({ ...known.body, requestId: "" });
  }
  await unlock("admin");
  const ratio = median(times.unknown) / median(times.known);
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

test("N17: a password of a megabyte is refused before anything is hashed", async () => {
  const began = performance.now();
  const answer = await login("member", "x".repeat(1_000_000));
  expect(answer.status).toBe(400);
  expect(answer.body.fields).toEqual({ password: "too_big" });
  expect(JSON.stringify(answer.body)).not.toContain("xxxx");
  expect(performance.now() - began).toBeLessThan(1_000);
});

test("IDN-2: a one-time password lets in and nothing else until an own password is set; it works once", async () => {
  const { oneTimePassword } = await newUser("newcomer");
  const first = await login("newcomer", oneTimePassword);
  expect(first.body.mustChangePassword).toBe(true);
  const client = withCookie(api, first.cookie ?? "");
  expect((await client.call("GET", "/api/workspaces")).body.code).toBe("password_change_required");
  expect((await client.call("GET", "/api/me")).status).toBe(200);
  const change = (next: string) => client.call("POST", "/api/me/password", { current: oneTimePassword, next });
  expect((await change("short-one")).body.code).toBe("password_too_weak");
  expect((await change("my-NewComer-password")).body.code).toBe("password_too_weak");
  expect((await change(oneTimePassword)).body.code).toBe("password_too_weak");
  const wrong = await client.call("POST", "/api/me/password", {
    current: "something else",
    next: "a long own password",
  });
  expect(wrong.body.code).toBe("wrong_credentials");
  const done = await change("a long own password");
  expect(done.status).toBe(204);
  expect((await withCookie(api, done.cookie ?? "").call("GET", "/api/workspaces")).status).toBe(200);
  expect((await login("newcomer", oneTimePassword)).body.code).toBe("wrong_credentials");
  expect((await login("newcomer", "a long own password")).status).toBe(200);
});

test("N13, N14: changing the password ends every session and gives a new one", async () => {
  const { oneTimePassword } = await newUser("changer");
  const elsewhere = withCookie(api, (await login("changer", oneTimePassword)).cookie ?? "");
  const here = withCookie(api, (await login("changer", oneTimePassword)).cookie ?? "");
  const changed = await here.call("POST", "/api/me/password", {
    current: oneTimePassword,
    next: "another long secret",
  });
  expect((await elsewhere.call("GET", "/api/me")).status).toBe(401);
  expect((await here.call("GET", "/api/me")).status).toBe(401);
  expect((await withCookie(api, changed.cookie ?? "").call("GET", "/api/me")).body.mustChangePassword).toBe(false);
});

test("IDN-2: the demo password opens only accounts without an own password, and only while it is configured", async () => {
  await newUser("with-own");
  expect((await login("with-own", DEMO_PASSWORD)).body.code).toBe("wrong_credentials");
  const config = await api.anonymous.call("GET", "/api/config");
  const names = config.body.demoLogins.map((entry: { name: string }) => entry.name);
  expect(names).toContain("owner");
  expect(names).not.toContain("with-own");
  const without = await startApi({ demoPassword: undefined });
  try {
    const answer = await without.anonymous.call("POST", "/api/login", { name: "owner", password: DEMO_PASSWORD });
    expect(answer.body.code).toBe("wrong_credentials");
    expect((await without.anonymous.call("GET", "/api/config")).body.demoLogins).toEqual([]);
    expect((await without.anonymous.call("POST", "/api/login", { name: "owner", password: "" })).body.code).toBe(
      "wrong_credentials",
    );
  } finally {
    await without.stop();
  }
});

test("IDN-0: disabling a user ends the sessions at once and refuses the password like a wrong one; only platform admins may", async () => {
  const { oneTimePassword, userId } = await newUser("leaving");
  const session = withCookie(api, (await login("leaving", oneTimePassword)).cookie ?? "");
  await expect(identity.disableUser(await api.member("owner"), userId)).rejects.toMatchObject({ code: "forbidden" });
  await identity.disableUser(api.system, userId);
  expect((await session.call("GET", "/api/me")).status).toBe(401);
  expect((await login("leaving", oneTimePassword)).body.code).toBe("wrong_credentials");
  const events = await api.admin.sql`select event from audit_events where object_id = ${userId} order by id`;
  expect(events.map((row) => row["event"])).toEqual(["user.created", "user.disabled"]);
});

test("N18: names are one whatever their case; a second user of a name, or an odd name, is refused", async () => {
  await newUser("Casey");
  await expect(newUser("casey")).rejects.toMatchObject({ code: "name_taken" });
  for (const name of ["", " ", "a b", "x\u0000y", "ä", "-a", "a".repeat(81)])
    await expect(newUser(name)).rejects.toMatchObject({ code: "bad_request" });
});

test("N20: other schemes, two different session cookies and hostile cookies are nobody", async () => {
  const { cookie = "" } = await login("member", DEMO_PASSWORD);
  const [, token = ""] = cookie.split("=");
  const me = (headers: Record<string, string>) => api.anonymous.call("GET", "/api/me", undefined, headers);
  expect((await me({ authorization: `Bearer ${token}` })).status).toBe(401);
  expect((await me({ cookie: `${cookie}; aiw_session=${"B".repeat(43)}` })).status).toBe(401);
  expect((await me({ cookie: `__Host-aiw=${token}` })).status).toBe(401);
  expect((await me({ cookie: "aiw_session=' or 1=1 --" })).status).toBe(401);
  expect((await me({ cookie: `theme=dark; ${cookie}; x=y` })).status).toBe(200);
});

test("SEC-9: neither passwords nor tokens reach the log or the audit rows", async () => {
  const { cookie = "" } = await login("member", "a-very-secret-guess");
  const answer = await login("member", DEMO_PASSWORD);
  const [, token = ""] = (answer.cookie ?? cookie).split("=");
  const rows = await api.admin.sql`select data::text as data from audit_events`;
  for (const text of [api.logs.join("\n"), JSON.stringify(rows)]) {
    expect(text).not.toContain("a-very-secret-guess");
    expect(text).not.toContain(token);
    expect(text).not.toContain(DEMO_PASSWORD);
  }
});
