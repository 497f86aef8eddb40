import { randomUUID } from "node:crypto";
import type OpenAI from "openai";
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { finish, Meter, protocol, type ReaderEvent } from "./answer.ts";
import { fromFault, streamFault, type ErrorContext } from "./errors.ts";
import type { FunctionCallItem, ModelItem, OutputItem, TurnRequest, TurnUsage } from "./turn.ts";
import { count, fields, list, text, type Fields } from "./wire.ts";

/** The same turn in the words of Chat Completions, for gateways that know nothing else (GW-1). */
export function chatBody(request: TurnRequest): ChatCompletionCreateParamsStreaming {
  return {
    model: request.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(request.instructions === "" ? [] : [{ role: "system" as const, content: request.instructions }]),
      ...messages(request.items),
    ],
    ...(request.tools.length === 0
      ? {}
      : {
          tools: [...request.tools]
            .sort((a, b) => (a.name < b.name ? -1 : 1))
            .map((tool) => ({
              type: "function" as const,
              function: { name: tool.name, description: tool.description, parameters: { ...tool.parameters } },
            })),
          tool_choice: request.toolChoice ?? "auto",
        }),
    ...(request.maxOutputTokens === undefined ? {} : { max_completion_tokens: request.maxOutputTokens }),
  };
}

/** Calls of one turn share one assistant message with the text before them; reasoning has no place in this API. */
function messages(items: readonly ModelItem[]): ChatCompletionMessageParam[] {
  const out: ChatCompletionMessageParam[] = [];
  for (const item of items) {
    switch (item.type) {
      case "message":
        out.push({ role: item.role, content: item.content });
        break;
      case "function_call": {
        const call = {
          id: item.call_id,
          type: "function" as const,
          function: { name: item.name, arguments: item.arguments },
        };
        const last = out.at(-1);
        if (last?.role === "assistant") last.tool_calls = [...(last.tool_calls ?? []), call];
        else out.push({ role: "assistant", content: null, tool_calls: [call] });
        break;
      }
      case "function_call_output":
        out.push({ role: "tool", tool_call_id: item.call_id, content: item.output });
        break;
      case "reasoning":
        break;
    }
  }
  return out;
}

/** Reads one streamed turn. Ends without `done` when the stream ended before a `finish_reason`. */
export async function* readChat(
  client: OpenAI,
  request: TurnRequest,
  signal: AbortSignal,
  context: () => ErrorContext,
): AsyncGenerator<ReaderEvent> {
  const answer = new ChatAnswer();
  const stream = request.stream === false ? whole(client, request, signal) : await streamed(client, request, signal);
  try {
    for await (const raw of stream) {
      const chunk = fields(raw);
      const piece = answer.take(chunk);
      yield piece === "" ? { type: "alive" } : { type: "delta", text: piece };
      if (answer.finishReason !== null && answer.usage !== null) break;
    }
  } catch (error) {
    // The answer was complete; only the count of tokens is lost with the connection. A word of the gateway still counts.
    if (answer.finishReason === null || isGatewayWord(error)) throw error;
  }
  if (answer.finishReason === null) return;
  if (answer.finishReason === "content_filter") {
    throw fromFault(
      streamFault({ code: "content_filter", message: "The answer was stopped by the content filter." }),
      context(),
    );
  }
  yield finish({
    items: answer.items(request.items),
    usage: answer.usage ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 },
    cut: answer.finishReason === "length",
    history: request.items,
  });
}

const streamed = async (client: OpenAI, request: TurnRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> =>
  client.chat.completions.create(chatBody(request), { signal });

/** The answer of a gateway that cannot stream, as the one chunk of a stream. */
async function* whole(client: OpenAI, request: TurnRequest, signal: AbortSignal): AsyncGenerator {
  const { stream: _stream, stream_options: _options, ...body } = chatBody(request);
  const answer = fields(await client.chat.completions.create({ ...body, stream: false }, { signal }));
  const choices = list(answer["choices"]).map((choice) => ({ ...fields(choice), delta: fields(choice)["message"] }));
  yield { ...answer, choices };
}

const isGatewayWord = (error: unknown): boolean => fields(fields(error)["error"])["message"] !== undefined;

interface CallDraft {
  id: string;
  name: string;
  args: string;
}

class ChatAnswer {
  finishReason: string | null = null;
  usage: TurnUsage | null = null;
  #text = "";
  readonly #calls = new Map<number, CallDraft>();
  readonly #meter = new Meter();

  /** Takes one chunk in and returns the text to show. */
  take(chunk: Fields): string {
    if (chunk["usage"] !== null && chunk["usage"] !== undefined) this.usage = usageOf(fields(chunk["usage"]));
    const choice = fields(list(chunk["choices"])[0]);
    const delta = fields(choice["delta"]);
    const piece = (text(delta["content"]) ?? "") + (text(delta["refusal"]) ?? "");
    this.#meter.add(piece);
    this.#text += piece;
    for (const part of list(delta["tool_calls"])) this.#takeCall(fields(part));
    this.finishReason = text(choice["finish_reason"]) ?? this.finishReason;
    return piece;
  }

  /** Pieces of a call are joined by index; a gateway without one starts a new call with each new id. */
  #takeCall(part: Fields): void {
    const id = text(part["id"]) ?? "";
    const fn = fields(part["function"]);
    const last = this.#calls.size - 1;
    const startsNew = this.#calls.size === 0 || (id !== "" && this.#calls.get(last)?.id !== id);
    const index = typeof part["index"] === "number" ? part["index"] : startsNew ? last + 1 : last;
    const call = this.#calls.get(index) ?? { id: "", name: "", args: "" };
    const args = fn["arguments"];
    if (args !== undefined && args !== null && typeof args !== "string") {
      throw protocol("arguments_not_text", "The model's arguments are not a text.");
    }
    this.#meter.add(args ?? "");
    this.#calls.set(index, {
      id: call.id || id,
      name: call.name || (text(fn["name"]) ?? ""),
      args: call.args + (args ?? ""),
    });
  }

  /** Ids are only labels in this API and some gateways count anew in each answer, so one that is taken gets a fresh one. */
  items(history: readonly ModelItem[]): OutputItem[] {
    const used = new Set(history.flatMap((item) => (item.type === "function_call" ? [item.call_id] : [])));
    const calls = [...this.#calls]
      .sort(([a], [b]) => a - b)
      .map(([, call]): FunctionCallItem => {
        const keep = call.id !== "" && !used.has(call.id);
        return {
          type: "function_call",
          call_id: keep ? call.id : `call_${randomUUID().replaceAll("-", "")}`,
          name: call.name,
          arguments: call.args,
        };
      });
    return [
      ...(this.#text === "" ? [] : [{ type: "message" as const, role: "assistant" as const, content: this.#text }]),
      ...calls,
    ];
  }
}

function usageOf(usage: Fields): TurnUsage {
  return {
    inputTokens: count(usage["prompt_tokens"]),
    outputTokens: count(usage["completion_tokens"]),
    cachedTokens: count(fields(usage["prompt_tokens_details"])["cached_tokens"]),
    reasoningTokens: count(fields(usage["completion_tokens_details"])["reasoning_tokens"]),
  };
}
