import type { GatewayFault } from "./fault.ts";
import { isFields } from "./wire.ts";

/**
 * One line of the guardrail map (GW-4). All conditions that are given must hold; a rule without any never matches.
 * Texts are compared without regard to case. There are no patterns in it, so no rule can be slow.
 */
export interface GuardrailRule {
  readonly name: string;
  readonly when: {
    readonly status?: readonly number[];
    readonly code?: readonly string[];
    readonly type?: readonly string[];
    /** Each of these stands somewhere in the message. */
    readonly messageIncludes?: readonly string[];
    /** The whole message, for gateways that say only this. */
    readonly messageEquals?: string;
    /** Dotted path into the JSON body that must exist, e.g. `hook_results.before_request_hooks`. */
    readonly bodyHas?: string;
  };
  /** What was stopped; left out: the answer if it had begun, otherwise the request. */
  readonly direction?: "request" | "response";
  /** Sentence for the person, instead of the gateway's own. */
  readonly userText?: string;
}

export interface GuardrailHit {
  readonly rule: string;
  /** The gateway's own code, or the rule's name where it sends none. */
  readonly code: string;
  readonly direction: "request" | "response";
  readonly text: string;
}

/** Codes that mean a guardrail wherever they appear, also inside a stream. */
const CODES = [
  "content_filter",
  "content_policy_violation",
  "invalid_prompt",
  "ResponsibleAIPolicyViolation",
  "bio_policy",
  "misalignment_policy_violation",
  "guardrail_violation",
];

/** The map a fresh installation has: what common gateways are known to send (GW-4). */
export const DEFAULT_GUARDRAILS: readonly GuardrailRule[] = [
  { name: "known_code", when: { code: CODES } },
  { name: "hooks_failed", when: { type: ["hooks_failed", "guardrail_violation"] } },
  { name: "intervened", when: { code: ["900514"] } },
  { name: "status_446", when: { status: [446] } },
  { name: "prompt_blocked", when: { code: ["2016"] }, direction: "request" },
  { name: "response_blocked", when: { code: ["2017"] }, direction: "response" },
  { name: "named_guardrail", when: { bodyHas: "error.provider_specific_fields.guardrail_name" } },
  { name: "violated_guardrail", when: { messageIncludes: ["violated guardrail"] } },
  { name: "guardrail_intervened", when: { messageIncludes: ["guardrail_intervened"] } },
  { name: "prohibited_content", when: { status: [400], messageIncludes: ["prohibited content"] } },
];

/**
 * For gateways that hide the reason on purpose (`400 {"error":{"message":"bad request"}}`). Not part of the defaults:
 * the same words can mean a plain mistake, so an administrator has to switch it on.
 */
export const OPAQUE_PROMPT_GUARD: GuardrailRule = {
  name: "opaque_prompt_guard",
  when: { status: [400], messageEquals: "bad request" },
  direction: "request",
};

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
