import {
  ModelError,
  type EndReason,
  type FunctionCallItem,
  type ModelItem,
  type OutputItem,
  type TurnEvent,
  type TurnUsage,
} from "./turn.ts";

/** Characters one answer may have, text and arguments together: far above any model's limit, below what memory minds. */
const MAX_ANSWER_CHARS = 4_000_000;

/** What an API reader gives away while it reads: a sign of life, text, or the finished turn. */
export type ReaderEvent = { readonly type: "alive" } | TurnEvent;

/** Counts what was streamed and refuses an answer without end. */
export class Meter {
  #chars = 0;
  add(text: string): void {
    this.#chars += text.length;
    if (this.#chars > MAX_ANSWER_CHARS) throw protocol("answer_too_large", "The model's answer has no end.");
  }
}

export const protocol = (code: string, message: string): ModelError =>
  new ModelError({ kind: "protocol", code, message });

/**
 * Checks a complete answer and makes the last event of it (F93, RUN-12). Throws a `protocol` error for an empty answer
 * and for a call id that is missing or used twice, here or in the history: results are joined to calls by it.
 */
export function finish(input: {
  items: readonly OutputItem[];
  usage: TurnUsage;
  cut: boolean;
  history: readonly ModelItem[];
}): TurnEvent {
  if (input.cut) return { type: "done", items: withoutCalls(input.items), usage: input.usage, endReason: "length" };
  const calls = input.items.filter((item) => item.type === "function_call");
  const said = input.items.some((item) => item.type === "message" && item.content !== "");
  if (calls.length === 0 && !said) throw protocol("empty_output", "The model answered with nothing.");
  checkCalls(calls, input.history);
  const endReason: EndReason = calls.length > 0 ? "tool_calls" : "stop";
  return { type: "done", items: input.items, usage: input.usage, endReason };
}

function checkCalls(calls: readonly FunctionCallItem[], history: readonly ModelItem[]): void {
  const used = new Set(history.flatMap((item) => (item.type === "function_call" ? [item.call_id] : [])));
  for (const call of calls) {
    if (call.call_id === "") throw protocol("call_id_missing", "The model called a tool without an id.");
    if (call.name === "") throw protocol("call_name_missing", "The model called a tool without a name.");
    if (used.has(call.call_id)) throw protocol("duplicate_call_id", "The model used one call id twice.");
    used.add(call.call_id);
  }
}

/** A cut answer keeps its text. Its calls are dropped, and with them the reasoning that belongs to no message. */
function withoutCalls(items: readonly OutputItem[]): OutputItem[] {
  const kept: OutputItem[] = [];
  let waiting: OutputItem[] = [];
  for (const item of items) {
    if (item.type === "reasoning") waiting.push(item);
    else {
      if (item.type === "message" && item.content !== "") kept.push(...waiting, item);
      waiting = [];
    }
  }
  return kept;
}
