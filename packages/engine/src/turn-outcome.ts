import { randomUUIDv7 } from "node:crypto";
import type { JsonObject } from "@aiw/contract/tools";
import type {
  ClaimedRun,
  LoadedModel,
  LoadedRun,
  NewAudit,
  NewCall,
  NewEvent,
  NewItem,
  StepOutcome,
} from "@aiw/core/runs";
import { sha256Hex } from "@aiw/policy/freeze";
import type { FunctionCallItem, OutputItem, TurnUsage } from "@aiw/model/turn";
import { costOf, windowOf } from "./answering-model.ts";
import { readCall } from "./arguments.ts";
import type { EngineDeps } from "./deps.ts";
import * as history from "./history.ts";
import type { CallableTool } from "./own-tools.ts";
import { refusalText } from "./outcomes.ts";

/** A complete turn of the model (RUN-12). */
export interface Answer {
  readonly items: readonly OutputItem[];
  readonly usage: TurnUsage;
  readonly truncated: boolean;
}

/** Why a turn is asked for a summary instead of more calls. */
export type WrapUp = "tool_rounds" | "rejections" | "repetition";

/** A turn and what it was asked with. */
interface TurnFacts {
  readonly deps: EngineDeps;
  readonly run: ClaimedRun;
  readonly loaded: LoadedRun;
  readonly model: LoadedModel;
  readonly tools: readonly CallableTool[];
  readonly pins: Readonly<Record<string, JsonObject>>;
  readonly answer: Answer;
  readonly wrapUp: WrapUp | null;
  readonly prompt: string;
  readonly historyTokens: number;
}

/** What a complete turn brings: the answer, or calls as rows; everything of it in one commit (RUN-3). */
export const turnOutcome = (facts: TurnFacts): StepOutcome => {
  const { run, wrapUp, deps } = facts;
  // A turn that was asked for a summary makes no calls, whatever the model sends: the answer ends here (RUN-10).
  const answer =
    wrapUp === null
      ? facts.answer
      : { ...facts.answer, items: facts.answer.items.filter((i) => i.type !== "function_call") };
  const ignored = facts.answer.items.length - answer.items.length;
  const text = textOf(answer.items) || (wrapUp === null ? "" : LIMIT_TEXT[wrapUp]);
  const taken = new Set(facts.loaded.items.filter((i) => i.runId === run.id).flatMap((i) => callIdOf(i.data)));
  const calls = answer.items
    .filter((i): i is FunctionCallItem => i.type === "function_call")
    .map((item) => ({ item, callId: unique(item.call_id, taken) }));
  const judged = calls.map(({ item, callId }, position) => newCall(facts, item, callId, position, text));
  const renamed = new Map(calls.map(({ item, callId }) => [item, callId]));
  const fill =
    (answer.usage.inputTokens === 0 ? facts.historyTokens + history.tokensOf(facts.prompt) : answer.usage.inputTokens) /
    windowOf(deps, facts.model);
  const cost = costOf(facts.model, answer.usage);

  const unusable = new Set(judged.filter((j) => j.call.status === "failed").map((j) => j.call.callId));
  const items: NewItem[] = answer.items.map((item) => newItem(item, renamed.get(item as FunctionCallItem), unusable));
  if (judged.length === 0 && textOf(answer.items) !== text)
    items.push({ kind: "assistant", data: JSON.stringify({ type: "message", role: "assistant", content: text }) });
  const events: NewEvent[] = [];
  const base = {
    modelCalls: 1,
    inputTokens: answer.usage.inputTokens,
    outputTokens: answer.usage.outputTokens,
    contextFill: Math.min(1, fill),
    model: facts.model.name,
    modelId: facts.model.id,
    ...(cost === null ? {} : { cost }),
    pins: facts.pins,
    policyVersion: facts.loaded.workspace.policyVersion,
  };
  const usage: NewEvent = {
    type: "usage",
    data: {
      inputTokens: run.inputTokens + answer.usage.inputTokens,
      outputTokens: run.outputTokens + answer.usage.outputTokens,
      contextFill: base.contextFill,
      model: base.model,
      cost: cost === null ? run.cost : (run.cost ?? 0) + cost,
    },
  };
  if (judged.length === 0) {
    const messageId = randomUUIDv7();
    events.push(usage, { type: "message.completed", data: { step: run.step, text, final: true, messageId } });
    const limited = wrapUp !== null || answer.truncated;
    const audit: NewAudit[] = limited
      ? [
          {
            actorKind: "system",
            event: "run.limit_reached",
            objectKind: "run",
            objectId: run.id,
            data: { limit: wrapUp ?? "output", ignoredCalls: ignored },
          },
        ]
      : [];
    return {
      ...base,
      status: "completed",
      endReason: limited ? "limit_reached" : waitsApart(facts.loaded) ? "submitted" : "answered",
      outcome: "answered",
      items,
      events,
      audit,
      message: { id: messageId, text },
    };
  }
  if (text !== "") events.push({ type: "message.completed", data: { step: run.step, text, final: false } });
  events.push(usage, ...judged.flatMap((j) => j.events));
  return {
    ...base,
    status: "queued",
    outcome: "calls",
    items,
    calls: judged.map((j) => j.call),
    events,
    audit: judged.flatMap((j) => j.audit),
  };
};

/** Whether a request this run staged still waits for a person (APR-8). */
const waitsApart = (loaded: LoadedRun): boolean => loaded.staged.some((a) => a.status === "pending");

/** Said when the model, asked for a summary, wrote none. */
const LIMIT_TEXT = {
  tool_rounds: "The limit of tool rounds for this answer was reached before the work was finished.",
  rejections: "Several proposals were rejected in this answer, so no further one was made.",
  repetition: "The same call was made again and again in this answer without getting further.",
} as const;

/** Characters of unusable arguments that are kept; a model that writes a megabyte must not fill its own window with it. */
const UNUSABLE_ARGS_CHARS = 8000;
const cut = (text: string): string =>
  text.length <= UNUSABLE_ARGS_CHARS
    ? text
    : `${text.slice(0, UNUSABLE_ARGS_CHARS)} [${text.length - UNUSABLE_ARGS_CHARS} characters more]`;

interface Judged {
  readonly call: NewCall;
  readonly events: readonly NewEvent[];
  readonly audit: readonly NewAudit[];
}

/**
 * A call of this turn as a row. One that names a tool which was not offered, or whose arguments cannot be read, has its
 * outcome at once: an error for the model and an audit row (RUN-15). Nothing of it reaches a connector.
 */
const newCall = (facts: TurnFacts, item: FunctionCallItem, callId: string, position: number, note: string): Judged => {
  const tool = facts.tools.find((t) => t.definition.wireName === item.name);
  const id = randomUUIDv7();
  const read = tool === undefined ? null : readCall(item.arguments, tool, facts.deps.limits.toolResultMaxBytes * 16);
  const args = read?.ok === true ? read.canonical : cut(item.arguments);
  const base: NewCall = {
    id,
    callId,
    position,
    wireName: item.name.slice(0, 200),
    toolId: tool?.row.id ?? null,
    sourceId: null,
    args,
    argsHash: sha256Hex(args),
    riskClass: tool?.row.riskClass ?? null,
    note: note === "" ? null : note.slice(0, 2000),
    status: "pending",
  };
  const requested: NewEvent = {
    type: "tool.requested",
    data: {
      callId,
      toolCallId: id,
      tool: tool?.row.id ?? base.wireName,
      wireName: base.wireName,
      sourceId: null,
      riskClass: base.riskClass,
      args: args.slice(0, 20_000),
    },
  };
  const audited = (event: string, data: object): NewAudit => ({
    actorKind: "agent",
    event,
    objectKind: "tool_call",
    objectId: id,
    data: { tool: tool?.row.id ?? base.wireName, ...data },
  });
  if (tool !== undefined && read?.ok === true)
    return { call: base, events: [requested], audit: [audited("tool.requested", { argsHash: base.argsHash })] };

  const why =
    tool === undefined
      ? `There is no tool named "${base.wireName}" in this turn. Available: ${facts.tools.map((t) => t.definition.wireName).join(", ") || "none"}. Code and shell commands cannot be run here.`
      : `The arguments could not be used: ${read?.ok === false ? read.message : ""}`;
  const result = refusalText("failed", why);
  const call: NewCall = { ...base, status: "failed", result, resultBytes: Buffer.byteLength(result) };
  return {
    call,
    events: [
      requested,
      {
        type: "tool.finished",
        data: { callId, toolCallId: id, status: "failed", result, resultBytes: call.resultBytes, durationMs: null },
      },
    ],
    audit: [
      audited(tool === undefined ? "tool.unknown" : "tool.bad_arguments", {
        code: read?.ok === false ? read.code : "unknown_tool",
      }),
    ],
  };
};

const textOf = (items: readonly OutputItem[]): string =>
  items
    .flatMap((i) => (i.type === "message" && i.role === "assistant" ? [i.content] : []))
    .join("\n\n")
    .trim();

const newItem = (item: OutputItem, callId: string | undefined, unusable: ReadonlySet<string>): NewItem => {
  if (item.type === "message") return { kind: "assistant", data: JSON.stringify(item) };
  if (item.type === "reasoning") return { kind: "reasoning", data: JSON.stringify(item) };
  const id = callId ?? String(item["call_id"]);
  const sent = String(item["arguments"]);
  // Gateways that read arguments as JSON refuse a cut text, so what is too long to be kept is left out whole.
  const kept = unusable.has(id) && sent.length > UNUSABLE_ARGS_CHARS ? "{}" : sent;
  return { kind: "function_call", callId: id, data: JSON.stringify({ ...item, arguments: kept, call_id: id }) };
};

/** Some gateways number calls afresh in each turn; within a run an id names one call (I10). */
const unique = (wanted: string, taken: Set<string>): string => {
  let id = wanted;
  for (let n = 2; taken.has(id); n += 1) id = `${wanted}~${n}`;
  taken.add(id);
  return id;
};

const callIdOf = (data: string): string[] => {
  const item = JSON.parse(data) as { type?: string; call_id?: string };
  return item.type === "function_call" && item.call_id !== undefined ? [item.call_id] : [];
};
