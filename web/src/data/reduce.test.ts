import type { RunEvent, RunEventBody } from "@aiw/contract/events";
import type { ChatDetail, RunSummary } from "@aiw/contract/views";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEvent, asRunEvent, type ChatView, isGap, needsSnapshot, rebase } from "./reduce.ts";
import { threadKeys } from "./thread.ts";

const person = { id: "p", name: "member", displayName: "Member" };
const RUN = "run-1";
const at = "2026-11-30T12:00:00.000Z";
const run: RunSummary = {
  id: RUN,
  workspaceId: "w",
  chatId: "c",
  title: "t",
  status: "queued",
  lane: "chat",
  parentRunId: null,
  endReason: null,
  errorCode: null,
  errorText: null,
  startedBy: person,
  model: "m",
  step: 0,
  attempt: 0,
  toolRounds: 0,
  inputTokens: 0,
  outputTokens: 0,
  contextFill: 0,
  cost: null,
  lastSeq: 0,
  createdAt: at,
  startedAt: null,
  endedAt: null,
  may: { cancel: true, resume: false, continue: false, reconcile: false },
};
const chat: ChatDetail = {
  id: "c",
  title: "t",
  createdBy: person,
  createdAt: at,
  lastActivityAt: at,
  archivedAt: null,
  mode: "work",
  model: null,
  runStatus: "queued",
  workspaceId: "w",
  messages: [
    {
      id: "m1",
      role: "user",
      text: "hi",
      author: person,
      runId: RUN,
      waiting: false,
      withheld: false,
      approvalId: null,
      createdAt: at,
    },
  ],
  runs: [run],
  toolCalls: [],
  approvals: [],
  questions: [],
  notes: [],
};
const start: ChatView = { chat, live: {} };

const bodies: readonly RunEventBody[] = [
  { type: "run.status", status: "running" },
  { type: "step.started", step: 1, attempt: 1, kind: "model" },
  { type: "message.delta", step: 1, text: "half" },
  { type: "attempt.reset", step: 1 },
  { type: "step.started", step: 1, attempt: 2, kind: "model" },
  { type: "message.delta", step: 1, text: "I will " },
  { type: "message.delta", step: 1, text: "look." },
  { type: "message.completed", step: 1, text: "I will look.", final: false },
  {
    type: "tool.requested",
    callId: "c1",
    toolCallId: "t1",
    tool: "git.read_file",
    wireName: "git_read_file",
    sourceId: null,
    riskClass: "read",
    args: "{}",
  },
  { type: "step.started", step: 2, attempt: 1, kind: "tools" },
  { type: "tool.started", callId: "c1", toolCallId: "t1" },
  {
    type: "tool.finished",
    callId: "c1",
    toolCallId: "t1",
    status: "executed",
    result: "text",
    resultBytes: 4,
    durationMs: 3,
  },
  { type: "step.started", step: 3, attempt: 1, kind: "model" },
  { type: "message.delta", step: 3, text: "The ans" },
  { type: "message.completed", step: 3, text: "The answer.", final: true, messageId: "m2" },
  { type: "usage", inputTokens: 10, outputTokens: 5, contextFill: 0.1 },
  { type: "run.status", status: "completed", endReason: "answered" },
];
const events: readonly RunEvent[] = bodies.map((body, i) => ({ ...body, seq: i + 1, at }));
const at0 = (index: number): RunEvent => {
  const event = events[index];
  if (event === undefined) throw new Error("no event");
  return event;
};
const play = (view: ChatView, list: readonly RunEvent[]): ChatView =>
  list.reduce((v, e) => applyEvent(v, RUN, e), view);
const end = play(start, events);

test("CHT-2: deltas grow the text under way, the completed message replaces it", () => {
  expect(play(start, events.slice(0, 3)).live[RUN]?.text).toBe("half");
  expect(play(start, events.slice(0, 7)).live[RUN]?.text).toBe("I will look.");
  const noted = play(start, events.slice(0, 8));
  expect(noted.live[RUN]?.text).toBe("");
  expect(noted.chat.notes).toEqual([{ runId: RUN, step: 1, text: "I will look." }]);
});

test("F3: what a dead attempt streamed does not count", () => {
  expect(play(start, events.slice(0, 4)).live[RUN]?.text).toBe("");
});

test("CHT-2: a tool call is a card with arguments, state, result and duration", () => {
  expect(end.chat.toolCalls).toEqual([
    expect.objectContaining({ id: "t1", status: "executed", result: "text", resultBytes: 4, durationMs: 3, step: 1 }),
  ]);
});

test("RUN-1: the end of the run is in the picture", () => {
  expect(end.chat.runs[0]).toMatchObject({
    status: "completed",
    endReason: "answered",
    inputTokens: 10,
    lastSeq: 17,
    may: { cancel: false },
  });
  expect(end.chat.messages.map((m) => m.text)).toEqual(["hi", "The answer."]);
});

test("RUN-11: replayed and repeated events change nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(events.length - 1), { maxLength: 40 }), (extra) => {
      let view = start;
      let done = 0;
      for (const index of extra) {
        if (index <= done) view = applyEvent(view, RUN, at0(index));
        if (index === done) done += 1;
      }
      expect(play(view, events)).toEqual(end);
    }),
  );
});

test("CHT-3: a snapshot taken at any moment, early or late, leads to the same picture", () => {
  for (let at1 = 0; at1 <= events.length; at1 += 1) {
    const snapshot = play(start, events.slice(0, at1)).chat;
    for (const seen of [0, Math.floor(events.length / 2), events.length]) {
      const view = play(start, events.slice(0, seen));
      const based = rebase(view, snapshot, new Map([[RUN, events.slice(0, seen)]]));
      expect(play(based, events).chat, `snapshot ${at1}, seen ${seen}`).toEqual(end.chat);
    }
  }
});

test("CHT-3: text under way is complete after a reload, because the stream is read from its start", () => {
  const snapshot = play(start, events.slice(0, 6)).chat;
  expect(play({ chat: snapshot, live: {} }, events.slice(0, 7)).live[RUN]?.text).toBe("I will look.");
});

test("RUN-11: a hole in the numbers is noticed", () => {
  const view = play(start, events.slice(0, 2));
  const [third, fourth] = [events[2], events[3]];
  expect(third !== undefined && isGap(view, RUN, third)).toBe(false);
  expect(fourth !== undefined && isGap(view, RUN, fourth)).toBe(true);
});

test("CHT-4: a request and the end of a run make the page ask the server again", () => {
  expect(events.filter(needsSnapshot).map((e) => e.seq)).toEqual([17]);
  expect(needsSnapshot({ type: "run.status", status: "waiting_approval", seq: 1, at })).toBe(true);
});

test("RUN-11: what is no event is not taken for one", () => {
  expect(asRunEvent(null)).toBeNull();
  expect(asRunEvent({ type: "usage" })).toBeNull();
  expect(asRunEvent(events[0])).toEqual(events[0]);
});

test("CHT-2: question, notes, tools, running text, answer and outcome stand in this order; waiting messages last", () => {
  const waiting = {
    id: "m3",
    role: "user" as const,
    text: "more",
    author: person,
    runId: null,
    waiting: true,
    withheld: false,
    approvalId: null,
    createdAt: "2026-11-30T11:00:00.000Z",
  };
  expect(threadKeys({ ...end.chat, messages: [...end.chat.messages, waiting] })).toEqual([
    "user:m1",
    `note:${RUN}:1`,
    "call:t1",
    `live:${RUN}`,
    "answer:m2",
    `end:${RUN}`,
    "user:m3",
  ]);
});

test("APR-1: a run without a question of its own stands where it began", () => {
  const again = { ...run, id: "run-0", createdAt: "2026-11-30T11:00:00.000Z" };
  expect(threadKeys({ ...chat, runs: [run, again] })).toEqual([
    "live:run-0",
    "end:run-0",
    "user:m1",
    `live:${RUN}`,
    `end:${RUN}`,
  ]);
});
