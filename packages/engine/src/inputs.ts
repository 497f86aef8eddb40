import { randomUUIDv7 } from "node:crypto";
import type { InputTool } from "@aiw/contract/agents";
import type { JsonObject } from "@aiw/contract/tools";
import * as approvals from "@aiw/core/approvals";
import type { LoadedApproval, LoadedCall } from "@aiw/core/runs";
import { fp } from "@aiw/platform/fault";
import { definitionHash, proposalKey, snapshot } from "@aiw/policy/freeze";
import type { Draft } from "./draft.ts";
import { refusalText } from "./outcomes.ts";
import { deciders } from "./propose.ts";
import { audited, settle, type Settled } from "./settled.ts";
import type { ToolStepContext } from "./tool-step.ts";

const answered = (call: LoadedCall, status: Settled["status"], text: string, event: string, data: object): Settled => ({
  call,
  status,
  text,
  durationMs: null,
  untrusted: false,
  sourceName: null,
  update: { riskClass: "read" },
  audit: audited(call, event, data),
});

/**
 * APR-9: a call of an input tool becomes a request for a person's text. What was refused or ran out in this run is not asked
 * again unchanged (APR-6), and nobody is kept waiting where nobody could answer (APR-18).
 */
export const askInput = (context: ToolStepContext, call: LoadedCall, input: InputTool): Partial<Draft> => {
  const { loaded, lease } = context;
  const toolId = call.toolId ?? "";
  const args = JSON.parse(call.args) as JsonObject;
  const key = proposalKey(toolId, null, args);
  const before = loaded.approvals.find(
    (a) =>
      (a.status === "rejected" || a.status === "expired") &&
      a.toolId === toolId &&
      proposalKey(toolId, null, JSON.parse(a.argsText) as JsonObject) === key,
  );
  if (before !== undefined) {
    const status = before.status === "rejected" ? "rejected" : "expired";
    const text = refusalText(status, before.reason ?? "");
    return { settled: [answered(call, status, text, "tool.repeated_refusal", { approval: before.id })] };
  }
  if (deciders(context, "workspace_admin", false) === 0) {
    const text = refusalText("failed", "Nobody in this workspace may answer this request right now.");
    return { settled: [answered(call, "failed", text, "approval.nobody_can_decide", {})] };
  }
  const id = randomUUIDv7();
  const preview = JSON.stringify({
    title: input.label,
    kind: "arguments",
    fields: input.params.map(({ name }) => ({ label: name, value: shown(args[name]) })),
    rehearsal: "none",
  });
  const form = JSON.stringify({ input: input.name, label: input.label, sensitive: input.sensitive });
  const explanation = { code: "input", params: { tool: toolId }, atLevel: "agent", steps: [] };
  const frozen = {
    definitionHash: definitionHash({ ...input, params: input.params.map((param) => ({ ...param })) }),
    policyVersion: loaded.workspace.policyVersion,
    level: "workspace_admin" as const,
    fourEyes: false,
    form,
    formVersion: 1,
    preview,
    callId: call.callId,
    sourceId: null,
  };
  const { text, hash } = snapshot({
    ...frozen,
    tool: toolId,
    action: input.name,
    argsCanonical: call.args,
    preconditions: {},
    workspaceId: lease.run.workspaceId,
    runId: lease.run.id,
    requesterId: lease.run.startedBy,
  });
  return {
    requests: [
      {
        ...frozen,
        id,
        toolCallId: call.id,
        toolId,
        title: input.label,
        snapshot: text,
        snapshotHash: hash,
        args: call.args,
        preconditions: "{}",
        riskClass: "read",
        explanation: JSON.stringify(explanation),
        modelNote: call.note,
        allowedByPolicy: false,
        ttlS: loaded.agent.timeoutS ?? loaded.workspace.approvalTtlS,
        executeWithinS: context.deps.limits.executeWithinS,
        predecessorId: call.predecessorId,
        message: loaded.agent.message === "" ? null : loaded.agent.message,
        responseLabel: input.label,
        sensitive: input.sensitive,
      },
    ],
    updates: [{ id: call.id, status: "waiting", riskClass: "read" }],
    events: [
      {
        type: "approval.requested",
        data: {
          callId: call.callId,
          toolCallId: call.id,
          approvalId: id,
          level: frozen.level,
          fourEyes: false,
          decidable: true,
        },
      },
    ],
    audit: [
      {
        actorKind: "agent",
        event: "approval.staged",
        objectKind: "approval",
        objectId: id,
        source: "approval",
        data: { tool: toolId, hash, level: frozen.level, fourEyes: false, input: input.name },
      },
    ],
  };
};

/** The values the model passed stand above the field as they are (APR-9). */
const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/**
 * The person's text becomes the call's result, exactly: no fence, no trimming (APR-9). It is opened here, under the request
 * it was given to and no other (N81). Handed over counts as carried out: the request passes through both states in one commit.
 */
export const giveAnswer = async (
  { deps }: ToolStepContext,
  call: LoadedCall,
  approval: LoadedApproval,
): Promise<Partial<Draft>> => {
  const sealed = approval.input?.response ?? null;
  if (sealed === null) throw new Error("an answered input has no answer");
  const text = await fp("input.open", () => deps.vault.open(sealed, approvals.responseContext(approval.id)));
  const facts = { hash: approval.snapshotHash };
  return {
    settled: [answered(call, "executed", text, "tool.executed", { approval: approval.id })],
    settles: [
      settle(call, approval, "executing", { event: "approval.executing", data: facts }),
      settle(
        call,
        approval,
        "executed",
        { event: "approval.executed", data: facts },
        { executedHash: approval.snapshotHash },
      ),
    ],
  };
};
