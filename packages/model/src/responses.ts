import type OpenAI from "openai";
import type { ResponseCreateParamsStreaming, ResponseInputItem } from "openai/resources/responses/responses";
import { finish, Meter, protocol, type ReaderEvent } from "./answer.ts";
import { fromFault, streamFault, type ErrorContext } from "./errors.ts";
import { ModelError, type ModelItem, type OutputItem, type TurnRequest, type TurnUsage } from "./turn.ts";
import { code, count, fields, list, text, type Fields } from "./wire.ts";

/** The request as the Responses API wants it: nothing kept there, nothing but our own tools (GW-1). */
export function responsesBody(request: TurnRequest): ResponseCreateParamsStreaming {
  return {
    model: request.model,
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    input: request.items.map(inputItem),
    ...(request.instructions === "" ? {} : { instructions: request.instructions }),
    ...(request.tools.length === 0
      ? {}
      : {
          // In one order always: a gateway's prompt cache works on the beginning of the request.
          tools: [...request.tools]
            .sort((a, b) => (a.name < b.name ? -1 : 1))
            .map((tool) => ({
              type: "function" as const,
              name: tool.name,
              description: tool.description,
              parameters: { ...tool.parameters },
              strict: false,
            })),
          tool_choice: request.toolChoice ?? "auto",
        }),
    ...(request.maxOutputTokens === undefined ? {} : { max_output_tokens: request.maxOutputTokens }),
  };
}

/** Items are stored in the API's own words; the SDK's type for them is narrower than "sent back unchanged". */
const inputItem = (item: ModelItem): ResponseInputItem => item as ResponseInputItem;

/** Reads one streamed turn. Ends without `done` when the stream ended without its terminal event. */
export async function* readResponses(
  client: OpenAI,
  request: TurnRequest,
  signal: AbortSignal,
  context: () => ErrorContext,
): AsyncGenerator<ReaderEvent> {
  const collector = new Collector();
  if (request.stream === false) {
    const whole = fields(await client.responses.create({ ...responsesBody(request), stream: false }, { signal }));
    const done = collector.terminal(whole, "response.completed", request, context());
    const said = done.type === "done" ? textOf(done.items) : "";
    if (said !== "") yield { type: "delta", text: said };
    yield done;
    return;
  }
  const stream: AsyncIterable<unknown> = await client.responses.create(responsesBody(request), { signal });
  for await (const raw of stream) {
    const event = fields(raw);
    switch (text(event["type"])) {
      case "response.output_text.delta":
      case "response.refusal.delta": {
        const delta = collector.delta(event);
        yield delta === "" ? { type: "alive" } : { type: "delta", text: delta };
        break;
      }
      case "response.output_item.done": {
        const missed = collector.itemDone(event);
        yield missed === "" ? { type: "alive" } : { type: "delta", text: missed };
        break;
      }
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        yield collector.terminal(fields(event["response"]), text(event["type"]) ?? "", request, context());
        return;
      case "error":
        throw fromFault(streamFault(event["error"] ?? event), context());
      default:
        yield { type: "alive" };
    }
  }
}

const textOf = (items: readonly OutputItem[]): string =>
  items.flatMap((item) => (item.type === "message" && item.content !== "" ? [item.content] : [])).join("\n\n");

class Collector {
  readonly #items = new Map<number, OutputItem>();
  readonly #streamed = new Set<number>();
  readonly #meter = new Meter();

  /** The text to show. A second message of the same answer starts a paragraph of its own. */
  delta(event: Fields): string {
    const piece = text(event["delta"]) ?? "";
    if (piece === "") return "";
    this.#meter.add(piece);
    const index = count(event["output_index"]);
    const gap = this.#streamed.size > 0 && !this.#streamed.has(index) ? "\n\n" : "";
    this.#streamed.add(index);
    return gap + piece;
  }

  /** The finished item is the truth. Returns its text when no delta of it was ever sent. */
  itemDone(event: Fields): string {
    const index = typeof event["output_index"] === "number" ? event["output_index"] : this.#items.size;
    const item = outputItem(event["item"]);
    if (!item) return "";
    this.#items.set(index, item);
    if (item.type === "function_call") this.#meter.add(item.arguments);
    if (item.type !== "message" || item.content === "" || this.#streamed.has(index)) return "";
    return this.delta({ delta: item.content, output_index: index });
  }

  terminal(response: Fields, type: string, request: TurnRequest, context: ErrorContext): ReaderEvent {
    if (type === "response.failed" || response["status"] === "failed") {
      throw fromFault(streamFault(response["error"]), context);
    }
    const incomplete = type === "response.incomplete" || response["status"] === "incomplete";
    const reason = text(fields(response["incomplete_details"])["reason"]);
    if (incomplete && reason === "content_filter") {
      throw fromFault(streamFault({ code: reason, message: "The answer was stopped by the content filter." }), context);
    }
    if (incomplete && reason !== undefined && reason !== "max_output_tokens") {
      throw new ModelError({
        kind: "retry",
        code: "incomplete",
        gatewayCode: code(reason),
        message: `The model stopped early (${reason}).`,
        partial: context.partial,
      });
    }
    return finish({
      items: this.#ordered(response),
      usage: usageOf(fields(response["usage"])),
      cut: incomplete,
      history: request.items,
    });
  }

  #ordered(response: Fields): OutputItem[] {
    if (this.#items.size > 0) return [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item);
    return list(response["output"])
      .map(outputItem)
      .filter((item) => item !== null);
  }
}

/** Items of kinds that were never asked for are left out: only text, reasoning and own calls can act on a run. */
function outputItem(raw: unknown): OutputItem | null {
  const item = fields(raw);
  switch (text(item["type"])) {
    case "reasoning":
      return { ...item, type: "reasoning" };
    case "message": {
      const phase = text(item["phase"]);
      return { type: "message", role: "assistant", content: contentOf(item["content"]), ...(phase ? { phase } : {}) };
    }
    case "function_call": {
      const args = text(item["arguments"]);
      if (args === undefined) throw protocol("arguments_not_text", "The model's arguments are not a text.");
      const id = text(item["id"]);
      return {
        type: "function_call",
        call_id: text(item["call_id"]) ?? "",
        name: text(item["name"]) ?? "",
        arguments: args,
        ...(id ? { id } : {}),
      };
    }
    default:
      return null;
  }
}

function contentOf(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map(fields)
    .map((part) => text(part["text"]) ?? text(part["refusal"]) ?? "")
    .join("");
}

function usageOf(usage: Fields): TurnUsage {
  return {
    inputTokens: count(usage["input_tokens"]),
    outputTokens: count(usage["output_tokens"]),
    cachedTokens: count(fields(usage["input_tokens_details"])["cached_tokens"]),
    reasoningTokens: count(fields(usage["output_tokens_details"])["reasoning_tokens"]),
  };
}
