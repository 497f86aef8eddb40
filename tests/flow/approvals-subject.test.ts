import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, startApi } from "./http-fixture.ts";
import { addWaiting, type Waiting } from "./http-records.ts";

let api: Api;
let waiting: Waiting;
const file = { path: "a.txt", change: "added", additions: 1, deletions: 0, diff: null, notes: [] };
const preview = {
  title: "Push 2 files to ai/x-1 of orders: Fix it",
  kind: "diff",
  files: [file, { ...file, path: "b.txt" }],
  fields: [
    { label: "branch", value: "ai/x-1" },
    { label: "message", value: "Fix it\n\nwhy" },
  ],
};
/** A frozen preview cannot be changed by anybody; the test stands in for the step that wrote it. */
const freeze = async (text: string): Promise<void> => {
  await api.admin.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update approvals set preview = ${text} where id = ${waiting.approvalId}`;
  });
};
beforeAll(async () => {
  api = await startApi();
  waiting = await addWaiting(api, api.workspaceId, "member");
});
afterAll(() => api.stop());

test("APR-1: lists, chat, run and detail say alike what a change comes to, from its frozen preview", async () => {
  await freeze(JSON.stringify(preview));
  const owner = await api.signIn("owner");
  const member = await api.signIn("member");
  const subject = { files: 2, target: "ai/x-1", title: "Fix it" };
  const first = async (path: string, client = owner) => (await client.call("GET", path)).body;
  expect((await first("/api/approvals")).items[0].subject).toEqual(subject);
  expect((await first("/api/approvals?filter=mine", member)).items[0].subject).toEqual(subject);
  expect((await first(`/api/approvals/${waiting.approvalId}`)).subject).toEqual(subject);
  expect((await first(`/api/runs/${waiting.runId}`)).approvals[0].subject).toEqual(subject);
  const chat = await first(`/api/workspaces/${api.workspaceId}/chats/${waiting.chatId}`);
  expect(chat.approvals[0].subject).toEqual(subject);
});

test("APR-1: a preview without files, with odd characters or broken never keeps anybody from the list", async () => {
  const owner = await api.signIn("owner");
  for (const [text, subject] of [
    [JSON.stringify({ title: "Send", kind: "arguments" }), undefined],
    ["{", undefined],
    [JSON.stringify({ ...preview, fields: [] }), undefined],
    [
      JSON.stringify({ ...preview, fields: [{ label: "branch", value: "ai/\ud800\u0000" }] }),
      { files: 2, target: "ai/\ud800\u0000", title: null },
    ],
  ] as const) {
    await freeze(text);
    const listed = await owner.call("GET", "/api/approvals");
    expect(listed.status).toBe(200);
    expect(listed.body.items[0].subject).toEqual(subject);
  }
});
