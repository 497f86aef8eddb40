import { breaksHalfway, faultError, half, pace, send, type TurnPlan, type WireStep } from "./plan.ts";

/** `POST /v1/chat/completions` without streaming. */
export function chatDocument(plan: TurnPlan): unknown {
  const text = plan.pieces.join("");
  return {
    id: plan.id,
    object: "chat.completion",
    created: plan.createdAt,
    model: plan.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" ? null : text,
          refusal: null,
          ...(plan.calls.length === 0
            ? {}
            : {
                tool_calls: plan.calls.map((call) => ({
                  id: call.callId,
                  type: "function",
                  function: { name: call.name, arguments: call.arguments },
                })),
              }),
        },
        logprobs: null,
        finish_reason: finishReason(plan),
      },
    ],
    usage: usage(plan),
  };
}

/** The chunks of one streamed completion; `[DONE]` is the server's to send. */
export function* chatChunks(plan: TurnPlan, includeUsage: boolean): Generator<WireStep> {
  const chunk = (delta: unknown, finish: string | null = null) =>
    send(null, {
      id: plan.id,
      object: "chat.completion.chunk",
      created: plan.createdAt,
      model: plan.model,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(includeUsage ? { usage: null } : {}),
    });
  yield chunk({ role: "assistant", content: "", refusal: null });
  const pieces = breaksHalfway(plan) ? half(plan.pieces) : plan.pieces;
  for (const [at, piece] of pieces.entries()) {
    yield* pace(plan, at);
    yield chunk({ content: piece });
  }
  if (breaksHalfway(plan) && plan.pieces.length > 0) return yield* breakOff(plan, chunk);
  for (const [index, call] of plan.calls.entries()) {
    yield chunk({
      tool_calls: [{ index, id: call.callId, type: "function", function: { name: call.name, arguments: "" } }],
    });
    for (const piece of call.arguments.match(/[\s\S]{1,16}/g) ?? []) {
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  if (breaksHalfway(plan)) return yield* breakOff(plan, chunk);
  yield chunk({}, finishReason(plan));
  if (includeUsage) {
    yield send(null, {
      id: plan.id,
      object: "chat.completion.chunk",
      created: plan.createdAt,
      model: plan.model,
      choices: [],
      usage: usage(plan),
    });
  }
}

function* breakOff(plan: TurnPlan, chunk: (delta: unknown, finish?: string | null) => WireStep): Generator<WireStep> {
  switch (plan.fault) {
    case "hang":
      yield { do: "hang" };
      break;
    case "reset":
      yield { do: "reset" };
      break;
    case "guardrail_midstream":
      yield chunk({}, "content_filter");
      break;
    case "error_event":
    case "failed":
      yield send(null, { error: faultError(plan) });
      break;
    default:
      break;
  }
}

function finishReason(plan: TurnPlan): string {
  if (plan.fault === "incomplete") return plan.faultCode === "content_filter" ? "content_filter" : "length";
  return plan.calls.length > 0 ? "tool_calls" : "stop";
}

const usage = (plan: TurnPlan) => ({
  prompt_tokens: plan.inputTokens,
  completion_tokens: plan.outputTokens,
  total_tokens: plan.inputTokens + plan.outputTokens,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
});
