import { randomBytes } from "node:crypto";
import type { BrainRequest, ScriptTurn, StreamFault } from "./brain.ts";

/** A turn made ready for the wire: ids given, arguments as text, the fault aside. */
export interface TurnPlan {
  readonly id: string;
  readonly model: string;
  readonly createdAt: number;
  readonly pieces: readonly string[];
  readonly calls: readonly { readonly callId: string; readonly name: string; readonly arguments: string }[];
  readonly reasoning: string | null;
  readonly fault: StreamFault | null;
  readonly faultCode: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly firstDeltaDelayMs: number;
  readonly chunkDelayMs: number;
}

export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString("hex")}`;

/** Four characters a token: this gateway counts, it does not tokenise. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

const DEFAULT_FAULT_CODES: Partial<Record<StreamFault, string>> = {
  failed: "server_error",
  error_event: "server_error",
  incomplete: "max_output_tokens",
  guardrail_midstream: "content_filter",
};

export function planTurn(request: BrainRequest, turn: ScriptTurn): TurnPlan {
  const calls = (turn.calls ?? []).map((call) => ({
    callId: call.callId ?? newId("call"),
    name: call.name,
    arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
  }));
  const pieces = turn.chunks ?? piecesOf(turn.text ?? "", 24);
  return {
    id: newId(request.api === "responses" ? "resp" : "chatcmpl"),
    model: request.model,
    createdAt: Math.floor(Date.now() / 1000),
    pieces,
    calls,
    reasoning: turn.reasoning ?? null,
    fault: turn.streamFault ?? null,
    faultCode: turn.faultCode ?? (turn.streamFault && DEFAULT_FAULT_CODES[turn.streamFault]) ?? "",
    inputTokens: tokens(JSON.stringify(request.body)),
    outputTokens: tokens(pieces.join("")) + calls.reduce((sum, call) => sum + tokens(call.arguments) + 8, 0),
    firstDeltaDelayMs: turn.firstDeltaDelayMs ?? 0,
    chunkDelayMs: turn.chunkDelayMs ?? 0,
  };
}

/** Cuts a text at word ends into pieces of about `size` characters, never inside a surrogate pair. */
export function piecesOf(text: string, size: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const word of text.match(/\s*\S+|\s+$/gu) ?? []) {
    if (piece !== "" && piece.length + word.length > size) {
      pieces.push(piece);
      piece = "";
    }
    piece += word;
  }
  return piece === "" ? pieces : [...pieces, piece];
}

/** One thing the server does while it streams. */
export type WireStep =
  | { readonly do: "send"; readonly event: string | null; readonly data: unknown }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "hang" }
  | { readonly do: "reset" };

export const send = (event: string | null, data: unknown): WireStep => ({ do: "send", event, data });

/** Where a faulty stream breaks: after the first half of the text, rounded up. */
export const half = (pieces: readonly string[]): readonly string[] => pieces.slice(0, Math.ceil(pieces.length / 2));

const BREAKS_HALFWAY: readonly StreamFault[] = ["cut", "reset", "hang", "error_event", "guardrail_midstream", "failed"];
export const breaksHalfway = (plan: TurnPlan): boolean => plan.fault !== null && BREAKS_HALFWAY.includes(plan.fault);

export function* pace(plan: TurnPlan, index: number): Generator<WireStep> {
  const ms = index === 0 ? plan.firstDeltaDelayMs : plan.chunkDelayMs;
  if (ms > 0) yield { do: "wait", ms };
}

/** The error object of a stream that breaks off with a word of the gateway. */
export function faultError(plan: TurnPlan) {
  if (plan.fault === "guardrail_midstream") {
    return {
      message: "The answer was stopped by a content rule.",
      type: "guardrail_violation",
      param: null,
      code: plan.faultCode,
    };
  }
  return {
    message: "The server had an error while processing your request.",
    type: "server_error",
    param: null,
    code: plan.faultCode,
  };
}
