import type { GuardrailRule } from "@aiw/contract/guardrails";
import type { GatewayApi } from "@aiw/contract/models";
import OpenAI from "openai";
import type { ReaderEvent } from "./answer.ts";
import { readChat } from "./chat-completions.ts";
import { toModelError, transport, type ErrorContext } from "./errors.ts";
import { gatewayFetch, type Fetch } from "./http.ts";
import { readResponses } from "./responses.ts";
import type { TurnEvent, TurnRequest } from "./turn.ts";
import { Watchdog, type WatchdogLimits } from "./watchdog.ts";
import { fields, list, text } from "./wire.ts";

export interface GatewaySettings extends WatchdogLimits {
  /** Address up to and with `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly api: GatewayApi;
  readonly guardrails: readonly GuardrailRule[];
  /** The guarded way out; left out, Node's own. */
  readonly fetch?: Fetch;
}

export interface ListedModel {
  readonly id: string;
  readonly ownedBy: string | null;
}

/** The one interface to a model (GW-1). */
export interface Gateway {
  /**
   * One model turn: text as it comes, then `done`, last and once. Throws ModelError and nothing else. Without `done`
   * nothing of the turn counts (RUN-12). Never repeats a request by itself. Leaving the loop early closes the connection.
   */
  turn(request: TurnRequest, signal: AbortSignal): AsyncIterable<TurnEvent>;
  /** What `GET /models` offers (GW-2). Throws ModelError. */
  listModels(signal: AbortSignal): Promise<readonly ListedModel[]>;
}

/** Makes the adapter for one gateway and key. Holds no state between turns; cheap enough to make one a turn. */
export function createGateway(settings: GatewaySettings): Gateway {
  const client = new OpenAI({
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey,
    // Everything is said here, nothing is picked up from the environment.
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    logLevel: "off",
    maxRetries: 0,
    timeout: settings.turnTimeoutMs,
    fetch: gatewayFetch(settings.fetch ?? globalThis.fetch),
  });
  return {
    turn: (request, signal) => guarded(client, settings, request, signal),
    listModels: (signal) => listModels(client, settings, signal),
  };
}

async function* guarded(
  client: OpenAI,
  settings: GatewaySettings,
  request: TurnRequest,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent> {
  // Who answers in one piece is silent until then.
  const limits = request.stream === false ? { ...settings, idleTimeoutMs: settings.turnTimeoutMs } : settings;
  const dog = new Watchdog(signal, limits);
  let partial = false;
  const context = (): ErrorContext => ({ rules: settings.guardrails, apiKey: settings.apiKey, partial });
  const read = settings.api === "responses" ? readResponses : readChat;
  try {
    for await (const event of read(client, request, dog.signal, context)) {
      const ended = dog.verdict(partial);
      // A whole answer stays one, also when the gateway then falls silent instead of closing the stream.
      if (ended && !(event.type === "done" && ended.kind === "retry")) break;
      partial ||= event.type === "delta";
      yield* outward(event, dog);
      if (event.type === "done") return;
    }
  } catch (error) {
    const known = dog.verdict(partial) ?? toModelError(error, context());
    // Checks on a finished answer do not know what was shown meanwhile.
    throw partial ? known.asPartial() : known;
  } finally {
    dog.stop();
  }
  throw dog.verdict(partial) ?? transport("stream_truncated", "The model's answer broke off.", context());
}

function* outward(event: ReaderEvent, dog: Watchdog): Generator<TurnEvent> {
  dog.rest();
  if (event.type !== "alive") yield event;
  dog.touch();
}

async function listModels(
  client: OpenAI,
  settings: GatewaySettings,
  signal: AbortSignal,
): Promise<readonly ListedModel[]> {
  const dog = new Watchdog(signal, settings);
  try {
    const answer: unknown = await client.models.list({ signal: dog.signal });
    return list(fields(answer)["data"])
      .map(fields)
      .flatMap((model) => {
        const id = text(model["id"]);
        return id === undefined ? [] : [{ id, ownedBy: text(model["owned_by"]) ?? null }];
      });
  } catch (error) {
    throw (
      dog.verdict(false) ?? toModelError(error, { rules: settings.guardrails, apiKey: settings.apiKey, partial: false })
    );
  } finally {
    dog.stop();
  }
}
