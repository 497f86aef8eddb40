import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, type Client, startApi } from "./http-fixture.ts";
import { claim, commit, stream } from "./http-records.ts";

let api: Api;
let member: Client;
let owner: Client;
let base: string;
beforeAll(async () => {
  api = await startApi();
  [member, owner] = await Promise.all([api.signIn("member"), api.signIn("owner")]);
  base = `/api/workspaces/${api.workspaceId}/chats`;
});
afterAll(() => api.stop());

const newChat = async (title?: string): Promise<string> =>
  (await member.call("POST", base, title === undefined ? {} : { title })).body.id;
const send = (chatId: string, text: string, id: string = randomUUID(), client: Client = member) =>
  client.call("POST", `${base}/${chatId}/messages`, { id, text });
const finish = async (runId: string): Promise<void> => {
  const fence = await claim(api, runId);
  await commit(api, api.workspaceId, runId, fence, {
    status: "completed",
    endReason: "answered",
    message: { id: randomUUID(), text: "done" },
  });
};

test("CHT-0: no chat opens until a source of the workspace was tested, and it closes again without one", async () => {
  expect((await member.call("POST", base, {})).body.code).toBe("no_tested_source");
  const sourceId = await api.addTestedSource(api.workspaceId, "owner");
  const chatId = await newChat();
  await owner.call("PUT", `/api/workspaces/${api.workspaceId}/sources/${sourceId}/secret`, {
    token: "another-token-here",
  });
  expect((await send(chatId, "hello")).body.code).toBe("no_tested_source");
  expect((await owner.call("GET", `/api/workspaces/${api.workspaceId}`)).body.chatOpen).toBe(false);
  await api.addTestedSource(api.workspaceId, "owner");
  expect((await send(chatId, "hello")).status).toBe(202);
});

test("RUN-2: a message is answered with its queued run, the doorbell is rung once after the commit, and the first message names the chat", async () => {
  const chatId = await newChat();
  const rung = api.rungRuns.length;
  const answer = await send(chatId, "\n  Where is the discount computed?\nPlease explain.");
  expect(answer.status).toBe(202);
  expect(answer.body.message).toMatchObject({
    role: "user",
    waiting: false,
    author: { name: "member" },
    runId: answer.body.run.id,
  });
  expect(answer.body.run).toMatchObject({
    status: "queued",
    lastSeq: 1,
    startedBy: { name: "member" },
    may: { cancel: true, resume: false },
  });
  expect(api.rungRuns.slice(rung)).toEqual([{ teamId: api.teamId, runIds: [answer.body.run.id] }]);
  expect((await member.call("GET", `${base}/${chatId}`)).body).toMatchObject({
    title: "Where is the discount computed?",
    runStatus: "queued",
    messages: [{ id: answer.body.message.id }],
    runs: [{ id: answer.body.run.id }],
  });
  const named = await newChat("My own title");
  await send(named, "something else");
  expect((await member.call("GET", `${base}/${named}`)).body.title).toBe("My own title");
});

test("RUN-5: a message is accepted although the doorbell cannot be sent", async () => {
  const chatId = await newChat();
  const { ringStep } = api.deps;
  Object.assign(api.deps, { ringStep: async () => api.deps.log.warn("not sent") });
  expect((await send(chatId, "hello")).status).toBe(202);
  Object.assign(api.deps, { ringStep });
});

test("RUN-1: sent twice, also twenty times at once, a message is one message and one run; the answers are the same", async () => {
  const chatId = await newChat();
  const id = randomUUID();
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(chatId, "once", id)));
  expect(answers.map((one) => one.status)).toEqual(answers.map(() => 202));
  expect(new Set(answers.map((one) => JSON.stringify(one.body))).size).toBe(1);
  const [row] = await api.admin
    .sql`select (select count(*) from messages where chat_id = ${chatId}) as messages, (select count(*) from runs where chat_id = ${chatId}) as runs`;
  expect(row).toEqual({ messages: 1, runs: 1 });
});

test("RUN-1: the same id with other content, in another chat, by somebody else or of another workspace is a conflict", async () => {
  const chatId = await newChat();
  const id = randomUUID();
  await send(chatId, "first", id);
  expect((await send(chatId, "other", id)).body.code).toBe("message_conflict");
  expect((await send(await newChat(), "first", id)).body.code).toBe("message_conflict");
  expect((await send(chatId, "first", id, owner)).body.code).toBe("message_conflict");
  await api.addTestedSource(api.otherWorkspaceId, "outsider");
  const outsider = await api.signIn("outsider");
  const foreign = await outsider.call("POST", `/api/workspaces/${api.otherWorkspaceId}/chats`, {});
  const taken = await outsider.call(
    "POST",
    `/api/workspaces/${api.otherWorkspaceId}/chats/${foreign.body.id}/messages`,
    { id, text: "first" },
  );
  expect(taken.body.code).toBe("message_conflict");
  const rows = await api.admin.sql`select text from messages where id = ${id}`;
  expect(rows).toMatchObject([{ text: "first" }]);
});

test("RUN-1: while a run is active further messages wait visibly and start in order, one at a time", async () => {
  const chatId = await newChat();
  const first = await send(chatId, "one");
  const waiting = [await send(chatId, "two"), await send(chatId, "three", randomUUID(), owner)];
  for (const answer of waiting)
    expect(answer.body).toMatchObject({ message: { waiting: true, runId: null }, run: null });
  const texts = async (): Promise<[string, boolean][]> =>
    (await member.call("GET", `${base}/${chatId}`)).body.messages.map((one: { text: string; waiting: boolean }) => [
      one.text,
      one.waiting,
    ]);
  expect(await texts()).toEqual([
    ["one", false],
    ["two", true],
    ["three", true],
  ]);
  await finish(first.body.run.id);
  const detail = (await member.call("GET", `${base}/${chatId}`)).body;
  expect(detail.runs.map((run: { status: string; title: string }) => [run.title, run.status])).toEqual([
    ["one", "completed"],
    ["two", "queued"],
  ]);
  expect(detail.messages.at(2)).toMatchObject({ text: "three", waiting: true });
  await finish(detail.runs[1].id);
  expect((await member.call("GET", `${base}/${chatId}`)).body.runs.at(-1)).toMatchObject({
    title: "three",
    startedBy: { name: "owner" },
  });
});

test("RUN-1: of ten messages at once one starts a run and nine wait", async () => {
  const chatId = await newChat();
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => send(chatId, `message ${n}`)));
  expect(answers.filter((one) => one.body.run !== null)).toHaveLength(1);
  expect(answers.filter((one) => one.body.message.waiting)).toHaveLength(9);
});

test("text that cannot be stored or is none is refused; odd but storable text comes back as it was", async () => {
  const chatId = await newChat();
  for (const text of ["", "   ", "\u0000", "a\u0000b", "x".repeat(32_001)])
    expect((await send(chatId, text)).status, JSON.stringify(text.slice(0, 5))).toBe(400);
  expect(
    (
      await member.call(
        "POST",
        `${base}/${chatId}/messages`,
        '{"id":"6f0c6f0e-8f6e-4a7e-9f0a-0a0a0a0a0a0a","text":"\\ud800"}',
      )
    ).status,
  ).toBe(400);
  expect((await send(chatId, "x", "not-an-id")).status).toBe(400);
  const odd = "\u202Eright to left\u202C <script>alert(1)</script> '); drop table messages; -- 😀 ä\r\n\ttab";
  expect((await send(chatId, odd)).body.message.text).toBe(odd);
});

test("CHT-1: chats are found by title and by what was written, archived apart, and paged by activity without gap or double", async () => {
  const mine = `/api/workspaces/${(await owner.call("POST", "/api/workspaces", { name: "Lists" })).body.id}`;
  const id = mine.split("/").at(-1) ?? "";
  await api.addTestedSource(id, "owner");
  const create = async (title: string): Promise<string> =>
    (await owner.call("POST", `${mine}/chats`, { title })).body.id;
  const ids: string[] = [];
  for (let n = 0; n < 7; n += 1) ids.push(await create(`Chat 100% number_${n}`));
  const titles = async (query: string): Promise<string[]> =>
    (await owner.call("GET", `${mine}/chats?${query}`)).body.items.map((one: { title: string }) => one.title);
  expect(await titles("search=NUMBER_3")).toEqual(["Chat 100% number_3"]);
  expect(await titles("search=100%25")).toHaveLength(7);
  expect(await titles("search=1%25number")).toEqual([]);
  await owner.call("POST", `${mine}/chats/${ids[2]}/messages`, { id: randomUUID(), text: "the needle in here" });
  expect(await titles("search=needle")).toEqual(["Chat 100% number_2"]);
  await owner.call("PATCH", `${mine}/chats/${ids[0]}`, { archived: true });
  expect(await titles("archived=true")).toEqual(["Chat 100% number_0"]);
  expect(await titles("")).toHaveLength(6);
  const paged: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await owner.call("GET", `${mine}/chats?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
    paged.push(...page.body.items.map((one: { title: string }) => one.title));
    cursor = page.body.next;
  }
  expect(paged).toEqual(await titles(""));
  expect(paged[0]).toBe("Chat 100% number_2");
  expect(
    (await owner.call("POST", `${mine}/chats/${ids[0]}/messages`, { id: randomUUID(), text: "hello" })).body.code,
  ).toBe("chat_archived");
  expect(
    (await owner.call("PATCH", `${mine}/chats/${ids[0]}`, { archived: false, title: "Back", mode: "plan" })).body,
  ).toMatchObject({ archivedAt: null, title: "Back", mode: "plan" });
});

test("N18: a title somebody gives a chat holds nothing that cannot be seen, and blanks as one", async () => {
  const chatId = await newChat("  Discount\u00a0\u00a0rule ");
  const path = `${base}/${chatId}`;
  expect((await member.call("GET", path)).body.title).toBe("Discount rule");
  for (const title of ["pay\u200b", "\u202eyap", "a\nb", "\u2066"]) {
    for (const answer of [await member.call("POST", base, { title }), await member.call("PATCH", path, { title })])
      expect([answer.status, answer.body], JSON.stringify(title)).toMatchObject([
        400,
        { code: "bad_request", fields: { title: "bad_text" } },
      ]);
  }
  expect((await member.call("PATCH", path, { title: "Gro\u0308ße  neu" })).body.title).toBe("Größe neu");
  expect((await member.call("PATCH", path, { mode: "plan" })).body).toMatchObject({ title: "Größe neu", mode: "plan" });
});

test("CHT-3: a chat read anew shows answers, notes between calls and what the reader may do", async () => {
  const chatId = await newChat();
  const { run } = (await send(chatId, "explain")).body;
  const fence = await claim(api, run.id);
  await stream(api, api.workspaceId, run.id, fence, ["I look"]);
  await commit(api, api.workspaceId, run.id, fence, {
    status: "queued",
    calls: [
      {
        id: randomUUID(),
        callId: "c1",
        position: 0,
        wireName: "git_read_file",
        toolId: "git.read_file",
        args: '{"path":"a"}',
        argsHash: "0".repeat(64),
        riskClass: "read",
        status: "executed",
        result: "text",
        resultBytes: 4,
      },
    ],
    events: [{ type: "message.completed", data: { step: 1, text: "I look at a.", final: false } }],
  });
  const detail = (await owner.call("GET", `${base}/${chatId}`)).body;
  expect(detail.notes).toEqual([{ runId: run.id, step: 1, text: "I look at a." }]);
  expect(detail.toolCalls).toMatchObject([{ tool: "git.read_file", status: "executed", result: "text" }]);
  expect(detail.runs[0].may.cancel).toBe(true);
  const approver = await api.signIn("approver");
  expect((await approver.call("GET", `${base}/${chatId}`)).body.runs[0].may.cancel).toBe(false);
});
