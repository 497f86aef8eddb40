import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect as connectTo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Endpoint, ENDPOINTS } from "@aiw/contract/api";
import { serveApi, type ApiServer } from "@aiw/function-api/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, type Client, startApi } from "./http-fixture.ts";

let api: Api;
let server: ApiServer;
let owner: Client;
let web: string;
beforeAll(async () => {
  web = mkdtempSync(join(tmpdir(), "aiw-web-"));
  mkdirSync(join(web, "assets"));
  writeFileSync(join(web, "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(web, "assets", "app-1a2b3c.js"), "export {};");
  writeFileSync(join(web, ".secret"), "hidden");
  api = await startApi({ webRoot: web });
  server = await serveApi(api.deps, { port: 0, host: "127.0.0.1" });
  owner = await api.signIn("owner");
});
afterAll(async () => {
  await server.close();
  await api.stop();
  rmSync(web, { recursive: true, force: true });
});

const mutating = Object.entries(ENDPOINTS).filter(([, endpoint]) => endpoint.method !== "GET");
const withBody = mutating
  .map(([name, endpoint]): [string, Endpoint] => [name, endpoint])
  .filter(([, endpoint]) => endpoint.body !== undefined);
const pathOf = (endpoint: Endpoint): string =>
  endpoint.path
    .replace(":workspaceId", api.workspaceId)
    .replace(":toolId", "git.read_file")
    .replace(/:\w+/g, () => api.ids.member);
const snapshot = async (): Promise<unknown> =>
  api.admin
    .sql`select (select count(*) from workspaces) as w, (select count(*) from sources) as s, (select count(*) from chats) as c,
                       (select count(*) from sessions) as sessions, (select count(*) from memberships) as m, (select string_agg(name, ',' order by id) from workspaces) as names`;

test.for(mutating)(
  "N15: %s refuses what a page of another site asks for, and changes nothing",
  async ([, endpoint]) => {
    const before = await snapshot();
    const foreign: readonly Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://localhost.evil.example" },
      { origin: "http://localhost:8080" },
      { origin: "http://localhost", "sec-fetch-site": "cross-site" },
      { origin: "http://localhost", "sec-fetch-site": "same-site" },
      { origin: "https://evil.example", "content-type": "text/plain" },
      { origin: "https://evil.example", "content-type": "APPLICATION/JSON" },
      { origin: "https://evil.example", "content-type": "multipart/form-data; boundary=x" },
    ];
    for (const headers of foreign) {
      const answer = await owner.call(endpoint.method, pathOf(endpoint), "{}", headers);
      expect(answer.status, JSON.stringify(headers)).toBe(403);
      expect(answer.body.code).toBe("cross_site");
    }
    // A method override is no method of ours: nothing but the read happens, by who may read.
    const overridden = await owner.call("GET", pathOf(endpoint), undefined, {
      "x-http-method-override": endpoint.method,
    });
    expect(endpoint.access === "platform" ? [403, 405] : [200, 404, 405]).toContain(overridden.status);
    expect(await snapshot()).toEqual(before);
  },
);

test("N15: a body that is not JSON by its content type is refused; upper case and a charset are fine", async () => {
  const create = (type: string | undefined) =>
    api.request(
      new Request("http://localhost/api/workspaces", {
        method: "POST",
        headers: {
          cookie: owner.cookie,
          origin: "http://localhost",
          ...(type === undefined ? {} : { "content-type": type }),
        },
        body: new TextEncoder().encode(JSON.stringify({ name: `w ${type}` })),
      }),
    );
  for (const type of [
    undefined,
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "application/json-patch+json",
  ]) {
    expect((await create(type)).status, String(type)).toBe(415);
  }
  expect((await create("Application/JSON; charset=utf-8")).status).toBe(201);
});

test("N15: behind a public https address only that origin may change anything", async () => {
  const secure = await startApi({ https: true });
  try {
    const from = async (origin: string) =>
      (await secure.anonymous.call("POST", "/api/logout", undefined, { origin })).status;
    expect(await from("https://ai.example.com")).toBe(204);
    for (const origin of ["http://ai.example.com", "http://localhost", "https://ai.example.com.evil.example"])
      expect(await from(origin)).toBe(403);
  } finally {
    await secure.stop();
  }
});

test("SEC-3, N22: every answer carries the security headers, a strict CSP and no-store; pages too", async () => {
  for (const path of ["/api/me", "/api/config", "/api/nothing", "/", "/healthz"]) {
    const { headers } = await api.request(new Request(`http://localhost${path}`));
    const csp = headers.get("content-security-policy") ?? "";
    expect(csp).toContain("default-src 'none'");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("cache-control")).toBe(path === "/" ? "no-cache" : "no-store");
  }
});

test("SEC-5: errors are problem details with code, title and the request id of the header; nothing of the input comes back", async () => {
  const answer = await owner.call("POST", "/api/workspaces", '{"name": "secret-input-text", ');
  expect(answer.status).toBe(400);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.body).toMatchObject({
    type: "urn:aiw:problem:bad_request",
    status: 400,
    code: "bad_request",
    requestId: answer.headers.get("x-request-id"),
    fields: { body: "not_json" },
  });
  const invalid = await owner.call("PATCH", `/api/workspaces/${api.workspaceId}`, {
    approvalTtlS: "secret-input-text",
  });
  expect(invalid.body.fields).toEqual({ approvalTtlS: "invalid" });
  for (const body of [answer.body, invalid.body]) expect(JSON.stringify(body)).not.toContain("secret-input-text");
});

test("SEC-5: a failure of our own says nothing about itself, and is in the log under its request id", async () => {
  const broken = await startApi();
  try {
    await broken.admin.sql`alter table sessions rename to sessions_gone`;
    const answer = await broken.anonymous.call("GET", "/api/me", undefined, {
      cookie: `aiw_session=${"A".repeat(43)}`,
    });
    expect(answer.status).toBe(500);
    expect(Object.keys(answer.body).toSorted()).toEqual(["code", "requestId", "status", "title", "type"]);
    expect(broken.logs.some((line) => line.includes(answer.body.requestId) && line.includes("a request failed"))).toBe(
      true,
    );
  } finally {
    await broken.stop();
  }
});

test("N8: unknown fields are refused by name and nothing is taken over from them", async () => {
  const extra = {
    role: "admin",
    is_admin: true,
    teamId: api.otherTeamId,
    workspaceId: api.otherWorkspaceId,
    status: "tested",
    risk_class: "read",
    created_at: "2020-01-01",
  };
  const update = await owner.call("PATCH", `/api/workspaces/${api.workspaceId}`, { description: "new", ...extra });
  expect(update.status).toBe(400);
  expect(update.body.code).toBe("unknown_field");
  expect(Object.keys(update.body.fields).toSorted()).toEqual(Object.keys(extra).toSorted());
  const polluted = await owner.call(
    "PATCH",
    `/api/workspaces/${api.workspaceId}`,
    '{"__proto__": {"name": "x"}, "constructor": 1}',
  );
  expect(polluted.status).toBe(400);
  expect((await owner.call("GET", `/api/workspaces/${api.workspaceId}`)).body).toMatchObject({
    description: "",
    role: "admin",
  });
  expect((await owner.call("GET", "/api/approvals?status=pending")).body.code).toBe("unknown_field");
  expect((await owner.call("GET", "/api/approvals?limit=1&limit=2")).body.fields).toEqual({ limit: "repeated" });
});

test.for(withBody)("F10: %s refuses text that cannot be stored, in whatever field it stands", async ([, endpoint]) => {
  const before = await snapshot();
  const fields = Object.keys(endpoint.body?.shape ?? {});
  for (const bad of ["a\u0000b", "\ud800"]) {
    for (const field of fields) {
      const answer = await owner.call(endpoint.method, pathOf(endpoint), { [field]: bad });
      expect([400, 403, 404]).toContain(answer.status);
      if (answer.status === 400)
        expect(answer.body).toMatchObject({ code: "bad_request", fields: { [field]: "bad_text" } });
    }
  }
  expect(await snapshot()).toEqual(before);
});

test("N10: cursors that were not handed out, and limits out of bounds, are refused without a word of the database", async () => {
  const base = `/api/workspaces/${api.workspaceId}`;
  for (const path of [`${base}/chats`, `${base}/audit`, `${base}/runs`, "/api/approvals?filter=done"]) {
    const join = path.includes("?") ? "&" : "?";
    for (const cursor of [
      "x",
      "'",
      "-1",
      "1e3",
      "9".repeat(30),
      Buffer.from("2026-01-01 00:00:00+00|nothing").toString("base64url"),
      Buffer.from("2026-99-99 00:00:00+00|00000000-0000-0000-0000-000000000000").toString("base64url"),
    ]) {
      const answer = await owner.call("GET", `${path}${join}cursor=${encodeURIComponent(cursor)}`);
      expect(answer.status, `${path} ${cursor}`).toBe(400);
      expect(answer.body.fields).toEqual({ cursor: "invalid" });
    }
    for (const limit of ["0", "101", "-1", "1.5", "x"])
      expect((await owner.call("GET", `${path}${join}limit=${limit}`)).status).toBe(400);
  }
});

test("N21: a body above 1 MiB is cut off, also in chunks without a length; the server goes on", async () => {
  const announced = await owner.call("POST", "/api/workspaces", JSON.stringify({ name: "x".repeat(1_100_000) }));
  expect(announced.status).toBe(413);
  const status = await new Promise<number>((resolve, reject) => {
    const outgoing = httpRequest(
      `${server.url}/api/login`,
      { method: "POST", headers: { "content-type": "application/json", origin: server.url } },
      (incoming) => {
        resolve(incoming.statusCode ?? 0);
        incoming.resume();
        outgoing.destroy();
      },
    );
    outgoing.on("error", reject);
    const chunk = Buffer.alloc(65_536, 0x20);
    const write = (left: number): void => {
      if (left === 0 || outgoing.destroyed) return void outgoing.end();
      outgoing.write(chunk, () => write(left - 1));
    };
    write(40);
  });
  expect(status).toBe(413);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

test("N21: twenty megabytes are answered with their code and not with a broken connection, announced or not; what never ends is cut off", async () => {
  const chunk = Buffer.alloc(65_536, 0x20);
  /** As simple clients do it: all is sent before anything is read. */
  const sendThenRead = (head: string, wrap: (data: Buffer) => Buffer, count: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port, host } = new URL(server.url);
      const socket = connectTo(Number(port), hostname).on("error", reject).pause();
      const read = (): void => {
        let text = "";
        socket
          .on("data", (data) => (text += data.toString("utf8")))
          .on("close", () => resolve(text))
          .resume();
      };
      const write = (left: number): void => {
        if (left === 0) read();
        else socket.write(wrap(chunk), (error) => error ?? write(left - 1));
      };
      const type = "content-type: application/json";
      socket.write(
        `POST /api/login HTTP/1.1\r\nhost: ${host}\r\norigin: ${server.url}\r\n${type}\r\n${head}\r\n\r\n`,
        () => write(count),
      );
    });
  const inChunks = (data: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from("\r\n")]);
  const lastChunk = (data: Buffer): Buffer => Buffer.concat([inChunks(data), Buffer.from("0\r\n\r\n")]);
  let at = 0;
  for (const answer of [
    await sendThenRead(`content-length: ${320 * chunk.length}`, (data) => data, 320),
    await sendThenRead("transfer-encoding: chunked", (data) => (++at === 320 ? lastChunk(data) : inChunks(data)), 320),
  ]) {
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"body_too_large"');
  }
  let sent = 0;
  const endless = sendThenRead("transfer-encoding: chunked", (data) => ((sent += data.length), inChunks(data)), 4_000);
  await endless.catch(() => undefined);
  expect(sent).toBeLessThan(200 * 1_048_576);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

test("OPS-8: health answers for the process, readiness names each check and fails with one that fails", async () => {
  expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ ok: true });
  expect(await (await fetch(`${server.url}/version`)).json()).toEqual({ version: "test" });
  const failing = await startApi();
  try {
    Object.assign(failing.deps.checks, {
      database: async () => undefined,
      queue: async () => Promise.reject(new Error("postgres://user:secret@host")),
    });
    const answer = await failing.anonymous.call("GET", "/readyz");
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ ok: false, checks: { database: { ok: true }, queue: { ok: false } } });
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  } finally {
    await failing.stop();
  }
});

test("F80: a database that cannot be reached is 503 with Retry-After", async () => {
  const gone = await startApi();
  try {
    await gone.deps.db.close();
    const answer = await gone.anonymous.call("GET", "/api/me", undefined, { cookie: `aiw_session=${"A".repeat(43)}` });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("2");
  } finally {
    await gone.stop();
  }
});

test("a known path with another method is 405, an unknown one of the API 404, whatever it looks like", async () => {
  expect((await owner.call("DELETE", "/api/workspaces")).body.code).toBe("method_not_allowed");
  for (const path of ["/api/nothing", "/api", "/api/", "/api/workspaces/", "/%61pi/nothing.json", "//api/me.json"]) {
    expect((await owner.call("GET", path)).status, path).toBe(404);
  }
});

test("the web app is served with its page for every route, hashed assets for ever, and nothing outside of its folder", async () => {
  const get = (path: string) => api.request(new Request(`http://localhost${path}`));
  for (const path of ["/", "/login", "/w/1/chats/2"])
    expect(await (await get(path)).text()).toContain("<title>page</title>");
  const asset = await get("/assets/app-1a2b3c.js");
  expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  for (const path of [
    "/assets/gone.js",
    "/.secret",
    "/%2e%2e/%2e%2e/etc/passwd.txt",
    "/..%2f.secret",
    "/assets/..%5c..%5cx.js",
    "/%00.js",
    "/%E0%A4%A",
  ]) {
    expect((await get(path)).status, path).toBe(404);
  }
});

test("whatever address a browser goes to, it gets the page of the app, and never a file outside of its folder", async () => {
  const go = (path: string) =>
    api.request(
      new Request(`http://localhost${path}`, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } }),
    );
  for (const path of [
    "/w/%00",
    "/w/%E0%A4%A",
    "/assets/gone.js",
    "/.secret",
    "/..%2f.secret",
    "/%2e%2e/%2e%2e/etc/passwd.txt",
  ]) {
    const answer = await go(path);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")], path).toEqual([
      200,
      "text/html; charset=utf-8",
      "no-cache",
    ]);
    expect(await answer.text(), path).toContain("<title>page</title>");
  }
  for (const path of ["/api", "/api/nothing", "/api/%00"]) expect((await go(path)).status, path).toBe(404);
  expect((await api.request(new Request("http://localhost/w/%00"))).status).toBe(404);
});

test("SEC-6: sign-in attempts are limited per address and name before a password is looked at", async () => {
  const limited = await startApi();
  try {
    Object.assign(limited.deps, { loginGuard: { admit: (_address: string, name: string) => name !== "owner" } });
    expect((await limited.anonymous.call("POST", "/api/login", { name: "owner", password: "x" })).body.code).toBe(
      "rate_limited",
    );
    expect((await limited.anonymous.call("POST", "/api/login", { name: "member", password: "x" })).body.code).toBe(
      "wrong_credentials",
    );
    expect(limited.deps.signIn.strangers.attempt("somebody")).toBe(false);
  } finally {
    await limited.stop();
  }
});
