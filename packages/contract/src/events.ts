import { z } from "zod";
import { callStatus, endReason, requestStatus, runStatus } from "./runs.ts";
import { riskClass } from "./tools.ts";

/**
 * What a run tells the world, in order (RUN-11). `seq` is 1..n without a gap; the SSE id is the seq.
 * A client that applied every event holds the same picture as one that loads the chat afresh.
 */
const call = z.object({ callId: z.string(), toolCallId: z.uuid() });

export const runEventBody = z.discriminatedUnion("type", [
  /** The run changed its state. */
  z.object({
    type: z.literal("run.status"),
    status: runStatus,
    endReason: endReason.nullish(),
    errorCode: z.string().nullish(),
    errorText: z.string().nullish(),
    wakeAt: z.string().nullish(),
  }),
  /** A step began: model turn or tool calls, and which attempt at it this is. */
  z.object({
    type: z.literal("step.started"),
    step: z.number().int(),
    attempt: z.number().int(),
    kind: z.enum(["model", "tools"]),
  }),
  /** Text of the answer under way, batched (100-200 ms). */
  z.object({ type: z.literal("message.delta"), step: z.number().int(), text: z.string() }),
  /** An earlier attempt of this step died: what it streamed does not count (F3). */
  z.object({ type: z.literal("attempt.reset"), step: z.number().int() }),
  /** The whole text of a turn; replaces the deltas of its step. `final` when it is the answer. */
  z.object({
    type: z.literal("message.completed"),
    step: z.number().int(),
    text: z.string(),
    final: z.boolean(),
    messageId: z.uuid().nullish(),
    withheld: z.boolean().optional(),
  }),
  /** The model asked for a tool; the arguments as frozen (canonical) or, if unreadable, as received. */
  call.extend({
    type: z.literal("tool.requested"),
    tool: z.string(),
    wireName: z.string(),
    sourceId: z.uuid().nullable(),
    riskClass: riskClass.nullable(),
    args: z.string(),
  }),
  call.extend({ type: z.literal("tool.started") }),
  /** The call has its outcome; `result` is what the model reads, cut to what a card shows. */
  call.extend({
    type: z.literal("tool.finished"),
    status: callStatus,
    result: z.string(),
    resultBytes: z.number().int(),
    durationMs: z.number().int().nullable(),
  }),
  /** A request waits for a person. */
  call.extend({
    type: z.literal("approval.requested"),
    approvalId: z.uuid(),
    level: z.string(),
    fourEyes: z.boolean(),
    expiresAt: z.string(),
    decidable: z.boolean(),
  }),
  /** A request changed its state. */
  call.extend({
    type: z.literal("approval.changed"),
    approvalId: z.uuid(),
    status: requestStatus,
    by: z.string().nullish(),
    reason: z.string().nullish(),
    /** Told when a look at the target changed it (APR-19). */
    stale: z.boolean().optional(),
    /** Something else than what was approved was executed, or came of it (APR-21). */
    incident: z.boolean().optional(),
  }),
  /** The agent asks the person it works for (RUN-16). */
  call.extend({
    type: z.literal("question.asked"),
    questionId: z.uuid(),
    text: z.string(),
    anyone: z.boolean(),
  }),
  /** A call was handed to a run of its own (RUN-18). */
  call.extend({ type: z.literal("child.started"), runId: z.uuid() }),
  /** Somebody answered; the answer is the result of the call. */
  z.object({ type: z.literal("question.answered"), toolCallId: z.uuid(), questionId: z.uuid() }),
  /** Tokens and cost so far. */
  z.object({
    type: z.literal("usage"),
    inputTokens: z.number().int(),
    outputTokens: z.number().int(),
    contextFill: z.number(),
    /** Which model answered, and the cost so far; null: its prices are not known (AI-6). */
    model: z.string().optional(),
    cost: z.number().nullish(),
  }),
]);
export type RunEventBody = z.infer<typeof runEventBody>;
export type RunEventType = RunEventBody["type"];

export type RunEvent = RunEventBody & { readonly seq: number; readonly at: string };

/** Hints of the inbox stream: the client fetches anew what is named. */
export const inboxHint = z.object({
  type: z.enum(["approvals", "chats", "sources", "runs"]),
  workspaceId: z.uuid().nullable(),
});
export type InboxHint = z.infer<typeof inboxHint>;
