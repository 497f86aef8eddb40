import type { TurnFailure } from "./brain.ts";

/** How known gateways say that a content rule stopped a request (GW-4), one answer each, as they put it on the wire. */
export const GUARDRAIL_DIALECTS = {
  openai: {
    status: 400,
    body: {
      error: {
        message: "Invalid prompt: your prompt was flagged.",
        type: "invalid_request_error",
        param: null,
        code: "invalid_prompt",
      },
    },
  },
  azure: {
    status: 400,
    body: {
      error: {
        code: "content_filter",
        param: "prompt",
        type: null,
        status: 400,
        message: "The response was filtered due to the prompt triggering a content management policy.",
        innererror: {
          code: "ResponsibleAIPolicyViolation",
          content_filter_result: {
            jailbreak: { detected: true, filtered: true },
            hate: { filtered: false, severity: "safe" },
          },
        },
      },
    },
  },
  litellm: {
    status: 400,
    body: {
      error: {
        message: "Violated guardrail policy",
        type: "None",
        param: "None",
        code: "400",
        provider_specific_fields: { guardrail_name: "pii-check", guardrail_mode: "pre_call" },
      },
    },
  },
  litellm_nested: {
    status: 400,
    body: {
      error: {
        message: { error: "Violated guardrail policy", entity: "EMAIL" },
        type: "None",
        param: "None",
        code: "400",
      },
    },
  },
  litellm_500: {
    status: 500,
    body: { error: { message: "Violated guardrail policy", type: "None", param: "None", code: "500" } },
  },
  litellm_200: {
    status: 200,
    body: { error: { message: "Violated guardrail policy", type: "None", param: "None", code: "400" } },
  },
  portkey: {
    status: 446,
    body: {
      error: {
        message: "The guardrail checks defined in the config failed.",
        type: "hooks_failed",
        param: null,
        code: null,
      },
      hook_results: { before_request_hooks: [{ verdict: false, id: "no-secrets" }], after_request_hooks: [] },
    },
  },
  kong: { status: 400, body: { error: { message: "bad request" } } },
  cloudflare: {
    status: 424,
    body: { success: false, error: [{ code: 2016, message: "Prompt blocked due to security configurations" }] },
  },
  wso2: {
    status: 446,
    body: {
      code: "900514",
      type: "PII_MASKING",
      message: {
        interveningGuardrail: "pii",
        action: "GUARDRAIL_INTERVENED",
        actionReason: "Violation of the applied rule detected.",
        direction: "REQUEST",
      },
    },
  },
  apisix: { status: 400, body: { message: "Request contains prohibited content" } },
} as const satisfies Record<string, TurnFailure>;

export type GuardrailDialect = keyof typeof GUARDRAIL_DIALECTS;
