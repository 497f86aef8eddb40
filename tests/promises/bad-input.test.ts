import { randomUUID } from "node:crypto";
import { type Endpoint, ENDPOINTS, type EndpointName } from "@aiw/contract/api";
import { PROBLEMS, type ProblemCode } from "@aiw/contract/problem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spoiltBodies } from "../kit/body-samples.ts";
import { type Api, type Client, startApi } from "../flow/http-fixture.ts";
import { addWaiting, type Waiting } from "../flow/http-records.ts";

let api: Api;
let waiting: Waiting;
let sourceId: string;
let owner: Client;
let admin: Client;
beforeAll(async () => {
  api = await startApi();
  sourceId = await api.addTestedSource(api.workspaceId, "owner");
  await (
    await api.signIn("owner")
  ).call("POST", `/api/workspaces/${api.workspaceId}/upload-sources`, {
    name: "Uploads",
    confirmed: true,
  });
  waiting = await addWaiting(api, api.workspaceId, "member", sourceId);
  owner = await api.signIn("owner");
  admin = await api.signIn("admin");
});
afterAll(() => api.stop());

const withBody = (Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]).filter(([, e]) => e.body !== undefined);

const pathOf = (endpoint: Endpoint): string =>
  endpoint.path.replace(/:(\w+)/g, (_, key: string) => {
    const known: Readonly<Record<string, string>> = {
      workspaceId: api.workspaceId,
      projectId: api.workspaceId,
      toolId: "git.read_file",
      sourceId,
      userId: api.ids.member,
      ...waiting,
    };
    return known[key] ?? randomUUID();
  });

/** Every row of every table but the sessions, whose idle time moves with each request. */
const everything = async (): Promise<string> => {
  const tables = await api.admin.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'sessions' order by 1`;
  if (tables.length < 15) throw new Error("too few tables were seen");
  const sums = tables.map(
    ({ name }) =>
      `select '${name}' as name, coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum from "${name}" t`,
  );
  return JSON.stringify(await api.admin.sql.unsafe(sums.join(" union all ")));
};

describe("every body of the API is strict", () => {
  test("there are bodies to spoil, and each has a sample that the contract takes", () => {
    expect(withBody.length).toBeGreaterThan(20);
    for (const [, endpoint] of withBody) if (endpoint.body !== undefined) spoiltBodies(endpoint.body);
  });

  test.for(withBody)(
    "N8 N24 N25 N43 F10 %s: whatever is wrong with a body, it is a 400 or 413 with a code, and nothing changed",
    async ([, endpoint]) => {
      if (endpoint.body === undefined) return;
      const { bad } = spoiltBodies(endpoint.body);
      const client = endpoint.access === "platform" ? admin : owner;
      const before = await everything();
      for (const { name, text, status, code } of bad) {
        const answer = await client.call(endpoint.method, pathOf(endpoint), text, {
          "content-type": "application/json",
        });
        expect([answer.status, name]).toEqual([status, name]);
        expect(code, name).toContain(answer.body.code);
        expect(PROBLEMS[answer.body.code as ProblemCode]?.[0], name).toBe(status);
        expect(answer.headers.get("content-type"), name).toBe("application/problem+json");
        expect(answer.cookie, name).toBeUndefined();
      }
      expect(await everything()).toBe(before);
    },
  );

  test.for(withBody)(
    "N15 N21 %s: bytes that are no UTF-8, another content type, none: refused, nothing changed",
    async ([, endpoint]) => {
      if (endpoint.body === undefined) return;
      const { good } = spoiltBodies(endpoint.body);
      const client = endpoint.access === "platform" ? admin : owner;
      const before = await everything();
      const send = async (
        body: NonNullable<RequestInit["body"]>,
        headers: Readonly<Record<string, string>>,
      ): Promise<number> => {
        const response = await api.request(
          new Request(`http://localhost${pathOf(endpoint)}`, {
            method: endpoint.method,
            headers: { cookie: client.cookie, origin: "http://localhost", ...headers },
            body,
          }),
        );
        await response.arrayBuffer();
        return response.status;
      };
      const json = { "content-type": "application/json" };
      const broken = Buffer.concat([Buffer.from(good.slice(0, -1)), Buffer.from([0xc3, 0x28]), Buffer.from("}")]);
      expect(await send(broken, json)).toBe(400);
      expect(await send(good, { "content-type": "text/plain" })).toBe(415);
      expect(await send(Buffer.from(good), {})).toBe(415);
      expect(await everything()).toBe(before);
    },
  );

  test.for(withBody.filter(([, e]) => e.access !== "public"))(
    "SEC-1 %s: a bad body lets nobody in, and tells a stranger nothing of what was wrong with it",
    async ([, endpoint]) => {
      if (endpoint.body === undefined) return;
      const { bad } = spoiltBodies(endpoint.body);
      for (const { name, text } of bad.filter(({ status }) => status === 400)) {
        const answer = await api.anonymous.call(endpoint.method, pathOf(endpoint), text);
        expect([answer.status, answer.body.code, name]).toEqual([401, "not_signed_in", name]);
      }
    },
  );

  test("N25 a number that a double would round is refused wherever it stands, not rounded", async () => {
    const { body } = await admin.call("GET", "/api/admin/tools");
    const tool = body.items[0];
    const text = `{"version":${tool.version},"definitionHash":"${tool.definitionHash}","riskClass":"read","decision":null,"level":"workspace_admin",
      "fourEyes":false,"settings":{"serverArguments":{"account":9007199254740993}}}`;
    const answer = await admin.call("PUT", `/api/admin/tools/${tool.id}/classification`, text);
    expect([answer.status, answer.body.fields]).toEqual([400, { "settings.serverArguments.account": "unsafe_number" }]);
  });
});
