import type { Brain, BrainRequest, ScriptTurn } from "./brain.ts";
import { GUARDRAIL_DIALECTS, type GuardrailDialect } from "./dialects.ts";

/** A model that does what a test says. */
export interface ScriptBrain extends Brain {
  /** Every request, as the brain got it. */
  readonly requests: readonly BrainRequest[];
  /** Adds turns for the conversation whose user messages contain `conversation`; `*` = any other. First in, first out. */
  push(conversation: string, ...turns: readonly ScriptTurn[]): void;
  /** Turns that nobody has asked for yet. */
  left(): number;
}

/** `script`: turns for any conversation, in order, or a function of the request. With a queue, an unexpected request is refused. */
export function scriptBrain(
  script: readonly ScriptTurn[] | ((request: BrainRequest) => ScriptTurn | Promise<ScriptTurn>) = [],
): ScriptBrain {
  const requests: BrainRequest[] = [];
  const queues = new Map<string, ScriptTurn[]>();
  if (typeof script !== "function") queues.set("*", [...script]);
  return {
    models: ["demo-script"],
    onlyListedModels: false,
    requests,
    push: (conversation, ...turns) => void queues.set(conversation, [...(queues.get(conversation) ?? []), ...turns]),
    left: () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0),
    respond: (request) => {
      requests.push(request);
      if (typeof script === "function") return script(request);
      return queueOf(queues, request)?.shift() ?? exhausted;
    },
  };
}

/** The turn in which a gateway's content rule stops the request, in the words of that gateway. */
export const guardrailTurn = (dialect: GuardrailDialect): ScriptTurn => ({ fail: GUARDRAIL_DIALECTS[dialect] });

/** An error in the API's own envelope. */
export const errorTurn = (
  status: number,
  code: string | null,
  message = "Scripted error.",
  headers: Record<string, string> = {},
): ScriptTurn => ({
  fail: {
    status,
    headers,
    body: { error: { message, type: status >= 500 ? "server_error" : "invalid_request_error", param: null, code } },
  },
});

/** Not retryable, so that a test ends at once instead of repeating an unscripted request. */
const exhausted: ScriptTurn = errorTurn(400, "script_exhausted", "The script has no more turns for this conversation.");

function queueOf(queues: ReadonlyMap<string, ScriptTurn[]>, request: BrainRequest): ScriptTurn[] | undefined {
  const said = request.items.flatMap((item) => (item.type === "message" && item.role === "user" ? [item.text] : []));
  const named = [...queues].find(
    ([name, queue]) => name !== "*" && queue.length > 0 && said.some((text) => text.includes(name)),
  );
  return named?.[1] ?? queues.get("*");
}
