import type { CallStatus } from "@aiw/contract/runs";

export const FENCE_START = "<<<untrusted";
export const FENCE_END = "<<<end untrusted>>>";

/**
 * What the model reads as the result of a call. Results of tools are untrusted and fenced (AI-4, SRC-4); the platform's own
 * words stand outside of the fence, so that a file cannot speak for the platform.
 */
export const fenced = (tool: string, source: string | null, text: string): string => {
  const name = source?.replaceAll(/["<>\p{Cc}\p{Zl}\p{Zp}]/gu, "'");
  const where = name === undefined ? `tool="${tool}"` : `tool="${tool}" source="${name}"`;
  return `${FENCE_START} ${where}>>>\n${text.replaceAll("<<<", "<\u2039<")}\n${FENCE_END}`;
};

/** The three ways a person's "no" can look stay apart (APR-6). */
export const refusalText = (status: CallStatus, detail: string): string => {
  switch (status) {
    case "rejected":
      return `rejected: A person rejected this call. Reason: ${detail}. Do not try again unchanged; nothing was executed.`;
    case "expired":
      return "expired: Nobody decided this request in time. Nothing was executed. The person can request it again with one click.";
    case "cancelled":
      return `cancelled: ${detail} Nothing was executed.`;
    case "invalid":
      return `invalid: The approval is no longer valid (${detail.replace(/\.$/, "")}). Nothing was executed. A new proposal needs a new approval.`;
    case "denied":
      return `denied: ${detail} Nothing was executed.`;
    case "unknown":
      return `unknown: The outcome is not known. ${detail}`;
    case "failed":
      return `error: ${detail}`;
    case "submitted":
      return `submitted for approval (${detail}): Nothing was executed yet. Go on without its result and do not call it again; the outcome is told in this chat later.`;
    case "executed":
    case "pending":
    case "waiting":
    case "executing":
      return detail;
  }
};
