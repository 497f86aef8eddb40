import type { GuardrailRule } from "@aiw/contract/guardrails";
import { EgressError } from "@aiw/platform/egress";
import { APIConnectionError, APIError } from "openai";
import { GatewayAnswerError, readFault, type GatewayFault } from "./fault.ts";
import { classify } from "./guardrails.ts";
import { MAX_RAW_BODY, ModelError, type ModelErrorDetails, type ModelErrorKind } from "./turn.ts";

const MAX_RETRY_AFTER_MS = 3_600_000;

/** What a classification needs to know beside the error itself. */
export interface ErrorContext {
  readonly rules: readonly GuardrailRule[];
  readonly apiKey: string;
  readonly partial: boolean;
}

/** Turns anything a model call can throw into one ModelError (RUN-12, RUN-13). Pure. */
export function toModelError(error: unknown, context: ErrorContext): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof GatewayAnswerError) return fromAnswer(error, context);
  if (error instanceof APIConnectionError) {
    if (error.cause instanceof GatewayAnswerError) return fromAnswer(error.cause, context);
    if (error.cause instanceof EgressError && NOT_ALLOWED.has(error.cause.code))
      return notAllowed(error.cause, context);
    return transport("connection_failed", "The model gateway cannot be reached.", context, error.cause ?? error);
  }
  // After the stream has begun the SDK reports the gateway's own error event, without a status.
  if (error instanceof APIError) return fromFault(streamFault(error.error, error.headers), context);
  if (error instanceof SyntaxError)
    return transport("stream_broken", "The model gateway sent a broken answer.", context, error);
  return transport("connection_reset", "The connection to the model gateway was cut.", context, error);
}

/** What the guard on outgoing connections refuses; another try finds the same (SRC-3). */
const NOT_ALLOWED = new Set([
  "address_not_valid",
  "scheme_not_allowed",
  "userinfo_not_allowed",
  "host_not_allowed",
  "address_not_allowed",
  "redirect_not_allowed",
]);

function notAllowed(error: EgressError, context: ErrorContext): ModelError {
  const redirected = error.code === "redirect_not_allowed";
  return new ModelError({
    kind: "refused",
    code: redirected ? "redirected" : "host_not_allowed",
    message: redirected
      ? "The model gateway answers from another address."
      : `The address of the model gateway (${error.host}) may not be reached.`,
    partial: context.partial,
  });
}

/** An error object that came inside a stream or inside a finished response, in the same words as an HTTP error body. */
export function streamFault(error: unknown, headers?: Headers): GatewayFault {
  return readFault({ rawBody: JSON.stringify({ error: error ?? null }), headers, midStream: true });
}

/** Maps what a gateway said to what may be done about it: guardrail map first, then code, then status. */
export function fromFault(fault: GatewayFault, context: ErrorContext): ModelError {
  const hit = classify(fault, context.rules);
  if (hit) {
    return make(fault, context, {
      kind: "guardrail",
      code: hit.code,
      message: hit.text,
      rule: hit.rule,
      direction: hit.direction,
    });
  }
  const [kind, code, sentence] = verdict(fault);
  const said = fault.message ? ` The gateway says: ${fault.message}` : "";
  return make(fault, context, {
    kind,
    code,
    message: `${sentence}${said}`,
    ...(kind === "retry" ? { retryAfterMs: retryAfter(fault.headers) } : {}),
  });
}

function fromAnswer(error: GatewayAnswerError, context: ErrorContext): ModelError {
  const mapped = fromFault(error.fault, context);
  if (!error.notAStream || mapped.code !== "gateway_error") return mapped;
  return make(error.fault, context, {
    kind: "retry",
    code: "not_a_stream",
    message: "The model gateway did not answer with a stream.",
  });
}

type Verdict = readonly [ModelErrorKind, string, string];

const TOO_LONG = /context_length|maximum context length|context window|prompt is too long|too many input tokens/i;
const QUOTA = new Set(["insufficient_quota", "billing_hard_limit_reached", "budget_exceeded"]);

function verdict(fault: GatewayFault): Verdict {
  const words = [...fault.codes, fault.type ?? ""];
  const is = (...names: string[]) => names.some((name) => words.includes(name));
  if (words.some((word) => QUOTA.has(word)))
    return ["refused", "quota_exhausted", "The quota of the model gateway is used up."];
  if (is("context_length_exceeded") || TOO_LONG.test(fault.message)) {
    return ["context_too_long", "context_too_long", "The conversation is too long for this model."];
  }
  if (is("rate_limit_exceeded")) return ["retry", "rate_limited", "The model gateway is busy."];
  if (is("model_not_found")) return ["refused", "model_not_found", "The model gateway does not know this model."];
  if (is("invalid_api_key")) return ["refused", "key_refused", "The model gateway refused the key."];
  // A refusal inside a 200 answer has no status of its own.
  const status = fault.status !== undefined && fault.status >= 300 ? fault.status : statusInCode(fault.codes);
  if (status !== undefined) return byStatus(status);
  if (is("invalid_request_error")) return ["refused", "request_refused", "The model gateway refused the request."];
  return ["retry", "gateway_error", "The model gateway failed while answering."];
}

function byStatus(status: number): Verdict {
  if (status === 429) return ["retry", "rate_limited", "The model gateway is busy."];
  if (status >= 500) return ["retry", "gateway_error", "The model gateway failed."];
  if (status === 408 || status === 409 || status === 425)
    return ["retry", "gateway_busy", "The model gateway could not answer now."];
  if (status === 401) return ["refused", "key_refused", "The model gateway refused the key."];
  if (status === 403) return ["refused", "not_allowed", "The model gateway does not allow this."];
  if (status === 404) return ["refused", "not_found", "The model gateway does not know this address or model."];
  if (status === 402 || status === 412)
    return ["refused", "quota_exhausted", "The budget of the model gateway is used up."];
  if (status >= 300 && status < 400)
    return ["refused", "redirected", "The model gateway answers from another address."];
  return ["refused", "request_refused", `The model gateway refused the request (status ${status}).`];
}

/** Inside a stream some gateways write the HTTP status into the code. */
function statusInCode(codes: readonly string[]): number | undefined {
  const found = codes.find((each) => /^[45]\d\d$/.test(each));
  return found === undefined ? undefined : Number(found);
}

/** Milliseconds to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfter(headers: Headers | undefined, nowMs: number = Date.now()): number | undefined {
  const exact = headers?.get("retry-after-ms");
  const loose = headers?.get("retry-after");
  const raw = exact ? Number(exact) : loose ? waitOf(loose, nowMs) : Number.NaN;
  if (!Number.isFinite(raw)) return undefined;
  return Math.min(Math.max(0, Math.ceil(raw)), MAX_RETRY_AFTER_MS);
}

function waitOf(value: string, nowMs: number): number {
  const seconds = Number(value);
  return Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - nowMs;
}

/** A failure of the connection rather than of the gateway; worth another try. */
export function transport(code: string, message: string, context: ErrorContext, cause?: unknown): ModelError {
  return new ModelError({
    kind: "retry",
    code,
    message,
    partial: context.partial,
    cause: without(cause, context.apiKey),
  });
}

function make(fault: GatewayFault, context: ErrorContext, details: ModelErrorDetails): ModelError {
  return new ModelError({
    ...details,
    message: withoutSecrets(details.message, context.apiKey),
    gatewayCode: fault.codes[0],
    status: fault.status,
    rawBody: withoutSecrets(fault.rawBody.slice(0, MAX_RAW_BODY), context.apiKey),
    partial: context.partial,
  });
}

/** Cuts the configured key, anything that looks like a key and bearer tokens out of a text. */
export function withoutSecrets(value: string, apiKey: string): string {
  const bare = apiKey.length >= 4 ? value.replaceAll(apiKey, "[key]") : value;
  return bare
    .replace(/\bsk-[A-Za-z0-9_*.-]{4,}/g, "[key]")
    .replace(/\bBearer\s+[A-Za-z0-9._~+/=-]{4,}/gi, "Bearer [key]");
}

/** Of a network error only its words are kept: the error itself may hold the request with its headers. */
function without(cause: unknown, apiKey: string): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const inner = cause.cause instanceof Error ? `: ${cause.cause.message}` : "";
  return withoutSecrets(`${cause.message}${inner}`.slice(0, 300), apiKey);
}
