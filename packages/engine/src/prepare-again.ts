import type { LoadedApproval, LoadedCall } from "@aiw/core/runs";
import { fp } from "@aiw/platform/fault";
import { judge } from "./gate.ts";
import { refusalText } from "./outcomes.ts";
import { deciders, prepareCall, request, type Wanted } from "./propose.ts";
import type { Draft } from "./draft.ts";
import { audited, settle } from "./settled.ts";
import { contextFor } from "./sources.ts";
import type { ToolStepContext } from "./tool-step.ts";

/**
 * APR-19: an open request whose target changed is prepared anew, against the target as it is now, because a person asked for it.
 * The commit closes it and opens its successor, or does neither when somebody was faster. It is judged by the rules of now, and a
 * person decides the successor even where they would allow it. What can no longer be prepared ends, and the model is told why;
 * a target that could not be asked changes nothing.
 */
export const prepareAgain = async (
  context: ToolStepContext,
  call: LoadedCall,
  approval: LoadedApproval,
): Promise<Partial<Draft>> => {
  const { deps, lease, loaded, tools } = context;
  const judgement = judge(call, loaded, tools, lease.run);
  if (judgement.kind === "deny" || judgement.kind === "unusable")
    return ended(call, approval, "superseded", judgement.text);
  const { source, tool, verdict } = judgement;
  if (deciders(context, verdict.level, verdict.fourEyes) === 0)
    return ended(call, approval, "superseded", "Nobody in this workspace may decide it right now.");
  const pinned = await fp("again.pin", async () => {
    const { source: access, signal } = await contextFor(
      deps,
      lease.run,
      source,
      context.pins,
      lease.signal,
      deps.limits.toolCallS,
    );
    return tool.connector.pin(access, signal, true);
  }).catch((error: unknown) => {
    if (lease.signal.aborted) throw error;
    deps.log.warn("a request could not be prepared again", { runId: lease.run.id, approvalId: approval.id, error });
    return { ok: false as const, text: "The source did not answer." };
  });
  if (!pinned.ok) return kept(call, approval, pinned.text);
  const fresh = { ...context, pins: { ...context.pins, [source.id]: pinned.pin } };
  const prepared = await fp("again.prepare", () => prepareCall(fresh, call, judgement));
  if (prepared.ok)
    return request(fresh, call, judgement, prepared.prepared, { asks: true, follows: approval.id, apart: null });
  return prepared.later === true
    ? kept(call, approval, prepared.text)
    : ended(
        call,
        approval,
        "stale",
        `${approval.staleReason ?? "The target changed."} It cannot be prepared again: ${prepared.text}`,
        judgement,
      );
};

const ended = (
  call: LoadedCall,
  approval: LoadedApproval,
  reason: "stale" | "superseded",
  text: string,
  judgement?: Wanted,
): Partial<Draft> => ({
  settled: [
    {
      call,
      status: "invalid",
      text: refusalText("invalid", text),
      durationMs: null,
      untrusted: judgement !== undefined,
      sourceName: judgement?.source.name ?? null,
      update: {},
      audit: audited(call, "tool.invalid", { approval: approval.id, reason }),
    },
  ],
  settles: [
    settle(
      call,
      approval,
      "invalid",
      { event: "approval.invalid", data: { reason } },
      { invalidReason: reason, result: text },
    ),
  ],
});

const kept = (call: LoadedCall, approval: LoadedApproval, text: string): Partial<Draft> => ({
  unprepared: [
    {
      id: approval.id,
      event: {
        type: "approval.changed",
        data: {
          callId: call.callId,
          toolCallId: call.id,
          approvalId: approval.id,
          status: "pending",
          stale: true,
          reason: text,
        },
      },
      audit: {
        actorKind: "agent",
        event: "approval.not_prepared",
        objectKind: "approval",
        objectId: approval.id,
        source: "approval",
        data: { tool: approval.toolId },
      },
    },
  ],
});
