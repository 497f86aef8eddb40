import { randomUUIDv7 } from "node:crypto";
import type { ClaimedRun, LoadedCall, LoadedRun } from "@aiw/core/runs";
import type { Draft } from "./draft.ts";
import { refusalText } from "./outcomes.ts";
import type { CallableTool } from "./own-tools.ts";
import { audited, type Settled } from "./settled.ts";

/** Work that a run can hand to a run of its own (RUN-18). What it may do is a part of what the workspace allows. */
export interface Subagent {
  /** What the model calls it. */
  readonly name: string;
  readonly description: string;
  /** Ids of the tools it may use; nothing else is offered to it, and it starts no children itself. */
  readonly tools: readonly string[];
  /** Its budget (RUN-10). */
  readonly maxModelCalls: number;
}

/** Children of one run, finished ones counted. */
const MAX_CHILDREN = 8;
/** A parent is woken by the end of its child; this is how long it sleeps where that was lost, in milliseconds. */
export const CHILD_LOOK_MS = 600_000;

const GROUP = "agent";
const toolIdOf = (subagent: Subagent): string => `${GROUP}.${subagent.name}`;

/** Depth 1: a child has none of these (RUN-18). */
export const subagentTools = (run: Pick<ClaimedRun, "lane">, subagents: readonly Subagent[]): CallableTool[] =>
  run.lane === "child"
    ? []
    : subagents.map((subagent) => ({
        row: { id: toolIdOf(subagent), riskClass: "read" },
        definition: {
          wireName: subagent.name,
          description: subagent.description,
          parameters: {
            type: "object",
            properties: { task: { type: "string", minLength: 1, maxLength: 8000 } },
            required: ["task"],
            additionalProperties: false,
          },
        },
      }));

export const subagentOf = (call: LoadedCall, subagents: readonly Subagent[]): Subagent | undefined =>
  subagents.find((subagent) => call.toolId === toolIdOf(subagent));

/** Whether a call waits for a child run. */
export const isChildCall = (call: LoadedCall): boolean => call.toolId?.startsWith(`${GROUP}.`) === true;

/**
 * RUN-18: a call becomes a child run, made in the commit that lets its parent wait. The child works for the same person, under
 * the same settings and the same gate; its requests go the same way.
 */
export const startChild = (
  call: LoadedCall,
  subagent: Subagent,
  run: Pick<ClaimedRun, "lane">,
  started: number,
): Partial<Draft> => {
  if (run.lane === "child" || started >= MAX_CHILDREN) {
    const why =
      run.lane === "child"
        ? "Work that was handed over is not handed over again."
        : `At most ${MAX_CHILDREN} parts of an answer can be handed over.`;
    return { settled: [ended(call, "failed", refusalText("failed", why), false)] };
  }
  const { task } = JSON.parse(call.args) as { readonly task: string };
  const runId = randomUUIDv7();
  return {
    children: [
      {
        runId,
        toolCallId: call.id,
        title: task.slice(0, 80),
        item: JSON.stringify({ type: "message", role: "user", content: task }),
        tools: subagent.tools,
        maxModelCalls: subagent.maxModelCalls,
      },
    ],
    updates: [{ id: call.id, status: "waiting", riskClass: "read" }],
    events: [{ type: "child.started", data: { callId: call.callId, toolCallId: call.id, runId } }],
    audit: [audited(call, "run.child_started", { run: runId })],
  };
};

/** The end of a child is the result of its call: its answer, or why there is none (F75). It read what is untrusted. */
export const takeChild = (call: LoadedCall, loaded: LoadedRun): Partial<Draft> => {
  const child = loaded.children.find((one) => one.toolCallId === call.id);
  if (child === undefined) return {};
  switch (child.status) {
    case "completed":
      return child.answer === null
        ? failed(call, "It ended without an answer.")
        : { settled: [ended(call, "executed", child.answer, true)] };
    case "failed":
    case "blocked_by_guardrail":
      return failed(call, `It failed: ${child.errorText ?? "no reason was given"}`);
    case "cancelled":
      return failed(call, "It was cancelled.");
    case "queued":
    case "running":
    case "waiting_approval":
    case "waiting_input":
    case "needs_reconciliation":
      return {};
  }
};

const failed = (call: LoadedCall, why: string): Partial<Draft> => ({
  settled: [ended(call, "failed", refusalText("failed", why), true)],
});

const ended = (call: LoadedCall, status: Settled["status"], text: string, untrusted: boolean): Settled => ({
  call,
  status,
  text,
  durationMs: null,
  untrusted,
  sourceName: null,
  update: { riskClass: "read" },
  audit: audited(call, `tool.${status}`),
});
