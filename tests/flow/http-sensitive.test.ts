import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, startApi } from "./http-fixture.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
  await api.addTestedSource(api.workspaceId, "owner");
});
afterAll(() => api.stop());

test("APR-10 a member who writes a sensitive answer of the chat into it, or into its title, finds it masked, and so does the database", async () => {
  const secret = "canary two words 31aa";
  const member = await api.signIn("member");
  const chats = `/api/workspaces/${api.workspaceId}/chats`;
  const chatId = String((await member.call("POST", chats, {})).body.id);
  const say = (text: string, id = randomUUID()) => member.call("POST", `${chats}/${chatId}/messages`, { id, text });
  const runId = String((await say("hello")).body.run.id);
  const early = randomUUID();
  expect((await say(`I think ${secret}`, early)).status).toBe(202);
  await answered(runId, chatId, secret);
  // Sent again because its answer was lost: still the same message (RUN-1), whatever became a secret meanwhile.
  expect((await say(`I think ${secret}`, early)).status).toBe(202);
  await api.admin.sql`delete from messages where id = ${early}`;

  const said = await say(`it is ${secret}!`);
  expect(said.body.message.text).toBe("it is [REDACTED]!");
  const renamed = await member.call("PATCH", `${chats}/${chatId}`, { title: `about canary  two words 31aa` });
  expect(renamed.body.title).toBe("about [REDACTED]");
  const kept = await api.admin.sql<{ text: string }[]>`
    select text from messages where chat_id = ${chatId} union all select title from chats where id = ${chatId}`;
  expect(kept.map(({ text }) => text).filter((text) => text.includes("31aa"))).toEqual([]);

  // Another chat knows nothing of it: the word is as good as any.
  const other = String((await member.call("POST", chats, {})).body.id);
  const elsewhere = await member.call("POST", `${chats}/${other}/messages`, { id: randomUUID(), text: secret });
  expect(elsewhere.body.message.text).toBe(secret);
});

/** An input request of the run that somebody has answered. */
const answered = async (runId: string, chatId: string, secret: string): Promise<void> => {
  const [id, callId] = [randomUUID(), randomUUID()];
  const response = await api.deps.vault.seal(secret, `request:${id}`);
  await api.admin.sql`
    insert into tool_calls (id, workspace_id, run_id, call_id, step, position, wire_name, args_text, args_sha256, risk_class, decision, explanation, status)
    values (${callId}, ${api.workspaceId}, ${runId}, 'c1', 1, 0, 'get_secret', '{}', '', 'read', 'approve', '{}', 'executed')`;
  await api.admin.sql`
    insert into approvals (id, workspace_id, run_id, chat_id, tool_call_id, call_id, tool_id, requester_id, title, snapshot, snapshot_hash, args_text, form,
      form_version, preview, preconditions, definition_hash, policy_version, level, four_eyes, risk_class, explanation, status, decided_by, response_label,
      sensitive, response)
    values (${id}, ${api.workspaceId}, ${runId}, ${chatId}, ${callId}, 'c1', 'input.get_secret', ${api.ids.member}, 'Secret', '{}', '', '{}', '{}', 1, '{}', '{}', '', 1,
      'workspace_admin', false, 'read', '{}', 'executed', ${api.ids.approver}, 'Secret', true, ${response})`;
};
