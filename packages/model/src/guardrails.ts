import type { GuardrailRule } from "@aiw/contract/guardrails";
import type { GatewayFault } from "./fault.ts";
import { isFields } from "./wire.ts";

export interface GuardrailHit {
  readonly rule: string;
  /** The gateway's own code, or the rule's name where it sends none. */
  readonly code: string;
  readonly direction: "request" | "response";
  readonly text: string;
}

/** The first rule that matches, or null. Pure; looked at before any other mapping of errors (RUN-13). */
export function classify(fault: GatewayFault, rules: readonly GuardrailRule[]): GuardrailHit | null {
  const rule = rules.find((each) => matches(fault, each));
  if (!rule) return null;
  return {
    rule: rule.name,
    code: fault.codes.find((each) => rule.when.code?.includes(each)) ?? tellingCode(fault) ?? rule.name,
    direction: rule.direction ?? (fault.midStream ? "response" : "request"),
    text: rule.userText ?? (fault.message || "The gateway's content rules stopped this."),
  };
}

function matches(fault: GatewayFault, { when }: GuardrailRule): boolean {
  const message = fault.message.toLowerCase();
  const checks = [
    when.status && fault.status !== undefined && when.status.includes(fault.status),
    when.code && fault.codes.some((each) => same(each, when.code)),
    when.type && fault.type !== undefined && same(fault.type, when.type),
    when.messageIncludes && when.messageIncludes.every((part) => message.includes(part.toLowerCase())),
    when.messageEquals !== undefined ? message.trim() === when.messageEquals.toLowerCase() : undefined,
    when.bodyHas !== undefined ? has(fault.body, when.bodyHas) : undefined,
  ].filter((check) => check !== undefined);
  return checks.length > 0 && checks.every(Boolean);
}

const same = (value: string, candidates: readonly string[] | undefined): boolean =>
  candidates?.some((each) => each.toLowerCase() === value.toLowerCase()) ?? false;

/** A code that only repeats the HTTP status says nothing; the type may say more. */
function tellingCode(fault: GatewayFault): string | undefined {
  return fault.codes.find((each) => !/^[1-5]\d\d$/.test(each)) ?? fault.type;
}

function has(body: unknown, path: string): boolean {
  let at: unknown = body;
  for (const key of path.split(".")) {
    if (!isFields(at) || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return at !== null && at !== undefined;
}
