import { randomUUIDv7 } from "node:crypto";
import type { LoadedCall, NewExecution, NewRequest, StagedRequest } from "@aiw/core/runs";
import type { Verdict } from "@aiw/policy/decide";
import { refusalText } from "./outcomes.ts";
import { audited, type Settled } from "./settled.ts";

/** The ids of a staged call: its request, and the run and the call that carry it out (APR-8). */
export interface Staging {
  readonly number: number;
  readonly runId: string;
  readonly toolCallId: string;
}

export const staging = (number: number): Staging => ({
  number,
  runId: randomUUIDv7(),
  toolCallId: randomUUIDv7(),
});

/** The call is answered at once; its request belongs to a run of its own from here on. */
export const submitted = (
  call: LoadedCall,
  row: NewRequest,
  verdict: Verdict,
  { number, runId, toolCallId }: Staging,
): { readonly settled: Settled[]; readonly executions: NewExecution[] } => ({
  settled: [
    {
      call,
      status: "submitted",
      text: refusalText("submitted", `#${number}`),
      durationMs: null,
      untrusted: false,
      sourceName: null,
      update: {
        decision: verdict.decision,
        riskClass: row.riskClass,
        explanation: verdict.explanation,
        sourceId: row.sourceId,
      },
      audit: audited(call, "tool.submitted", { approval: row.id, number }),
    },
  ],
  executions: [
    {
      runId,
      toolCallId,
      stagedCallId: call.id,
      callId: call.callId,
      title: `#${number} ${row.title}`.slice(0, 200),
      toolId: row.toolId,
      wireName: call.wireName,
      sourceId: row.sourceId,
      riskClass: row.riskClass,
      decision: verdict.decision,
      explanation: verdict.explanation,
      args: call.args,
      item: JSON.stringify({
        type: "function_call",
        call_id: call.callId,
        name: call.wireName,
        arguments: call.args,
      }),
    },
  ],
});

const OPEN: readonly string[] = ["pending", "approved", "executing", "unknown"];

/** The very same call, staged before: it is answered from what became of that request, or that it still waits (APR-6). */
export const stagedBefore = (call: LoadedCall, known: StagedRequest): Settled | null => {
  const answer = (status: "submitted" | "rejected" | "expired", detail: string): Settled => ({
    call,
    status,
    text: refusalText(status, detail),
    durationMs: null,
    untrusted: false,
    sourceName: null,
    update: { sourceId: known.sourceId },
    audit: audited(call, status === "submitted" ? "tool.already_submitted" : "tool.repeated_refusal", {
      approval: known.id,
    }),
  });
  if (OPEN.includes(known.status)) return answer("submitted", `#${known.number}, as before`);
  if (known.status === "rejected" || known.status === "expired") return answer(known.status, known.reason ?? "");
  return null;
};
