import type { GuardrailRule } from "@aiw/contract/guardrails";
import type { GatewayApi } from "@aiw/contract/models";
import { createModelEgress, type Egress } from "@aiw/platform/egress";
import { registerSecret } from "@aiw/platform/log";
import { createGateway, type Gateway } from "./gateway.ts";
import type { Fetch } from "./http.ts";
import { ModelError } from "./turn.ts";
import type { WatchdogLimits } from "./watchdog.ts";

/** The address of the environment's gateway where none is set. */
export const OPENAI = "https://api.openai.com/v1";

export interface GatewaysOptions extends WatchdogLimits {
  /** The gateway of the environment and its key, which all teams without one of their own share. */
  readonly environment: { readonly baseUrl: string; readonly apiKey: string | undefined };
  /** Where gateways in the own network are vouched for (AIW_MODEL_ALLOWED_HOSTS); public ones are the admin's choice. */
  readonly allowedHosts: readonly string[];
  readonly allowLocal: boolean;
}

/** Which gateway to talk to, and as whom. */
export interface GatewayTarget {
  /** Null: the gateway of the environment. */
  readonly url: string | null;
  readonly api: GatewayApi;
  /** Null: there is none for it; the environment's own key then serves the environment's own gateway, and no other. */
  readonly apiKey: string | null;
  readonly guardrails: readonly GuardrailRule[];
}

export interface Gateways {
  /** @throws ModelError `key_missing` */
  open(target: GatewayTarget): Gateway;
  close(): void;
}

/** Bytes of one answer, far above what a model writes in a turn. */
const MAX_ANSWER_BYTES = 67_108_864;

/**
 * All gateways of the platform (GW-2, GW-3). Keys are held by nobody: each turn brings the one that counts at that moment.
 * Connections are kept per address, behind a guard of its own, so that one gateway's connections serve no other.
 */
export function createGateways(options: GatewaysOptions): Gateways {
  if (options.environment.apiKey !== undefined) registerSecret(options.environment.apiKey);
  const guards = new Map<string, Egress>();
  const guardOf = (url: string): Egress => {
    const known = guards.get(url);
    if (known !== undefined) return known;
    const made = createModelEgress(url, options);
    guards.set(url, made);
    return made;
  };
  return {
    open: ({ url, api, apiKey, guardrails }) => {
      const key = apiKey ?? (url === null ? options.environment.apiKey : undefined);
      if (key === undefined || key === "")
        throw new ModelError({
          kind: "refused",
          code: "key_missing",
          message: "There is no key for the gateway of this model. A platform admin sets it on the page of models.",
        });
      registerSecret(key);
      return createGateway({
        baseUrl: url ?? options.environment.baseUrl,
        apiKey: key,
        api,
        guardrails,
        idleTimeoutMs: options.idleTimeoutMs,
        turnTimeoutMs: options.turnTimeoutMs,
        // The environment's gateway is the operator's word; addresses from the pages go through the guard (SRC-3).
        ...(url === null ? {} : { fetch: guarded(() => guardOf(url), options.turnTimeoutMs) }),
      });
    },
    close: () => {
      for (const guard of guards.values()) guard.close();
      guards.clear();
    },
  };
}

/** `fetch` through the guard on outgoing connections, for what the SDK asks of it. */
const guarded =
  (guard: () => Egress, timeoutMs: number): Fetch =>
  async (input, init) => {
    const { body } = init ?? {};
    const response = await guard().request({
      url: input instanceof Request ? input.url : String(input),
      method: init?.method ?? "GET",
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof body === "string" ? { body } : {}),
      ...(init?.signal ? { signal: init.signal } : {}),
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const bare = response.status === 204 || response.status === 304;
    return new Response(bare ? null : ReadableStream.from(response.body), {
      status: response.status,
      headers: { ...response.headers },
    });
  };
