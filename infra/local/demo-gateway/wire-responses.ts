import { breaksHalfway, faultError, half, newId, pace, send, type TurnPlan, type WireStep } from "./plan.ts";

/** `POST /v1/responses` without streaming. */
export function responsesDocument(plan: TurnPlan): unknown {
  return responseObject(
    plan,
    finalStatus(plan),
    items(plan).map((item) => item.done),
  );
}

/** The typed events of one streamed response, in the API's order, numbered without gaps. */
export function* responsesEvents(plan: TurnPlan): Generator<WireStep> {
  let sequence = 0;
  const event = (type: string, data: Record<string, unknown>) =>
    send(type, { type, sequence_number: sequence++, ...data });
  yield event("response.created", { response: responseObject(plan, "in_progress", []) });
  yield event("response.in_progress", { response: responseObject(plan, "in_progress", []) });
  const finished: unknown[] = [];
  for (const [index, item] of items(plan).entries()) {
    const whole = { output_index: index, item: item.done };
    yield event("response.output_item.added", { output_index: index, item: item.added });
    if (item.kind === "message") {
      yield* messageEvents(plan, item.id, index, event);
      if (breaksHalfway(plan)) return yield* breakOff(plan, event);
    }
    if (item.kind === "call") {
      for (const delta of slices(item.arguments)) {
        yield event("response.function_call_arguments.delta", { item_id: item.id, output_index: index, delta });
      }
      if (breaksHalfway(plan)) return yield* breakOff(plan, event);
      yield event("response.function_call_arguments.done", {
        item_id: item.id,
        output_index: index,
        name: item.name,
        arguments: item.arguments,
      });
    }
    yield event("response.output_item.done", whole);
    finished.push(item.done);
  }
  if (breaksHalfway(plan)) return yield* breakOff(plan, event);
  const status = finalStatus(plan);
  yield event(`response.${status}`, { response: responseObject(plan, status, finished) });
}

type MakeEvent = (type: string, data: Record<string, unknown>) => WireStep;

function* messageEvents(plan: TurnPlan, itemId: string, index: number, event: MakeEvent): Generator<WireStep> {
  const place = { item_id: itemId, output_index: index, content_index: 0 };
  yield event("response.content_part.added", { ...place, part: textPart("") });
  const pieces = breaksHalfway(plan) ? half(plan.pieces) : plan.pieces;
  for (const [at, delta] of pieces.entries()) {
    yield* pace(plan, at);
    yield event("response.output_text.delta", { ...place, delta, logprobs: [] });
  }
  if (breaksHalfway(plan)) return;
  const text = plan.pieces.join("");
  yield event("response.output_text.done", { ...place, text, logprobs: [] });
  yield event("response.content_part.done", { ...place, part: textPart(text) });
}

function* breakOff(plan: TurnPlan, event: MakeEvent): Generator<WireStep> {
  switch (plan.fault) {
    case "hang":
      yield { do: "hang" };
      break;
    case "reset":
      yield { do: "reset" };
      break;
    case "failed":
      yield event("response.failed", { response: responseObject(plan, "failed", []) });
      break;
    case "error_event":
    case "guardrail_midstream": {
      const { message, code, param } = faultError(plan);
      yield event("error", { code, message, param });
      break;
    }
    default:
      break;
  }
}

type Item =
  | { readonly kind: "reasoning"; readonly id: string; readonly added: unknown; readonly done: unknown }
  | { readonly kind: "message"; readonly id: string; readonly added: unknown; readonly done: unknown }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly added: unknown;
      readonly done: unknown;
    };

function items(plan: TurnPlan): Item[] {
  const cut = plan.fault === "incomplete" ? "incomplete" : "completed";
  const out: Item[] = [];
  if (plan.reasoning !== null) {
    const id = newId("rs");
    const base = { id, type: "reasoning", summary: [] };
    out.push({
      kind: "reasoning",
      id,
      added: base,
      done: { ...base, encrypted_content: Buffer.from(plan.reasoning).toString("base64") },
    });
  }
  if (plan.pieces.length > 0) {
    const id = newId("msg");
    const base = { id, type: "message", role: "assistant" };
    out.push({
      kind: "message",
      id,
      added: { ...base, status: "in_progress", content: [] },
      done: { ...base, status: cut, content: [textPart(plan.pieces.join(""))] },
    });
  }
  for (const call of plan.calls) {
    const id = newId("fc");
    const base = { id, type: "function_call", call_id: call.callId, name: call.name };
    out.push({
      kind: "call",
      id,
      name: call.name,
      arguments: call.arguments,
      added: { ...base, status: "in_progress", arguments: "" },
      done: { ...base, status: cut, arguments: call.arguments },
    });
  }
  return out;
}

const textPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

const slices = (text: string): string[] => text.match(/[\s\S]{1,16}/g) ?? [];

const finalStatus = (plan: TurnPlan): "completed" | "incomplete" | "failed" =>
  plan.fault === "incomplete" || plan.fault === "failed" ? plan.fault : "completed";

function responseObject(plan: TurnPlan, status: string, output: readonly unknown[]) {
  const ended = status === "completed" || status === "incomplete";
  return {
    id: plan.id,
    object: "response",
    created_at: plan.createdAt,
    status,
    model: plan.model,
    output,
    store: false,
    parallel_tool_calls: true,
    previous_response_id: null,
    error: status === "failed" ? { code: plan.faultCode, message: "The model failed to generate a response." } : null,
    incomplete_details: status === "incomplete" ? { reason: plan.faultCode } : null,
    usage: ended
      ? {
          input_tokens: plan.inputTokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: plan.outputTokens,
          output_tokens_details: { reasoning_tokens: plan.reasoning === null ? 0 : 1 },
          total_tokens: plan.inputTokens + plan.outputTokens,
        }
      : null,
  };
}
