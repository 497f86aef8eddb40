import type { RunEvent } from "@aiw/contract/events";
import type { ChatDetail, Message, RunSummary, ToolCall } from "@aiw/contract/views";
import { isActiveRun } from "./states.ts";

/**
 * A chat as the page shows it: what the server had stored, plus what the running answer has said since.
 * Events are applied by their number, each once: what the snapshot already holds is skipped, so a replay, a reload
 * and a late snapshot all end in the same picture (RUN-11, CHT-3).
 */
export interface LiveRun {
  /** The last event applied here; streams are read from the start of the run, so that text under way is complete. */
  readonly seq: number;
  readonly step: number;
  readonly kind: "model" | "tools" | null;
  readonly attempt: number;
  /** Text of the turn under way, not yet completed. */
  readonly text: string;
}
export interface ChatView {
  readonly chat: ChatDetail;
  readonly live: Readonly<Record<string, LiveRun>>;
}

export const NO_LIVE: LiveRun = { seq: 0, step: 0, kind: null, attempt: 0, text: "" };

const liveNext = (live: LiveRun, event: RunEvent): LiveRun => {
  const base = { ...live, seq: event.seq };
  switch (event.type) {
    case "step.started":
      return { ...base, step: event.step, kind: event.kind, attempt: event.attempt, text: "" };
    case "message.delta":
      return { ...base, step: event.step, text: event.step === live.step ? live.text + event.text : event.text };
    case "attempt.reset":
    case "message.completed":
      return { ...base, step: event.step, text: "" };
    case "run.status":
      return isActiveRun(event.status) ? base : { ...base, kind: null, text: "" };
    default:
      return base;
  }
};

const mapWhere = <T>(all: readonly T[], match: (item: T) => boolean, change: (item: T) => T): T[] =>
  all.map((item) => (match(item) ? change(item) : item));

const withCall = (chat: ChatDetail, toolCallId: string, change: (call: ToolCall) => ToolCall): ChatDetail => ({
  ...chat,
  toolCalls: mapWhere(chat.toolCalls, (c) => c.id === toolCallId, change),
});

const withAnswer = (
  chat: ChatDetail,
  runId: string,
  event: Extract<RunEvent, { type: "message.completed" }>,
): ChatDetail => {
  const id = event.messageId ?? `${runId}:${event.step}`;
  if (chat.messages.some((m) => m.id === id)) return chat;
  const answer: Message = {
    id,
    role: "assistant",
    text: event.text,
    author: null,
    runId,
    waiting: false,
    withheld: event.withheld ?? false,
    approvalId: null,
    createdAt: event.at,
  };
  return { ...chat, messages: [...chat.messages, answer] };
};

const withNote = (
  chat: ChatDetail,
  runId: string,
  event: Extract<RunEvent, { type: "message.completed" }>,
): ChatDetail => {
  const others = chat.notes.filter((n) => n.runId !== runId || n.step !== event.step);
  return event.text.trim() === ""
    ? { ...chat, notes: others }
    : { ...chat, notes: [...others, { runId, step: event.step, text: event.text }] };
};

const withRequested = (
  chat: ChatDetail,
  run: RunSummary,
  event: Extract<RunEvent, { type: "tool.requested" }>,
): ChatDetail => {
  if (chat.toolCalls.some((c) => c.id === event.toolCallId)) return chat;
  const call: ToolCall = {
    id: event.toolCallId,
    callId: event.callId,
    runId: run.id,
    step: run.step,
    position: chat.toolCalls.filter((c) => c.runId === run.id).length,
    tool: event.tool,
    wireName: event.wireName,
    sourceId: event.sourceId,
    sourceName: chat.toolCalls.find((c) => c.sourceId !== null && c.sourceId === event.sourceId)?.sourceName ?? null,
    riskClass: event.riskClass,
    args: event.args,
    status: "pending",
    result: null,
    resultBytes: 0,
    durationMs: null,
    approvalId: null,
  };
  return { ...chat, toolCalls: [...chat.toolCalls, call] };
};

const withStatus = (run: RunSummary, event: Extract<RunEvent, { type: "run.status" }>): RunSummary => {
  const active = isActiveRun(event.status);
  return {
    ...run,
    status: event.status,
    endReason: event.endReason ?? null,
    errorCode: event.errorCode ?? null,
    errorText: event.errorText ?? null,
    startedAt: run.startedAt ?? (event.status === "running" ? event.at : null),
    endedAt: active ? null : event.at,
    may: active ? run.may : { ...run.may, cancel: false },
  };
};

const runNext = (run: RunSummary, event: RunEvent): RunSummary => {
  const base = { ...run, lastSeq: event.seq };
  if (event.type === "run.status") return { ...withStatus(run, event), lastSeq: event.seq };
  if (event.type === "step.started") return { ...base, step: event.step, attempt: event.attempt };
  if (event.type === "usage")
    return {
      ...base,
      inputTokens: event.inputTokens,
      outputTokens: event.outputTokens,
      contextFill: event.contextFill,
      model: event.model ?? run.model,
      cost: event.cost ?? run.cost,
    };
  return base;
};

const chatNext = (chat: ChatDetail, run: RunSummary, event: RunEvent): ChatDetail => {
  switch (event.type) {
    case "run.status":
      return { ...chat, runStatus: event.status, lastActivityAt: event.at };
    case "message.completed":
      return event.final ? withAnswer(chat, run.id, event) : withNote(chat, run.id, event);
    case "tool.requested":
      return withRequested(chat, run, event);
    case "tool.started":
      return withCall(chat, event.toolCallId, (c) => ({ ...c, status: "executing" }));
    case "tool.finished":
      return withCall(chat, event.toolCallId, (c) => ({
        ...c,
        status: event.status,
        result: event.result,
        resultBytes: event.resultBytes,
        durationMs: event.durationMs,
      }));
    case "approval.requested":
      return withCall(chat, event.toolCallId, (c) => ({ ...c, status: "waiting", approvalId: event.approvalId }));
    case "approval.changed":
      return {
        ...chat,
        approvals: mapWhere(
          chat.approvals,
          (a) => a.id === event.approvalId,
          (a) => ({ ...a, status: event.status, decisionReason: event.reason ?? a.decisionReason }),
        ),
      };
    default:
      return chat;
  }
};

/** Apply one event of a run. An event that was applied before changes nothing; one of an unknown run neither. */
export const applyEvent = (view: ChatView, runId: string, event: RunEvent): ChatView => {
  const run = view.chat.runs.find((r) => r.id === runId);
  if (run === undefined) return view;
  const live = view.live[runId] ?? NO_LIVE;
  const nextLive = event.seq > live.seq ? { ...view.live, [runId]: liveNext(live, event) } : view.live;
  if (event.seq <= run.lastSeq) return nextLive === view.live ? view : { ...view, live: nextLive };
  const chat = chatNext(view.chat, run, event);
  return {
    chat: {
      ...chat,
      runs: mapWhere(
        chat.runs,
        (r) => r.id === runId,
        (r) => runNext(r, event),
      ),
    },
    live: nextLive,
  };
};

/**
 * Put a fresh snapshot below what was streamed: events it does not hold yet are applied again.
 * Live text of runs that ended is dropped.
 */
export const rebase = (
  view: ChatView | null,
  chat: ChatDetail,
  events: ReadonlyMap<string, readonly RunEvent[]>,
): ChatView => {
  const live = Object.fromEntries(
    Object.entries(view?.live ?? {}).filter(([runId]) =>
      chat.runs.some((r) => r.id === runId && isActiveRun(r.status)),
    ),
  );
  let next: ChatView = { chat, live };
  for (const run of chat.runs) {
    for (const event of events.get(run.id) ?? []) next = applyEvent(next, run.id, event);
  }
  return next;
};

/** Whether the event leaves a hole behind the last one: the snapshot has to be fetched again. */
export const isGap = (view: ChatView, runId: string, event: RunEvent): boolean =>
  event.seq > (view.live[runId] ?? NO_LIVE).seq + 1;

/** Events after which only the server can say how things stand: who may decide what, what else became possible. */
export const needsSnapshot = (event: RunEvent): boolean =>
  event.type === "approval.requested" ||
  event.type === "approval.changed" ||
  event.type === "question.asked" ||
  event.type === "question.answered" ||
  (event.type === "run.status" && event.status !== "running" && event.status !== "queued");

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
/** What came over the wire as an event, or null if it is none. */
export const asRunEvent = (data: unknown): RunEvent | null =>
  isObject(data) && typeof data["seq"] === "number" && typeof data["type"] === "string"
    ? (data as unknown as RunEvent)
    : null;
