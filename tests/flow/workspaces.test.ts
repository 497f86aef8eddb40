import * as teams from "@aiw/core/teams";
import * as tools from "@aiw/core/tools";
import * as workspaces from "@aiw/core/workspaces";
import { NATIVE_TOOLS } from "@aiw/function-step/native-tools";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Api, type Client, startApi } from "./http-fixture.ts";

let api: Api;
let owner: Client;
let member: Client;
let outsider: Client;
let admin: Client;
let base: string;
beforeAll(async () => {
  api = await startApi();
  [owner, member, outsider, admin] = await Promise.all([
    api.signIn("owner"),
    api.signIn("member"),
    api.signIn("outsider"),
    api.signIn("admin"),
  ]);
});
beforeEach(async () => {
  const made = await owner.call("POST", "/api/workspaces", { name: `W ${Math.random()}` });
  base = `/api/workspaces/${made.body.id}`;
});
afterAll(() => api.stop());

const idOf = (): string => base.split("/").at(-1) ?? "";
const audited = async (event: string): Promise<Record<string, unknown>[]> => [
  ...(await api.admin
    .sql`select event, actor_id, object_id, data from audit_events where workspace_id = ${idOf()} and event = ${event} order by id`),
];

test("IDN-0: a team member makes a workspace, becomes its admin, alone in it; audited", async () => {
  const answer = await member.call("POST", "/api/workspaces", { name: "  Mine  ", description: "for me" });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    name: "Mine",
    description: "for me",
    role: "admin",
    team: { name: "Payments" },
    writePolicy: "risk_based",
    chatOpen: false,
    members: [{ name: "member", role: "admin" }],
  });
  base = `/api/workspaces/${answer.body.id}`;
  expect(await audited("workspace.created")).toMatchObject([{ actor_id: api.ids.member, data: { name: "Mine" } }]);
  expect((await member.call("GET", "/api/workspaces")).body.items.map((one: { name: string }) => one.name)).toContain(
    "Mine",
  );
  expect(
    (await owner.call("GET", "/api/workspaces")).body.items.map((one: { name: string }) => one.name),
  ).not.toContain("Mine");
});

test("IDN-0: the team is chosen when there are several, is never a foreign one, and a name is unique in it", async () => {
  expect((await owner.call("POST", "/api/workspaces", { name: "X", teamId: api.otherTeamId })).status).toBe(404);
  expect((await owner.call("POST", "/api/workspaces", { name: "Orders" })).body).toMatchObject({
    code: "name_taken",
    fields: { name: "taken" },
  });
  expect((await outsider.call("POST", "/api/workspaces", { name: "Orders" })).status).toBe(201);
  const third = await teams.ensureTeam(api.system, "Third", 4);
  await teams.addMember(api.system, third, api.ids.outsider);
  expect((await outsider.call("POST", "/api/workspaces", { name: "Y" })).body).toMatchObject({
    code: "bad_request",
    fields: { teamId: "required" },
  });
  expect((await outsider.call("POST", "/api/workspaces", { name: "Y", teamId: third })).body.team.name).toBe("Third");
  expect((await admin.call("POST", "/api/workspaces", { name: "Y" })).body.code).toBe("forbidden");
  for (const name of ["", "   ", "x".repeat(81)])
    expect((await owner.call("POST", "/api/workspaces", { name })).status).toBe(400);
});

test("N18: a workspace of a name that reads like one the person has is refused, whatever its case, blanks and spelling", async () => {
  const name = `Größe ${Math.random()}`;
  expect((await owner.call("POST", "/api/workspaces", { name })).body.name).toBe(name);
  for (const same of [
    name.replace("Größe", "gRÖßE"),
    `  ${name.replace(" ", "  ")} `,
    name.replace(" ", "\u00a0"),
    name.replace("ö", "o\u0308"),
    name.replace(" ", "\t"),
  ]) {
    const refused = [
      await owner.call("POST", "/api/workspaces", { name: same }),
      await owner.call("PATCH", base, { name: same }),
    ];
    for (const answer of refused)
      expect([answer.status, answer.body], JSON.stringify(same)).toMatchObject([
        409,
        { code: "name_taken", fields: { name: "taken" } },
      ]);
  }
  const renamed = await owner.call("PATCH", base, { name: `  ${name}\u2003two ` });
  expect(renamed.body.name).toBe(`${name} two`);
  expect((await owner.call("PATCH", base, { name: `${name} TWO` })).body.name).toBe(`${name} TWO`);
  expect(await audited("workspace.updated")).toHaveLength(2);
});

test("N18: of many workspaces of one name made at once, one is", async () => {
  const name = `at once ${Math.random()}`;
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      owner.call("POST", "/api/workspaces", { name: n % 2 === 0 ? name : name.toUpperCase() }),
    ),
  );
  expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array<number>(5).fill(409),
  ]);
});

test("N18: a workspace's name with characters nobody sees is refused, at its making and later", async () => {
  for (const name of ["orders\u200b", "\u202eorders", "\u2066x", "a\nb", "x\ufeffy", "\u200b"]) {
    for (const answer of [
      await owner.call("POST", "/api/workspaces", { name }),
      await owner.call("PATCH", base, { name }),
    ])
      expect([answer.status, answer.body], JSON.stringify(name)).toMatchObject([
        400,
        { code: "bad_request", fields: { name: expect.any(String) } },
      ]);
  }
});

test("POL-5: changing the write policy raises the policy version, other settings do not; both are audited with old and new", async () => {
  const version = async () =>
    Number((await api.admin.sql`select policy_version from workspaces where id = ${idOf()}`)[0]?.["policy_version"]);
  const before = await version();
  await owner.call("PATCH", base, { description: "new", maxToolRounds: 30, approvalTtlS: 60 });
  expect(await version()).toBe(before);
  const changed = await owner.call("PATCH", base, { writePolicy: "confirm_external" });
  expect(changed.body).toMatchObject({
    writePolicy: "confirm_external",
    description: "new",
    maxToolRounds: 30,
    approvalTtlS: 60,
  });
  expect(await version()).toBe(before + 1);
  await owner.call("PATCH", base, { writePolicy: "confirm_external" });
  expect(await version()).toBe(before + 1);
  expect(await audited("policy.changed")).toMatchObject([
    { data: { write_policy: { from: "risk_based", to: "confirm_external" } } },
  ]);
  expect(await audited("workspace.updated")).toHaveLength(1);
});

test("N9: settings beyond the platform's bounds are refused", async () => {
  for (const change of [
    { maxToolRounds: 51 },
    { maxToolRounds: 0 },
    { approvalTtlS: 29 },
    { approvalTtlS: 604_801 },
    { writePolicy: "none" },
  ]) {
    expect((await owner.call("PATCH", base, change)).status, JSON.stringify(change)).toBe(400);
  }
});

test("IDN-4: only people of the team become members; roles change; everything is audited", async () => {
  const candidates = (await owner.call("GET", `${base}/candidates`)).body.items.map(
    (one: { name: string }) => one.name,
  );
  expect(candidates.toSorted()).toEqual(["approver", "leaver", "member"]);
  const put = (who: string, role: string) => owner.call("PUT", `${base}/members/${who}`, { role });
  expect((await put(api.ids.outsider, "member")).status).toBe(404);
  expect((await put(api.ids.admin, "member")).status).toBe(404);
  expect((await put(api.ids.member, "member")).status).toBe(200);
  expect((await member.call("GET", base)).body.role).toBe("member");
  expect((await put(api.ids.member, "approver")).body.members).toHaveLength(2);
  await put(api.ids.member, "approver");
  expect((await put(api.ids.member, "superuser")).status).toBe(400);
  expect((await owner.call("DELETE", `${base}/members/${api.ids.member}`)).body.members).toHaveLength(1);
  expect((await member.call("GET", base)).status).toBe(404);
  expect((await owner.call("DELETE", `${base}/members/${api.ids.member}`)).status).toBe(404);
  expect(
    (await audited("member.added"))
      .concat(await audited("member.role_changed"), await audited("member.removed"))
      .map((one) => one["data"]),
  ).toEqual([
    { from: null, to: "member" },
    { from: "member", to: "approver" },
    { from: "approver", to: null },
  ]);
});

test("IDN-4: a workspace keeps an admin, also when two remove each other at the same moment", async () => {
  expect((await owner.call("DELETE", `${base}/members/${api.ids.owner}`)).body.code).toBe("last_admin");
  expect((await owner.call("PUT", `${base}/members/${api.ids.owner}`, { role: "member" })).body.code).toBe(
    "last_admin",
  );
  for (let round = 0; round < 5; round += 1) {
    const first = await api.member("owner", idOf());
    await workspaces.setMember(first, api.ids.member, "admin");
    const second = await api.member("member", idOf());
    const results = await Promise.allSettled([
      workspaces.removeMember(first, api.ids.member),
      workspaces.removeMember(second, api.ids.owner),
    ]);
    const admins = await api.admin
      .sql`select user_id from memberships where workspace_id = ${idOf()} and role = 'admin'`;
    expect(admins).toHaveLength(1);
    expect(results.filter((one) => one.status === "rejected")).toHaveLength(1);
    if (admins[0]?.["user_id"] === api.ids.owner) continue;
    await workspaces.setMember(await api.member("member", idOf()), api.ids.owner, "admin");
    await workspaces.removeMember(await api.member("owner", idOf()), api.ids.member);
  }
});

test("AUD-1: the audit list is for admins, newest first, in pages without gap or double; refusals are in it", async () => {
  await owner.call("PUT", `${base}/members/${api.ids.member}`, { role: "member" });
  for (let n = 0; n < 6; n += 1) await owner.call("PATCH", base, { description: `change ${n}` });
  expect((await member.call("PATCH", base, { description: "mine" })).status).toBe(403);
  const seen: { id: string; event: string }[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await owner.call("GET", `${base}/audit?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
    seen.push(...page.body.items);
    cursor = page.body.next;
  }
  expect(seen).toHaveLength(9);
  expect(seen.map((one) => Number(one.id))).toEqual(seen.map((one) => Number(one.id)).toSorted((a, b) => b - a));
  expect(seen[0]).toMatchObject({ event: "authorization.denied", actor: { id: api.ids.member, name: "The member" } });
  expect(seen.at(-1)?.event).toBe("workspace.created");
});

test("POL-4: tools are denied until a platform admin classifies them; then the class decides; a changed definition is unclassified again", async () => {
  const list = async (): Promise<
    Record<string, { decision: string; riskClass: string | null; active: boolean; explanation: { code: string } }>
  > =>
    Object.fromEntries(
      (await owner.call("GET", `${base}/tools`)).body.items.map((tool: { id: string }) => [tool.id, tool]),
    );
  const before = await list();
  expect(Object.values(before).map((tool) => tool.decision)).toEqual(Object.values(before).map(() => "deny"));
  expect((await owner.call("GET", base)).body.toolsReady).toBe(false);

  expect((await tools.acceptSuggestions(api.system, api.ids.admin)).toSorted()).toEqual(Object.keys(before).toSorted());
  expect(await tools.acceptSuggestions(api.system, api.ids.admin)).toEqual([]);
  const after = await list();
  expect(after["git.read_file"]).toMatchObject({ decision: "allow", riskClass: "read", active: true });
  expect(after["git.propose_change"]).toMatchObject({ decision: "require_approval", riskClass: "write_external" });
  expect((await owner.call("GET", base)).body.toolsReady).toBe(true);

  const [first] = NATIVE_TOOLS;
  if (first === undefined) throw new Error("there are no tools");
  const changed = NATIVE_TOOLS.map((tool) =>
    tool === first ? { ...tool, definition: { ...tool.definition, description: "Now it does something else." } } : tool,
  );
  const registered = await Promise.all([tools.register(api.system, changed), tools.register(api.system, changed)]);
  expect(registered.flatMap((one) => one.reset)).toEqual([first.definition.id]);
  expect((await list())[first.definition.id]).toMatchObject({
    decision: "deny",
    riskClass: null,
    explanation: { code: "unclassified" },
  });
  expect(await tools.acceptSuggestions(api.system, api.ids.admin)).toEqual([]);
  expect(await tools.register(api.system, changed)).toEqual({ added: [], reset: [] });
  const resets = await api.admin.sql`select data from audit_events where event = 'tool.reset'`;
  expect(resets).toHaveLength(1);
});

test("POL-4: a classification holds for what the admin saw: another version or definition is a conflict, of two at once one wins", async () => {
  const find = async () =>
    (await admin.call("GET", "/api/admin/tools")).body.items.find((tool: { id: string }) => tool.id === "git.search");
  const tool = await find();
  const put = (change: object) =>
    admin.call("PUT", "/api/admin/tools/git.search/classification", {
      version: tool.version,
      definitionHash: tool.definitionHash,
      riskClass: "read",
      decision: "deny",
      level: "workspace_admin",
      fourEyes: true,
      ...change,
    });
  expect((await put({ version: tool.version + 1 })).body.code).toBe("conflict");
  expect((await put({ definitionHash: "0".repeat(64) })).body.code).toBe("conflict");
  const both = await Promise.all([put({}), put({ fourEyes: false })]);
  expect(both.map((one) => String(one.status)).toSorted()).toEqual(["200", "409"]);
  expect(await find()).toMatchObject({ decision: "deny", version: tool.version + 1, classifiedBy: { name: "admin" } });
  expect(
    (await owner.call("GET", `${base}/tools`)).body.items.find((one: { id: string }) => one.id === "git.search")
      .decision,
  ).toBe("deny");
  const rows = await api.admin
    .sql`select data from audit_events where event = 'tool.classified' and object_id = 'git.search' and actor_id = ${api.ids.admin} and data ? 'from'`;
  expect(rows).toHaveLength(1);
});

test("POL-4: a workspace switches tools on and off for itself alone; it loosens nothing; audited, and the policy version rises", async () => {
  const version = async () =>
    Number((await api.admin.sql`select policy_version from workspaces where id = ${idOf()}`)[0]?.["policy_version"]);
  const before = await version();
  const put = (toolId: string, active: boolean) => owner.call("PUT", `${base}/tools/${toolId}`, { active });
  expect((await put("git.list_dir", false)).body).toMatchObject({ active: false });
  await put("git.list_dir", false);
  expect(await version()).toBe(before + 1);
  expect((await put("no.such", true)).status).toBe(404);
  const elsewhere = await owner.call("GET", `/api/workspaces/${api.workspaceId}/tools`);
  expect(elsewhere.body.items.find((tool: { id: string }) => tool.id === "git.list_dir").active).toBe(true);
  expect(await audited("tool.deactivated")).toHaveLength(1);
});
