import { randomUUIDv7 } from "node:crypto";
import type { JsonObject } from "@aiw/contract/tools";
import * as approvals from "@aiw/core/approvals";
import type { CallUpdate, LoadedCall, NewAudit, NewEvent, NewExecution, NewRequest } from "@aiw/core/runs";
import type { CallContext, PrepareOutcome, Prepared, Rehearsal } from "@aiw/connectors/connector";
import { fp } from "@aiw/platform/fault";
import { proposalKey, snapshot } from "@aiw/policy/freeze";
import type { Judgement } from "./gate.ts";
import type { KnownTool } from "./offers.ts";
import { refusalText } from "./outcomes.ts";
import { audited, type Settled } from "./settled.ts";
import { contextFor } from "./sources.ts";
import { stagedBefore, staging, submitted, type Staging } from "./stage.ts";
import type { ToolStepContext } from "./tool-step.ts";

export interface Proposal {
  readonly settled?: Settled[];
  readonly updates?: CallUpdate[];
  readonly requests?: NewRequest[];
  readonly executions?: NewExecution[];
  readonly events?: NewEvent[];
  readonly audit?: NewAudit[];
}

/**
 * A write (or a read that needs approval) becomes a frozen request (APR-1, APR-2), or an answer when it cannot: the tool
 * cannot prepare it, the same proposal was refused before in this run (APR-6), or nobody could decide it (APR-18). A write
 * that policy allows becomes a request too, approved "by policy" (APR-12), so that it is followed the same way. In stage mode
 * what a person has to decide is answered "submitted" and goes its own way (APR-8).
 */
export const propose = async (context: ToolStepContext, call: LoadedCall, judgement: Judgement): Promise<Proposal> => {
  if (judgement.kind !== "ask" && judgement.kind !== "allow") return {};
  const { loaded } = context;
  const { tool, source, verdict, args } = judgement;
  const refuse = (text: string, event: string, data: object = {}): Proposal => ({
    settled: [
      {
        call,
        status: "failed",
        text: refusalText("failed", text),
        durationMs: null,
        untrusted: true,
        sourceName: source.name,
        update: {
          decision: verdict.decision,
          riskClass: tool.row.riskClass,
          explanation: verdict.explanation,
          sourceId: source.id,
        },
        audit: audited(call, event, data),
      },
    ],
  });

  const key = proposalKey(tool.row.id, source.id, args);
  const before =
    call.predecessorId === null
      ? loaded.approvals.find(
          (a) =>
            ["rejected", "expired"].includes(a.status) &&
            a.toolId === tool.row.id &&
            proposalKey(a.toolId, a.sourceId, JSON.parse(a.argsText) as JsonObject) === key,
        )
      : undefined;
  if (before !== undefined) {
    const status = before.status === "rejected" ? "rejected" : "expired";
    return {
      settled: [
        {
          call,
          status,
          text: refusalText(status, before.reason ?? ""),
          durationMs: null,
          untrusted: false,
          sourceName: source.name,
          update: { sourceId: source.id },
          audit: audited(call, "tool.repeated_refusal", { approval: before.id }),
        },
      ],
    };
  }

  const staged = loaded.staged.findLast(
    (a) =>
      call.predecessorId === null &&
      a.toolId === tool.row.id &&
      proposalKey(a.toolId, a.sourceId, JSON.parse(a.argsText) as JsonObject) === key,
  );
  const answered = staged === undefined ? null : stagedBefore(call, staged);
  if (answered !== null) return { settled: [answered] };

  // What a person puts forward again is decided by a person, however loose the rules became since.
  const asks = judgement.kind === "ask" || call.predecessorId !== null;
  if (asks && deciders(context, verdict.level, verdict.fourEyes) === 0) {
    return refuse(
      "Nobody in this workspace may decide this request right now, so it was not put forward. Tell the person that an approver is needed.",
      "approval.nobody_can_decide",
    );
  }
  const prepared = await prepareCall(context, call, judgement);
  if (!prepared.ok) return refuse(prepared.text, "tool.not_prepared");
  const apart =
    asks && loaded.agent.mode === "stage"
      ? staging(await fp("approval.number", () => approvals.takeNumber(context.deps.db)))
      : null;
  return request(context, call, judgement, prepared.prepared, { asks, follows: call.predecessorId, apart });
};

export type Wanted = Extract<Judgement, { kind: "ask" | "allow" }>;

/** The call in its frozen form, made by its tool against the present target. `later`: the target could not be asked. */
export const prepareCall = async (
  { deps, lease, pins }: ToolStepContext,
  call: LoadedCall,
  { tool, source, args }: Wanted,
): Promise<PrepareOutcome> => {
  const callContext = await fp("prepare.context", () =>
    contextFor(deps, lease.run, source, pins, lease.signal, deps.limits.toolCallS, tool.served?.stored),
  );
  return fp("approval.prepare", async () => {
    if (!hasForm(tool))
      return { ok: true as const, prepared: withRehearsal(general(call, tool.definition.wireName), NOT_POSSIBLE) };
    return rehearsed(tool, await tool.connector.prepare(tool.definition, args, callContext), callContext);
  }).catch((error: unknown) => {
    if (lease.signal.aborted) throw error;
    deps.log.warn("a proposal could not be prepared", {
      runId: lease.run.id,
      workspaceId: lease.run.workspaceId,
      tool: tool.row.id,
      error,
    });
    const text = "The proposal could not be prepared: the source did not answer.";
    return { ok: false as const, text, later: true };
  });
};

/** APR-20: what came of trying it stands in the preview, and so in the hash that is decided on. */
const rehearsed = async (tool: KnownTool, outcome: PrepareOutcome, context: CallContext): Promise<PrepareOutcome> => {
  if (!outcome.ok) return outcome;
  const { connector, definition } = tool;
  const evidence = await fp("approval.rehearse", async () =>
    connector.rehearse === undefined ? null : connector.rehearse(definition, outcome.prepared.form, context),
  ).catch((error: unknown) => {
    if (context.signal.aborted) throw error;
    return undefined;
  });
  const rehearsal: Rehearsal =
    evidence === undefined || evidence === null
      ? { kind: "none", why: evidence === null ? "not_possible" : "unreachable" }
      : { kind: "rehearsed", at: new Date().toISOString(), evidence };
  return { ok: true, prepared: withRehearsal(outcome.prepared, rehearsal) };
};

const NOT_POSSIBLE: Rehearsal = { kind: "none", why: "not_possible" };
const withRehearsal = (prepared: Prepared, rehearsal: Rehearsal): Prepared => ({
  ...prepared,
  preview: { ...prepared.preview, rehearsal },
});

export interface Frozen {
  readonly asks: boolean;
  /** The request whose call it puts forward again (APR-7, APR-19). */
  readonly follows: string | null;
  /** Carried out apart from the run that asks (APR-8). */
  readonly apart: Staging | null;
}

/** The frozen request with its event and audit row. */
export const request = (
  context: ToolStepContext,
  call: LoadedCall,
  judgement: Wanted,
  prepared: Prepared,
  { asks, follows, apart }: Frozen,
): Proposal => {
  const { deps, lease, loaded } = context;
  const { tool, source, verdict } = judgement;
  const id = randomUUIDv7();
  const preview = JSON.stringify(prepared.preview);
  const frozen = snapshot({
    tool: tool.row.id,
    action: tool.row.id.split(".")[1] ?? null,
    sourceId: source.id,
    argsCanonical: call.args,
    preview,
    preconditions: prepared.preconditions,
    form: prepared.form,
    formVersion: prepared.formVersion,
    definitionHash: tool.row.definitionHash,
    level: verdict.level,
    fourEyes: verdict.fourEyes,
    policyVersion: loaded.workspace.policyVersion,
    workspaceId: lease.run.workspaceId,
    runId: apart?.runId ?? lease.run.id,
    callId: call.callId,
    requesterId: lease.run.startedBy,
  });
  const allowedByPolicy = !asks;
  const row: NewRequest = {
    id,
    toolCallId: apart?.toolCallId ?? call.id,
    callId: call.callId,
    sourceId: source.id,
    toolId: tool.row.id,
    title: prepared.preview.title.slice(0, 200),
    snapshot: frozen.text,
    snapshotHash: frozen.hash,
    args: call.args,
    form: prepared.form,
    formVersion: prepared.formVersion,
    preview,
    preconditions: JSON.stringify(prepared.preconditions),
    definitionHash: tool.row.definitionHash,
    policyVersion: loaded.workspace.policyVersion,
    level: verdict.level,
    fourEyes: verdict.fourEyes,
    riskClass: tool.row.riskClass ?? "write_external",
    explanation: JSON.stringify(verdict.explanation),
    modelNote: call.note,
    allowedByPolicy,
    ttlS: loaded.agent.timeoutS ?? loaded.workspace.approvalTtlS,
    executeWithinS: deps.limits.executeWithinS,
    predecessorId: follows,
    message: loaded.agent.message === "" ? null : loaded.agent.message,
    ...(apart === null ? {} : { number: apart.number, runId: apart.runId, stagedCallId: call.id }),
  };
  const events: NewEvent[] = allowedByPolicy
    ? [
        {
          type: "approval.changed",
          data: { callId: call.callId, toolCallId: call.id, approvalId: id, status: "approved", by: null },
        },
      ]
    : [
        {
          type: "approval.requested",
          data: {
            callId: call.callId,
            toolCallId: call.id,
            approvalId: id,
            level: verdict.level,
            fourEyes: verdict.fourEyes,
            decidable: true,
          },
        },
      ];
  const waiting: CallUpdate = {
    id: call.id,
    status: "waiting",
    decision: verdict.decision,
    riskClass: tool.row.riskClass,
    explanation: verdict.explanation,
    sourceId: source.id,
  };
  return {
    requests: [row],
    ...(apart === null ? { updates: [waiting] } : submitted(call, row, verdict, apart)),
    events,
    audit: [
      {
        actorKind: "agent",
        event: allowedByPolicy ? "approval.allowed_by_policy" : "approval.staged",
        objectKind: "approval",
        objectId: id,
        source: "approval",
        data: {
          tool: tool.row.id,
          hash: frozen.hash,
          level: verdict.level,
          fourEyes: verdict.fourEyes,
          predecessor: follows,
          mode: apart === null ? "pause" : "stage",
        },
      },
    ],
  };
};

/**
 * Whether a request for this tool is executed from a form its connector froze. Reading tools that are code have none; a
 * server's tool always has, so that what goes out is what was shown, the arguments the platform set included (N44).
 */
export const hasForm = (tool: KnownTool): boolean => tool.row.riskClass !== "read" || tool.served !== null;

/** APR-22: a tool without its own `prepare` is shown with its arguments. */
const general = (call: LoadedCall, wireName: string): Prepared => ({
  form: call.args,
  formVersion: 1,
  preconditions: {},
  preview: {
    title: wireName,
    kind: "arguments",
    fields: Object.entries(JSON.parse(call.args) as JsonObject).map(([label, value]) => ({
      label,
      value: typeof value === "string" ? value : JSON.stringify(value),
    })),
  },
});

/** APR-18: how many people could decide, by the same rule that decides (APR-5). */
export const deciders = ({ loaded, lease }: ToolStepContext, level: string, fourEyes: boolean): number => {
  const candidates =
    level === "global_approver"
      ? loaded.globalApprovers
      : loaded.members.filter((m) => !m.disabled && (m.role === "admin" || m.role === "approver")).map((m) => m.userId);
  return candidates.filter((id) => !fourEyes || id !== lease.run.startedBy).length;
};
