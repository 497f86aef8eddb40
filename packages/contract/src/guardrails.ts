import { z } from "zod";

const word = z.string().trim().min(1).max(200);
const words = z.array(word).min(1).max(50);

/**
 * When a line of the guardrail map holds (GW-4): every condition that is given must. Texts are compared without regard to
 * case. There are no patterns in it, so no line can be slow.
 */
export const guardrailMatch = z.strictObject({
  /** HTTP status. */
  status: z.array(z.number().int().min(100).max(599)).min(1).max(20).optional(),
  code: words.optional(),
  type: words.optional(),
  /** Each of these stands somewhere in the message. */
  messageIncludes: words.optional(),
  /** The whole message, for gateways that say only this. */
  messageEquals: word.optional(),
  /** Dotted path into the JSON body that must exist, e.g. `hook_results.before_request_hooks`. */
  bodyHas: word.optional(),
});
export type GuardrailMatch = z.infer<typeof guardrailMatch>;

/** What was stopped; null: the answer if it had begun, otherwise the request. */
const direction = z.enum(["request", "response"]).nullable();

/** One line of the guardrail map. */
export interface GuardrailRule {
  readonly name: string;
  readonly when: { readonly [K in keyof GuardrailMatch]: GuardrailMatch[K] | undefined };
  readonly direction?: "request" | "response" | undefined;
  /** Sentence for the person, instead of the gateway's own. */
  readonly userText?: string | undefined;
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

/** Every line that comes with the product, and whether it holds until somebody says otherwise. */
export const BUILT_IN_GUARDRAILS: readonly { readonly rule: GuardrailRule; readonly enabled: boolean }[] = [
  ...DEFAULT_GUARDRAILS.map((rule) => ({ rule, enabled: true })),
  { rule: OPAQUE_PROMPT_GUARD, enabled: false },
];

/** Name of a line, unique in the map. */
const guardrailName = z
  .string()
  .trim()
  .regex(/^[a-z][a-z0-9_]{0,39}$/);

const input = z.strictObject({
  name: guardrailName,
  /** At least one condition. */
  match: guardrailMatch,
  direction,
  /** Null: the gateway's own sentence is shown. */
  userText: z.string().trim().min(1).max(300).nullable(),
  enabled: z.boolean(),
});

export const guardrail = z.object({
  name: z.string(),
  match: guardrailMatch,
  direction,
  userText: z.string().nullable(),
  enabled: z.boolean(),
  /** A line of the product: it can be changed and put back, not removed. */
  builtIn: z.boolean(),
  /** A line of the product that an admin changed. */
  changed: z.boolean(),
  changedAt: z.string().nullable(),
});
export type Guardrail = z.infer<typeof guardrail>;

const answer = z.object({ items: z.array(guardrail) });
const params = z.object({ guardrailName });

/** Endpoints about the guardrail map; part of the table in `api.ts`. */
export const GUARDRAIL_ENDPOINTS = {
  listGuardrails: {
    method: "GET",
    path: "/api/admin/guardrails",
    access: "platform",
    status: 200,
    response: answer,
    summary: "The guardrail map, in the order in which it is looked at (GW-4)",
  },
  saveGuardrail: {
    method: "POST",
    path: "/api/admin/guardrails",
    access: "platform",
    status: 200,
    body: input,
    response: answer,
    summary: "Add a line of the map or change one; holds from the next model call on",
  },
  resetGuardrail: {
    method: "DELETE",
    path: "/api/admin/guardrails/:guardrailName",
    access: "platform",
    status: 200,
    params,
    response: answer,
    summary: "Remove an own line, or put one of the product back as it came",
  },
} as const;
