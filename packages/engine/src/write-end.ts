import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { InvalidReason } from "@aiw/contract/runs";
import type { JsonObject } from "@aiw/contract/tools";
import type { ToolResult } from "@aiw/connectors/connector";
import * as approvals from "@aiw/core/approvals";
import type { ExecutionFacts } from "@aiw/core/approvals";
import type { CallUpdate, LoadedApproval, LoadedCall, NewAudit, Settle } from "@aiw/core/runs";
import { executedHash } from "./gate.ts";
import { refusalText } from "./outcomes.ts";
import { audited, settle, type Settled } from "./settled.ts";

/** How a write ended, as a part of the step's outcome. `unknown`: nobody may call it again before a person decided (RUN-7). */
export interface WriteEnd {
  readonly settled: Settled[];
  readonly settles: Settle[];
  readonly updates: CallUpdate[];
  readonly unknown: boolean;
  readonly audit?: NewAudit[];
}

export const WHY: Readonly<Record<InvalidReason, string>> = {
  stale: "The target changed since the proposal.",
  superseded: "Rights, rules, tool or source changed since the request was made.",
  lapsed: "The time to execute after the approval is over.",
  upgraded: "The platform no longer executes this form of the proposal.",
  tampered: "The stored request does not match its hash.",
};

/** What an execution is compared with afterwards (APR-21). */
export interface Receipt {
  readonly approvedHash: string;
  readonly executedHash: string;
  readonly predicted: JsonObject | undefined;
}

export const receiptOf = (
  facts: ExecutionFacts,
  authorised: AuthorisedCall,
  run: { readonly id: string; readonly workspaceId: string },
): Receipt => ({
  approvedHash: facts.snapshotHash,
  executedHash: executedHash(facts, authorised, run.workspaceId, run.id),
  predicted: (JSON.parse(facts.preview) as { readonly predicted?: JsonObject }).predicted,
});

export const executed = (
  call: LoadedCall,
  approval: LoadedApproval,
  receipt: Receipt,
  result: ToolResult,
  reconciled: boolean,
  durationMs: number | null,
  sourceName: string,
): WriteEnd => {
  const effects = approvals.effectsOf(receipt.predicted, result.facts);
  const incident = approvals.isIncident(receipt.approvedHash, receipt.executedHash, effects);
  const { executedHash: hash } = receipt;
  const done = settle(
    call,
    approval,
    "executed",
    { event: "approval.executed", data: { hash, reconciled, facts: result.facts ?? {} } },
    {
      result: result.text,
      executedHash: hash,
      reconciled,
      ...(result.facts === undefined ? {} : { facts: result.facts }),
    },
  );
  const event = incident ? { ...done.event, data: { ...done.event.data, incident } } : done.event;
  return {
    settled: [
      {
        call,
        status: "executed",
        text: result.text,
        durationMs,
        untrusted: true,
        sourceName,
        update: {},
        audit: audited(call, "tool.executed", { approval: approval.id, reconciled }),
      },
    ],
    settles: [{ ...done, event }],
    updates: [],
    unknown: false,
    audit: incident ? [incidentOf(approval, receipt, effects)] : [],
  };
};

/** APR-21: something else than what was approved was executed, or came of it. */
const incidentOf = (
  approval: LoadedApproval,
  { approvedHash, executedHash: hash }: Receipt,
  effects: ReturnType<typeof approvals.effectsOf>,
): NewAudit => ({
  actorKind: "system",
  event: "approval.incident",
  objectKind: "approval",
  objectId: approval.id,
  source: "approval",
  data: {
    tool: approval.toolId,
    approvedHash,
    executedHash: hash,
    differs: effects.filter((effect) => !effect.same).map((effect) => effect.fact),
  },
});

export const failed = (
  call: LoadedCall,
  approval: LoadedApproval,
  text: string,
  durationMs: number,
  sourceName: string,
): WriteEnd => ({
  settled: [
    {
      call,
      status: "failed",
      text: refusalText("failed", text),
      durationMs,
      untrusted: true,
      sourceName,
      update: {},
      audit: audited(call, "tool.failed", { approval: approval.id }),
    },
  ],
  settles: [settle(call, approval, "failed", { event: "approval.failed", data: {} }, { result: text })],
  updates: [],
  unknown: false,
});

export const invalid = (call: LoadedCall, approval: LoadedApproval, reason: InvalidReason, text: string): WriteEnd => ({
  settled: [
    {
      call,
      status: "invalid",
      text: refusalText("invalid", text),
      durationMs: null,
      untrusted: false,
      sourceName: null,
      update: {},
      audit: audited(call, "tool.invalid", { approval: approval.id, reason }),
    },
  ],
  settles: [
    settle(
      call,
      approval,
      "invalid",
      { event: reason === "tampered" ? "approval.tampered" : "approval.invalid", data: { reason } },
      { invalidReason: reason, result: text },
    ),
  ],
  updates: [],
  unknown: false,
});

export const unknown = (call: LoadedCall, approval: LoadedApproval, text: string): WriteEnd => ({
  settled: [],
  settles: [settle(call, approval, "unknown", { event: "approval.unknown", data: { text } }, { result: text })],
  updates: [{ id: call.id, status: "unknown", result: text }],
  unknown: true,
});
