import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Brain, BrainRequest, ScriptTurn } from "./brain.ts";
import { ApiFault, decodeChat, decodeResponses } from "./decode.ts";
import { newId, planTurn, type WireStep } from "./plan.ts";
import { chatChunks, chatDocument } from "./wire-chat.ts";
import { responsesDocument, responsesEvents } from "./wire-responses.ts";

const MAX_BODY_BYTES = 32 * 1024 * 1024;

export interface DemoGatewayOptions {
  /** 0 or left out: a free one. */
  readonly port?: number;
  readonly host?: string;
  /** The key that is asked for; left out, any key will do, but one must be sent. */
  readonly apiKey?: string;
  readonly brain: Brain;
  /** How many requests are remembered; the oldest go first. */
  readonly keepRequests?: number;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export interface DemoGateway {
  /** Address with `/v1`, as a base URL is configured. */
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  requests(): readonly SeenRequest[];
}

/**
 * Starts an OpenAI-compatible server on loopback (GW-5): Responses and Chat Completions, streamed or not, and the list of
 * models. What it answers is the brain's affair; how it goes over the wire is settled here.
 */
export async function startDemoGateway(options: DemoGatewayOptions): Promise<DemoGateway> {
  const seen: SeenRequest[] = [];
  const stopped = new AbortController();
  const server = createServer((request, response) => {
    handle({ options, seen, request, response, stop: stopped.signal }).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host ?? "127.0.0.1"}:${port}/v1`,
    port,
    requests: () => seen,
    stop: () =>
      new Promise((resolve) => {
        stopped.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Exchange {
  readonly options: DemoGatewayOptions;
  readonly seen: SeenRequest[];
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly stop: AbortSignal;
}

async function handle(exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  response.setHeader("x-request-id", newId("req"));
  try {
    await route(exchange);
  } catch (error) {
    const fault =
      error instanceof ApiFault ? error : new ApiFault(500, "The server had an error.", { type: "server_error" });
    if (response.headersSent) response.destroy();
    else json(response, fault.status, fault.body);
  } finally {
    request.resume();
  }
}

async function route(exchange: Exchange): Promise<void> {
  const { request, response, options } = exchange;
  const path = new URL(request.url ?? "/", "http://gateway.invalid").pathname;
  const key = `${request.method} ${path}`;
  if (key === "GET /v1/models") {
    checkKey(request, options.apiKey);
    remember(exchange, path, null);
    const data = options.brain.models.map((id) => ({ id, object: "model", created: 0, owned_by: "demo" }));
    return json(response, 200, { object: "list", data });
  }
  const decode =
    key === "POST /v1/responses" ? decodeResponses : key === "POST /v1/chat/completions" ? decodeChat : null;
  if (!decode) throw new ApiFault(404, `Invalid URL (${key})`);
  checkKey(request, options.apiKey);
  const body = await readJson(request);
  remember(exchange, path, body);
  const asked = decode(body);
  if (options.brain.onlyListedModels && !options.brain.models.includes(asked.model)) {
    throw new ApiFault(404, `The model '${asked.model}' does not exist or you do not have access to it.`, {
      code: "model_not_found",
      param: "model",
    });
  }
  await answer(exchange, asked, await options.brain.respond(asked));
}

async function answer(exchange: Exchange, asked: BrainRequest, turn: ScriptTurn): Promise<void> {
  const { response } = exchange;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const signal = AbortSignal.any([gone.signal, exchange.stop]);
  if (turn.delayMs) await pause(turn.delayMs, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return;
  if (turn.fail) {
    for (const [name, value] of Object.entries(turn.fail.headers ?? {})) response.setHeader(name, value);
    return json(response, turn.fail.status, turn.fail.body);
  }
  const plan = planTurn(asked, turn);
  const responses = asked.api === "responses";
  if (!asked.stream || plan.fault === "json_instead_of_stream") {
    return json(response, 200, responses ? responsesDocument(plan) : chatDocument(plan));
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const steps = responses ? responsesEvents(plan) : chatChunks(plan, wantsUsage(asked.body));
  const whole = await play(response, steps, signal);
  if (!whole) return;
  const broken = plan.fault !== null && plan.fault !== "incomplete";
  response.end(responses || broken ? undefined : "data: [DONE]\n\n");
}

/** Performs the steps; false when the connection is gone, torn, or was left hanging until the client gave up. */
async function play(response: ServerResponse, steps: Iterable<WireStep>, signal: AbortSignal): Promise<boolean> {
  for (const step of steps) {
    if (signal.aborted) return false;
    switch (step.do) {
      case "send":
        await write(
          response,
          `${step.event ? `event: ${step.event}\n` : ""}data: ${JSON.stringify(step.data)}\n\n`,
          signal,
        );
        break;
      case "wait":
        await pause(step.ms, undefined, { signal }).catch(() => undefined);
        break;
      case "hang":
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        return false;
      case "reset":
        // What was sent still arrives; the body ends in the middle of its transfer coding.
        response.socket?.destroySoon();
        return false;
    }
  }
  return !signal.aborted;
}

async function write(response: ServerResponse, chunk: string, signal: AbortSignal): Promise<void> {
  if (response.write(chunk)) return;
  await new Promise<void>((resolve) => {
    response.once("drain", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function checkKey(request: IncomingMessage, expected: string | undefined): void {
  const sent = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (sent === undefined) {
    throw new ApiFault(401, "You didn't provide an API key.");
  }
  if (expected !== undefined && sent !== expected) {
    throw new ApiFault(401, "Incorrect API key provided.", { code: "invalid_api_key" });
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new ApiFault(413, "The request is too large.");
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return value;
  } catch {
    throw new ApiFault(400, "We could not parse the JSON body of your request.");
  }
}

function remember({ seen, request, options }: Exchange, path: string, body: unknown): void {
  seen.push({ method: request.method ?? "", path, body });
  if (seen.length > (options.keepRequests ?? 100)) seen.shift();
}

const wantsUsage = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  JSON.stringify(Reflect.get(body, "stream_options") ?? {}).includes('"include_usage":true');

function json(response: ServerResponse, status: number, body: unknown): void {
  const raw = typeof body === "string";
  if (!response.hasHeader("content-type")) response.setHeader("content-type", raw ? "text/html" : "application/json");
  response.writeHead(status);
  response.end(raw ? body : JSON.stringify(body));
}
