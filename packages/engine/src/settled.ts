import type { CallStatus, RequestStatus } from "@aiw/contract/runs";
import type { CallUpdate, LoadedApproval, LoadedCall, NewAudit, NewEvent, Settle } from "@aiw/core/runs";

/** A call that got its outcome in this step. `text` is what the model reads, before it is fenced. */
export interface Settled {
  readonly call: LoadedCall;
  readonly status: CallStatus;
  readonly text: string;
  readonly durationMs: number | null;
  readonly update: Omit<CallUpdate, "id" | "status" | "result" | "resultBytes">;
  /** The text is a tool's and not the platform's: it is fenced for the model (AI-4). */
  readonly untrusted: boolean;
  readonly sourceName: string | null;
  readonly audit: NewAudit;
  /** Stored, told and audited already, as soon as it was there (F8); only its item is still to be written. */
  readonly kept?: boolean;
}

/** Characters of a result that the event carries; the card loads no more. */
const EVENT_CHARS = 20_000;

export const finishedEvent = (s: Settled): NewEvent => ({
  type: "tool.finished",
  data: {
    callId: s.call.callId,
    toolCallId: s.call.id,
    status: s.status,
    result: s.text.slice(0, EVENT_CHARS),
    resultBytes: Buffer.byteLength(s.text),
    durationMs: s.durationMs,
  },
});

export const updateOf = (s: Settled): CallUpdate => ({
  ...s.update,
  id: s.call.id,
  status: s.status,
  result: s.text,
  resultBytes: Buffer.byteLength(s.text),
  ...(s.durationMs === null ? {} : { durationMs: s.durationMs }),
});

type Outcome = Omit<Settle, "id" | "status" | "event" | "audit">;

/** What became of a request in this step, with its event and audit row. */
export const settle = (
  call: Pick<LoadedCall, "id" | "callId">,
  approval: LoadedApproval,
  status: RequestStatus,
  audit: { readonly event: string; readonly data: object },
  outcome: Outcome = {},
): Settle => ({
  ...outcome,
  id: approval.id,
  status,
  event: {
    type: "approval.changed",
    data: { callId: call.callId, toolCallId: call.id, approvalId: approval.id, status },
  },
  audit: {
    actorKind: "agent",
    event: audit.event,
    objectKind: "approval",
    objectId: approval.id,
    source: "approval",
    data: { tool: approval.toolId, ...audit.data },
  },
});

export const audited = (call: LoadedCall, event: string, data: object = {}): NewAudit => ({
  actorKind: "agent",
  event,
  objectKind: "tool_call",
  objectId: call.id,
  data: { tool: call.toolId ?? call.wireName, ...data },
});
