import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as tools from "@aiw/core/tools";
import { type Answer, type Api, type Client, startApi } from "./http-fixture.ts";

let api: Api;
let owner: Client;
let member: Client;
let admin: Client;
let sourceId: string;
let here: string;

beforeAll(async () => {
  api = await startApi();
  await tools.acceptSuggestions(api.system, api.ids.admin);
  owner = await api.signIn("owner");
  member = await api.signIn("member");
  admin = await api.signIn("admin");
  sourceId = await api.addTestedSource(api.workspaceId, "owner");
  here = `/api/workspaces/${api.workspaceId}`;
});
afterAll(() => api.stop());

const draft = (more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  pattern: "git.read_file",
  decision: "approve",
  condition: null,
  approvalLevel: null,
  fourEyes: null,
  label: "",
  sourceId: null,
  ...more,
});
const platformDraft = (more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => {
  const { sourceId: _, ...rest } = draft(more);
  return rest;
};
const add = (more: Readonly<Record<string, unknown>>): Promise<Answer> =>
  owner.call("POST", `${here}/policies`, draft(more));
const addPlatform = (more: Readonly<Record<string, unknown>>): Promise<Answer> =>
  admin.call("POST", "/api/admin/policies", platformDraft(more));

interface Shown {
  readonly id: string;
  readonly level: string;
  readonly pattern: string;
  readonly mayChange: boolean;
  readonly builtIn: boolean;
  readonly replaced: boolean;
  readonly warnings: readonly { readonly code: string; readonly because?: string; readonly text?: string }[];
}
const listed = async (client: Client): Promise<readonly Shown[]> =>
  (await client.call("GET", client === admin ? "/api/admin/policies" : `${here}/policies`)).body.items as Shown[];

const removeAll = async (): Promise<void> => {
  for (const rule of await listed(owner)) if (rule.mayChange) await owner.call("DELETE", `${here}/policies/${rule.id}`);
  for (const rule of await listed(admin))
    if (rule.mayChange) await admin.call("DELETE", `/api/admin/policies/${rule.id}`);
};

const versions = async (): Promise<{ workspace: number; platform: number }> => {
  const [row] = await api.admin.sql<{ workspace: number; platform: number }[]>`
    select w.policy_version as workspace, p.policy_version as platform from workspaces w cross join platform_settings p where w.id = ${api.workspaceId}`;
  if (row === undefined) throw new Error("no workspace");
  return row;
};

describe("rules people write (POL-3, POL-7)", () => {
  test("POL-3 an admin adds, changes and removes a rule; each step is audited and raises the policy version", async () => {
    const before = await versions();
    const made = await add({ condition: 'param.path == "secrets.txt"', label: "Secrets" });
    expect(made).toMatchObject({
      status: 201,
      body: { level: "workspace", label: "Secrets", version: 1, mayChange: true, changedBy: { name: "owner" } },
    });
    const path = `${here}/policies/${made.body.id}`;
    const changed = await owner.call("PUT", path, { ...draft({ decision: "deny" }), version: 1 });
    expect(changed).toMatchObject({ status: 200, body: { version: 2, decision: "deny", condition: null } });
    expect((await owner.call("DELETE", `${path}?version=2`)).status).toBe(204);
    expect((await versions()).workspace - before.workspace).toBe(3);
    expect((await versions()).platform).toBe(before.platform);
    const audit = await api.admin.sql<{ event: string; data: Record<string, unknown> }[]>`
      select event, data from audit_events where object_id = ${made.body.id} order by id`;
    expect(audit.map((a) => a.event)).toEqual(["policy.rule_created", "policy.rule_changed", "policy.rule_removed"]);
    expect(audit[1]?.data).toMatchObject({
      from: { decision: "approve", condition: 'param.path == "secrets.txt"' },
      to: { decision: "deny", condition: null },
    });
  });

  test("POL-3 who saves over somebody else's change, or removes it, is told and changes nothing", async () => {
    const { body } = await add({});
    const path = `${here}/policies/${body.id}`;
    expect((await owner.call("PUT", path, { ...draft({ label: "first" }), version: 1 })).status).toBe(200);
    expect(await owner.call("PUT", path, { ...draft({ label: "second" }), version: 1 })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
    expect((await owner.call("DELETE", `${path}?version=1`)).status).toBe(409);
    expect(await listed(owner)).toContainEqual(expect.objectContaining({ id: body.id, label: "first" }));
    await removeAll();
  });

  test("POL-3 below the platform a rule only tightens: `auto` is refused there, and by the database itself", async () => {
    expect(await add({ decision: "auto" })).toMatchObject({ status: 400, body: { code: "rule_only_tightens" } });
    await expect(
      api.admin
        .sql`insert into tool_policies (workspace_id, level, pattern, decision) values (${api.workspaceId}, 'workspace', 'git', 'auto')`,
    ).rejects.toThrow("tool_policies_only_tighten");
    expect((await addPlatform({ decision: "auto" })).status).toBe(201);
    await removeAll();
  });

  test("POL-3 the platform's rules and the built-in ones stand in every workspace, locked", async () => {
    const { body } = await addPlatform({ pattern: "git", label: "All of Git" });
    const rules = await listed(owner);
    expect(rules.find((rule) => rule.id === body.id)).toMatchObject({ level: "platform", mayChange: false });
    expect(rules.filter((rule) => rule.builtIn).map((rule) => rule.pattern)).toEqual([
      "Mail.send",
      "Telegram.send_message",
      "Database.insert",
      "Database.upsert",
      "FileRW.delete",
      "FTP.upload",
      "FTP.delete",
    ]);
    for (const client of [owner, member]) {
      for (const id of [body.id, "built-in:Mail.send"]) {
        const path = `${here}/policies/${encodeURIComponent(id)}`;
        expect([403, 404]).toContain((await client.call("DELETE", path)).status);
        expect([403, 404]).toContain((await client.call("PUT", path, { ...draft(), version: 1 })).status);
      }
    }
    expect((await listed(member)).every((rule) => !rule.mayChange)).toBe(true);
    // Nor does the platform's page change a workspace's rule.
    const own = await add({});
    expect((await admin.call("DELETE", `/api/admin/policies/${own.body.id}`)).status).toBe(404);
    await removeAll();
  });

  test("POL-8 a platform rule of the same pattern takes the place of a built-in one, which a warning says; a condition does not", async () => {
    const conditional = await addPlatform({ pattern: "Mail.send", condition: 'param.to == "x"' });
    expect((await listed(admin)).find((rule) => rule.id === "built-in:Mail.send")?.replaced).toBe(false);
    await admin.call("DELETE", `/api/admin/policies/${conditional.body.id}`);
    await addPlatform({ pattern: "Mail.send", decision: "auto" });
    expect((await listed(admin)).find((rule) => rule.id === "built-in:Mail.send")?.replaced).toBe(true);
    await removeAll();
  });

  test("POL-3 the same rule twice is refused; with another condition, or for a source, it is another rule", async () => {
    expect((await add({})).status).toBe(201);
    expect(await add({})).toMatchObject({ status: 409, body: { code: "rule_taken", fields: { pattern: "taken" } } });
    expect((await add({ condition: 'param.path == "a"' })).status).toBe(201);
    expect((await add({ condition: 'param.path == "a"' })).status).toBe(409);
    expect((await add({ condition: `param.path == "${"€".repeat(1900)}"` })).status).toBe(201);
    expect(await add({ sourceId })).toMatchObject({ status: 201, body: { level: "source" } });
    await removeAll();
  });

  test.each(["git", "git.read_file", "*", "Mail.send"])("POL-3 %s names something there is", async (pattern) => {
    expect((await add({ pattern })).status).toBe(201);
    await removeAll();
  });
  test.each(["Git", "git.", "git.read", "git.read_file.x", "git.*", "nothing", "*.*", "__proto__", "mail.send"])(
    "POL-3 %s names nothing: refused",
    async (pattern) => {
      expect(await add({ pattern })).toMatchObject({
        status: 400,
        body: { code: "rule_pattern_unknown", fields: { pattern: "unknown" } },
      });
    },
  );

  test("N2 a source of another workspace, or a removed one, takes no rule", async () => {
    const foreign = await api.addTestedSource(api.otherWorkspaceId, "outsider");
    const gone = await api.addTestedSource(api.workspaceId, "owner");
    await api.admin.sql`update sources set removed_at = now() where id = ${gone}`;
    for (const id of [foreign, gone, randomUUID()])
      expect(await add({ sourceId: id })).toMatchObject({ status: 400, body: { fields: { sourceId: "unknown" } } });
  });
});

describe("conditions are read when they are saved (POL-7, N71)", () => {
  test.each([
    ["parm.amount > 50", "unknown_root", 0, "param"],
    ["param.amount > 50 and send()", "call_not_allowed", undefined, ""],
    ["param.amount.round()", "call_not_allowed", undefined, ""],
    ["param.amount.toString()", "forbidden_name", 13, ""],
    ["param.__proto__ == 1", "forbidden_name", 6, ""],
    ["param.amount = 50", "unknown_operator", 13, "=="],
    ["param.amount >", "expected_value", 14, ""],
    ["(param.amount > 50", "not_closed", undefined, ""],
    ["", "empty", 0, ""],
    [`param.a == "${"x".repeat(2000)}"`, "too_long", 0, "2000"],
  ])("POL-7 %s is refused with code, place and hint", async (condition, code, at, hint) => {
    const { status, body } = await add({ condition });
    expect({ status, code: body.code, field: body.fields?.condition }).toEqual({
      status: 400,
      code: "condition_invalid",
      field: code,
    });
    if (at !== undefined) expect(body.params).toMatchObject({ at, line: 1, column: at + 1 });
    expect(body.params.hint).toContain(hint);
    expect((await listed(owner)).some((rule) => rule.mayChange)).toBe(false);
  });

  test("POL-7 only a rule that asks carries a condition", async () => {
    for (const decision of ["deny", "auto"])
      expect(await addPlatform({ decision, condition: "param.a > 1" })).toMatchObject({
        status: 400,
        body: { code: "condition_invalid", fields: { condition: "condition_needs_approve" } },
      });
    await expect(
      api.admin
        .sql`insert into tool_policies (level, pattern, decision, condition) values ('platform', 'git', 'deny', 'param.a > 1')`,
    ).rejects.toThrow("tool_policies_condition");
  });
});

describe("warnings at saving (POL-7)", () => {
  const warningsFor = async (more: Readonly<Record<string, unknown>>): Promise<Shown["warnings"]> => {
    const { status, body } = await add(more);
    expect(status).toBe(201);
    await owner.call("DELETE", `${here}/policies/${body.id}`);
    return body.warnings as Shown["warnings"];
  };

  test("POL-7 a rule that can change nothing says what decides instead", async () => {
    expect(await warningsFor({ pattern: "git.propose_change", condition: 'param.title == "x"' })).toEqual([
      { code: "no_effect", because: "class_write_external" },
    ]);
    expect(await warningsFor({ pattern: "git.propose_change" })).toEqual([
      { code: "no_effect", because: "class_write_external" },
    ]);
    // It does once level or four eyes are more than the class asks for, or for one of the tools it names.
    expect(await warningsFor({ pattern: "git.propose_change", fourEyes: true })).toEqual([]);
    expect(await warningsFor({ pattern: "git" })).toEqual([]);
    await addPlatform({ pattern: "git.read_file" });
    expect(await warningsFor({ condition: 'param.path == "x"' })).toEqual([{ code: "no_effect", because: "rule" }]);
    await removeAll();
  });

  test("POL-7 another rule with a condition does not make this one idle", async () => {
    await add({ condition: 'param.path == "a"' });
    expect(await warningsFor({})).toEqual([]);
    expect(await warningsFor({ condition: 'param.path == "b"' })).toEqual([]);
    await removeAll();
  });

  test("POL-7 a name the tool does not have, a constant and a comparison that never has an answer are pointed out", async () => {
    expect(await warningsFor({ condition: 'param.pth == "x"' })).toEqual([
      { code: "unknown_argument", text: "param.pth" },
    ]);
    expect(await warningsFor({ condition: "1 == 1" })).toEqual([{ code: "constant", text: "1 == 1" }]);
    expect(await warningsFor({ condition: 'param.path == "x" and "a" > 1' })).toEqual([
      { code: "never_evaluates", text: '"a"' },
    ]);
  });

  test("POL-5 POL-8 a platform rule that raises a tool which cannot be undone, or relaxes a built-in one, is marked", async () => {
    await api.admin.sql`
      insert into tools (id, wire_name, kind, source_kind, definition, definition_hash, suggested_risk_class, risk_class)
      values ('FTP.delete', 'FTP_delete', 'native', 'ftp', '{}', ${"0".repeat(64)}, 'destructive', 'destructive'),
             ('Mail.send', 'Mail_send', 'native', 'mail', '{}', ${"0".repeat(64)}, 'write_internal', 'write_internal')`;
    const raised = await addPlatform({ pattern: "FTP.delete" });
    expect(raised.body.warnings).toEqual([{ code: "raises_destructive" }]);
    const relaxed = await addPlatform({ pattern: "Mail.send", decision: "auto" });
    expect(relaxed.body.warnings).toEqual([{ code: "relaxes_built_in" }]);
    await removeAll();
    await api.admin.sql`delete from tools where id in ('FTP.delete', 'Mail.send')`;
  });
});

describe("try it (POL-7)", () => {
  const sample = (more: Readonly<Record<string, unknown>> = {}) => ({
    toolId: "git.read_file",
    args: '{"path":"secrets.txt"}',
    role: "member",
    sourceId: null,
    draft: null,
    ...more,
  });
  const tried = (more: Readonly<Record<string, unknown>> = {}): Promise<Answer> =>
    owner.call("POST", `${here}/policies/try`, sample(more));

  test("POL-7 a rule that is not saved yet is tried with arguments of one's own: verdict, values and what would differ", async () => {
    const condition = 'param.path == "secrets.txt" and not context.is_admin';
    const { status, body } = await tried({ draft: { policyId: null, ...draft({ condition }) } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      decision: "require_approval",
      level: "workspace_admin",
      explanation: {
        code: "rule_condition_true",
        condition: {
          outcome: "true",
          trace: [
            { text: 'param.path == "secrets.txt"', outcome: "true", reads: [{ value: "secrets.txt" }] },
            { text: "context.is_admin", outcome: "false", reads: [{ value: false }] },
          ],
          counterfactual: [['param.path != "secrets.txt"'], ["context.is_admin"]],
        },
      },
    });
    const asAdmin = await tried({ role: "admin", draft: { policyId: null, ...draft({ condition }) } });
    expect(asAdmin.body).toMatchObject({ decision: "allow" });
    expect((await tried()).body).toMatchObject({ decision: "allow", explanation: { code: "class_read" } });
  });

  test("POL-7 a changed rule is tried in the place of the saved one; nothing is stored, executed or audited", async () => {
    const { body: rule } = await add({ decision: "deny" });
    const count = async (): Promise<unknown> =>
      (
        await api.admin
          .sql`select (select count(*) from audit_events) as audit, (select count(*) from tool_policies) as rules, (select count(*) from tool_calls) as calls`
      )[0];
    const before = [await count(), await versions(), await listed(owner)];
    expect((await tried()).body.decision).toBe("deny");
    expect((await tried({ draft: { policyId: rule.id, ...draft({ decision: "approve" }) } })).body.decision).toBe(
      "require_approval",
    );
    expect([await count(), await versions(), await listed(owner)]).toEqual(before);
    await removeAll();
  });

  test("POL-3 the rules of the source the call is meant for count", async () => {
    await add({ sourceId });
    expect((await tried()).body.decision).toBe("allow");
    expect((await tried({ sourceId })).body.decision).toBe("require_approval");
    await removeAll();
  });

  test.each(['{"path":"a","path":"b"}', "[1]", '{"n":9007199254740993}', "{", '{"path":"a"} {}'])(
    "N72 sample arguments are read as strictly as a call's: %s is refused",
    async (args) => {
      const { status, body } = await tried({ args });
      expect({ status, code: body.code }).toEqual({ status: 400, code: "sample_invalid" });
    },
  );

  test("POL-3 N44 a call's own action and the arguments the platform sets are judged, as the gate does", async () => {
    const definition = {
      name: "order",
      inputSchema: {
        type: "object",
        properties: { action: { type: "string", enum: ["list", "cancel"] }, shop: { type: "string" } },
      },
    };
    await api.admin.sql`
      insert into tools (id, wire_name, kind, source_kind, definition, definition_hash, suggested_risk_class, risk_class, settings)
      values ('shop.order', 'shop__order', 'mcp', 'mcp:shop', ${JSON.stringify(definition)}, ${"1".repeat(64)}, 'read', 'read',
              ${api.admin.sql.json({ serverArguments: { shop: "north" } })})`;
    const rule = { policyId: null, ...draft({ pattern: "shop.order.cancel", condition: 'param.shop == "north"' }) };
    const order = (args: string) => tried({ toolId: "shop.order", args, draft: rule });
    expect((await order('{"action":"cancel","shop":"south"}')).body.decision).toBe("require_approval");
    expect((await order('{"action":"list"}')).body.decision).toBe("allow");
    expect((await order('{"action":"CANCEL"}')).body.decision).toBe("allow");
    expect((await add({ pattern: "shop.order.sell" })).body.code).toBe("rule_pattern_unknown");
    await api.admin.sql`delete from tools where id = 'shop.order'`;
  });

  test("POL-7 a draft is checked as if it were saved; unknown tools and foreign sources are refused", async () => {
    expect((await tried({ draft: { policyId: null, ...draft({ condition: "parm.a" }) } })).body.code).toBe(
      "condition_invalid",
    );
    expect((await tried({ draft: { policyId: null, ...draft({ decision: "auto" }) } })).body.code).toBe(
      "rule_only_tightens",
    );
    expect((await tried({ toolId: "no.tool" })).status).toBe(400);
    const foreign = await api.addTestedSource(api.otherWorkspaceId, "outsider");
    expect((await tried({ sourceId: foreign })).status).toBe(400);
  });

  test("POL-7 the platform's rules are tried in either mode", async () => {
    const ask = (writePolicy: string, args: string) =>
      admin.call("POST", "/api/admin/policies/try", {
        toolId: "git.read_file",
        args,
        role: "member",
        writePolicy,
        draft: { policyId: null, ...platformDraft({ condition: 'param.path == "secrets.txt"' }) },
      });
    expect((await ask("risk_based", '{"path":"secrets.txt"}')).body.decision).toBe("require_approval");
    expect((await ask("confirm_external", '{"path":"README.md"}')).body.decision).toBe("allow");
  });
});

describe("the stop switch (POL-13)", () => {
  test("POL-13 admins throw it for their workspace, platform admins for all; members see it", async () => {
    const set = await owner.call("PUT", `${here}/write-stop`, { stopped: true });
    expect(set).toMatchObject({ status: 200, body: { workspace: { by: { name: "owner" } }, platform: null } });
    expect((await admin.call("PUT", "/api/admin/write-stop", { stopped: true })).body.platform.by.name).toBe("admin");
    expect((await member.call("GET", `${here}/write-stop`)).body).toMatchObject({
      workspace: { by: { name: "owner" } },
      platform: { by: { name: "admin" } },
    });
    await owner.call("PUT", `${here}/write-stop`, { stopped: false });
    expect((await member.call("GET", `${here}/write-stop`)).body.workspace).toBeNull();
    expect((await admin.call("PUT", "/api/admin/write-stop", { stopped: false })).body.platform).toBeNull();
  });
});
