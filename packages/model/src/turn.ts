/** One message of the conversation; `phase` is kept as the model gave it and sent back. */
export interface MessageItem {
  readonly type: "message";
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly phase?: string;
}

/** What the model thought, opaque (encrypted where supported): stored and sent back unchanged, in its place (GW-1). */
export interface ReasoningItem {
  readonly type: "reasoning";
  readonly [key: string]: unknown;
}

/** The model asks for a tool. `arguments` is the text the model wrote; nobody has checked it yet. */
export interface FunctionCallItem {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly id?: string;
}

export interface FunctionCallOutputItem {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string;
}

/** History as it is stored, in the words of the Responses API input (GW-1). */
export type ModelItem = MessageItem | ReasoningItem | FunctionCallItem | FunctionCallOutputItem;

/** What a turn can bring: everything but results, which only our own tools write. */
export type OutputItem = MessageItem | ReasoningItem | FunctionCallItem;

/** An own function tool; `parameters` is a JSON Schema of type object. Other kinds of tools do not exist here (GW-1). */
export interface TurnTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Everything one model call needs: the whole history travels each time, the gateway keeps nothing (GW-1). */
export interface TurnRequest {
  readonly model: string;
  readonly instructions: string;
  readonly items: readonly ModelItem[];
  readonly tools: readonly TurnTool[];
  readonly maxOutputTokens?: number;
  /** False: the model answers in one piece; its text is then one delta. */
  readonly stream?: boolean;
  /** `none` offers the tools (a stable prefix for the gateway's cache) but forbids calling them. */
  readonly toolChoice?: "auto" | "none";
}

/** Tokens as the gateway counted them; 0 where it did not say. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
}

/** `length`: the answer hit its token limit; its items then hold text only, never a call (RUN-12). */
export type EndReason = "stop" | "tool_calls" | "length";

/** `done` comes exactly once, as the last event, and only after the gateway's own terminal event (RUN-12). */
export type TurnEvent =
  | { readonly type: "delta"; readonly text: string }
  | {
      readonly type: "done";
      readonly items: readonly OutputItem[];
      readonly usage: TurnUsage;
      readonly endReason: EndReason;
    };

/**
 * - `retry`: the same request may work later (429, 5xx, network, broken or silent stream).
 * - `guardrail`: the gateway's rules stopped the request or the answer; never repeated (RUN-13).
 * - `refused`: repeating cannot help (key, configuration, quota, other 4xx).
 * - `context_too_long`: works only with a shorter history.
 * - `protocol`: a complete answer that breaks the rules of the API (F93).
 * - `aborted`: the caller's own signal.
 */
export type ModelErrorKind = "retry" | "guardrail" | "refused" | "context_too_long" | "protocol" | "aborted";

export interface ModelErrorDetails {
  readonly kind: ModelErrorKind;
  readonly code: string;
  readonly message: string;
  readonly gatewayCode?: string | undefined;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly rawBody?: string | undefined;
  readonly partial?: boolean;
  readonly rule?: string | undefined;
  readonly direction?: "request" | "response" | undefined;
  readonly cause?: unknown;
}

/** Characters of `message`. */
export const MAX_ERROR_MESSAGE = 500;
/** Characters of `rawBody`. */
export const MAX_RAW_BODY = 8192;

/** Why a turn brought no answer (RUN-12, RUN-13). Holds no secret: key and bearer tokens are cut out of both texts. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** Stable word of ours (`rate_limited`, `idle_timeout`, ...); for `guardrail` the gateway's own code where it has one. */
  readonly code: string;
  /** The code as the gateway spelled it. */
  readonly gatewayCode: string | undefined;
  /** HTTP status, where there was one. */
  readonly status: number | undefined;
  /** Milliseconds the gateway asked to wait, at most one hour. */
  readonly retryAfterMs: number | undefined;
  /** The gateway's words for the audit log, at most 8 KB; not for users. */
  readonly rawBody: string | undefined;
  /** Text had already been handed out as deltas: it must be marked or removed (F94). */
  readonly partial: boolean;
  /** `guardrail`: the name of the rule that matched, and which way the stopped text was going. */
  readonly rule: string | undefined;
  readonly direction: "request" | "response" | undefined;

  constructor(details: ModelErrorDetails) {
    super(details.message.slice(0, MAX_ERROR_MESSAGE), { cause: details.cause });
    this.name = "ModelError";
    this.kind = details.kind;
    this.code = details.code;
    this.gatewayCode = details.gatewayCode;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.rawBody = details.rawBody?.slice(0, MAX_RAW_BODY);
    this.partial = details.partial ?? false;
    this.rule = details.rule;
    this.direction = details.direction;
  }

  /** Whether a bounded number of repetitions makes sense (RUN-12, F93). `context_too_long` needs a shorter request first. */
  get retryable(): boolean {
    return this.kind === "retry" || this.kind === "protocol";
  }

  /** The same error, saying that text had been handed out before it. */
  asPartial(): ModelError {
    if (this.partial) return this;
    const { kind, code, message, gatewayCode, status, retryAfterMs, rawBody, rule, direction, cause } = this;
    return new ModelError({
      kind,
      code,
      message,
      gatewayCode,
      status,
      retryAfterMs,
      rawBody,
      rule,
      direction,
      cause,
      partial: true,
    });
  }
}
