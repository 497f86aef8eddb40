import type { ModelItem } from "@aiw/model/turn";
import type { LoadedItem } from "@aiw/core/runs";
import { FENCE_END, FENCE_START } from "./outcomes.ts";

/** Bytes of text per token, on the careful side for code and German. */
const BYTES_PER_TOKEN = 3;
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** Answers whose tool outputs stay whole (AI-1). */
const WHOLE_ANSWERS = 2;
/** Characters an older tool output keeps. */
const SHORT_OUTPUT = 600;

export interface History {
  readonly items: readonly ModelItem[];
  readonly tokens: number;
  /** Older runs of the chat that did not fit. */
  readonly dropped: number;
}

/**
 * AI-1: the chat's history by token budget. The present run is always whole; earlier answers are added from the newest
 * backwards as long as they fit, tool outputs of all but the last two shortened. An answer is added whole or not at all, so
 * that every call keeps its output (I10).
 */
export const build = (items: readonly LoadedItem[], runId: string, maxTokens: number): History => {
  const runs = new Map<string, LoadedItem[]>();
  for (const item of items) {
    const list = runs.get(item.runId);
    if (list === undefined) runs.set(item.runId, [item]);
    else list.push(item);
  }
  const order = [...runs.keys()];
  const kept: ModelItem[][] = [];
  let tokens = 0;
  let used = 0;
  for (const [back, id] of order.toReversed().entries()) {
    const decoded = (runs.get(id) ?? []).filter(isUseful).map((i) => decode(i, back < WHOLE_ANSWERS));
    const size = decoded.reduce((sum, i) => sum + tokensOf(JSON.stringify(i)), 0);
    if (id !== runId && (tokens + size > maxTokens || !isWhole(decoded))) break;
    kept.unshift(decoded);
    tokens += size;
    used += 1;
  }
  return { items: kept.flat(), tokens, dropped: order.length - used };
};

const decode = (item: LoadedItem, whole: boolean): ModelItem => {
  const data = forAnother(JSON.parse(item.data) as ModelItem, item.otherModel);
  if (whole || data.type !== "function_call_output" || data.output.length <= SHORT_OUTPUT) return data;
  // What was fenced stays fenced: the platform's remark stands behind the fence's end.
  const end = data.output.startsWith(FENCE_START) ? `\n${FENCE_END}` : "";
  return {
    ...data,
    output: `${data.output.slice(0, SHORT_OUTPUT)}${end}\n[shortened: ${data.output.length - SHORT_OUTPUT} characters of an older result left out; call the tool again if needed]`,
  };
};

/** What another model thought is its own: sealed for it, and refused by others. */
const isUseful = (item: LoadedItem): boolean => item.kind !== "reasoning" || !item.otherModel;

/** The id of a call belongs to the reasoning before it, which is not sent along. */
const forAnother = (data: ModelItem, otherModel: boolean): ModelItem => {
  if (!otherModel || data.type !== "function_call") return data;
  const { id: _id, ...call } = data;
  return call;
};

/** An older answer that was cut at the edge of what was loaded is left out. */
const isWhole = (items: readonly ModelItem[]): boolean =>
  items[0]?.type === "message" && items[0].role === "user" && unanswered(items).length === 0;

/** Ids of calls without exactly one output; must be empty before every model call (APR-6, I10). */
export const unanswered = (items: readonly ModelItem[]): string[] => {
  const open = new Map<string, number>();
  for (const item of items) {
    if (item.type === "function_call") open.set(item.call_id, 0);
    if (item.type === "function_call_output") open.set(item.call_id, (open.get(item.call_id) ?? 1) + 1);
  }
  return [...open].filter(([, outputs]) => outputs !== 1).map(([id]) => id);
};
