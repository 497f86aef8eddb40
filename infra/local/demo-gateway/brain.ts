/** History as a model sees it, the same for both APIs. */
export type BrainItem =
  | { readonly type: "message"; readonly role: string; readonly text: string }
  | { readonly type: "reasoning" }
  | { readonly type: "function_call"; readonly callId: string; readonly name: string; readonly arguments: string }
  | { readonly type: "function_call_output"; readonly callId: string; readonly output: string };

export interface BrainTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, as it was offered. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Everything a brain may look at: the request and nothing else, because the gateway keeps no state (GW-1). */
export interface BrainRequest {
  readonly api: "responses" | "chat_completions";
  readonly model: string;
  readonly instructions: string;
  readonly items: readonly BrainItem[];
  readonly tools: readonly BrainTool[];
  readonly toolChoice: "auto" | "none";
  readonly stream: boolean;
  /** The request as it came. */
  readonly body: unknown;
}

export interface TurnCall {
  readonly name: string;
  /** A text goes out as it is, broken JSON included. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
  readonly callId?: string;
}

/** An HTTP answer instead of a turn. A string body is sent as it is, anything else as JSON. */
export interface TurnFailure {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * How a stream goes wrong: `cut` ends it politely before its terminal event, `reset` tears the connection, `hang` falls
 * silent, `error_event` sends the API's error event, `failed` and `incomplete` are terminal events of that kind,
 * `json_instead_of_stream` answers a streaming request with one JSON document, `guardrail_midstream` stops the answer by
 * a content rule after its first half.
 */
export type StreamFault =
  | "cut"
  | "reset"
  | "error_event"
  | "failed"
  | "incomplete"
  | "hang"
  | "json_instead_of_stream"
  | "guardrail_midstream";

/** What a brain wants to happen. */
export interface ScriptTurn {
  readonly text?: string;
  /** The text in exactly these pieces instead of pieces of the server's own size. */
  readonly chunks?: readonly string[];
  readonly calls?: readonly TurnCall[];
  /** Puts an opaque reasoning item before the rest (Responses only). */
  readonly reasoning?: string;
  readonly fail?: TurnFailure;
  readonly streamFault?: StreamFault;
  /** The code that `failed`, `error_event` and `guardrail_midstream` carry, and the reason of `incomplete`. */
  readonly faultCode?: string;
  /** Milliseconds before the answer's head, before the first piece of text, and between pieces. */
  readonly delayMs?: number;
  readonly firstDeltaDelayMs?: number;
  readonly chunkDelayMs?: number;
}

export interface Brain {
  /** Names for `GET /v1/models`. */
  readonly models: readonly string[];
  /** Other names are refused with `model_not_found`. */
  readonly onlyListedModels: boolean;
  respond(request: BrainRequest): ScriptTurn | Promise<ScriptTurn>;
}
