import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { deadline } from "./deadline.ts";
import { EgressError } from "./egress-error.ts";

export type SafeRequest = {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | string | AsyncIterable<Uint8Array>;
  /** Ends the request; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds for everything, the last byte of the answer included. */
  timeoutMs: number;
  /** Bytes of the answer's body as they come over the wire (nothing is decompressed). */
  maxBytes: number;
};

export type SafeResponse = {
  status: number;
  /** Names in lower case, repeated ones joined by ", ". */
  headers: Readonly<Record<string, string>>;
  /** To be read once; throws EgressError timeout | response_too_large | unreachable. */
  body: AsyncIterable<Uint8Array>;
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Sends one request over a guarded agent. A redirect is an error: credentials never travel on. @throws EgressError */
export async function sendRequest(url: URL, agent: http.Agent, request: SafeRequest): Promise<SafeResponse> {
  const signal = deadline(request.timeoutMs, ...(request.signal === undefined ? [] : [request.signal]));
  const failed = (error: unknown): unknown => {
    if (error instanceof EgressError) return error;
    if (request.signal?.aborted === true) return request.signal.reason;
    return new EgressError(signal.aborted ? "timeout" : "unreachable", url.hostname, error);
  };
  try {
    const response = await exchange(url, agent, signal, request);
    const status = response.statusCode ?? 0;
    const announced = Number(response.headers["content-length"] ?? 0);
    const refusal = refuse(
      status,
      response.headers.location,
      announced > request.maxBytes && request.method !== "HEAD",
    );
    if (refusal !== undefined) {
      response.destroy();
      throw new EgressError(refusal, url.hostname);
    }
    return {
      status,
      headers: flatten(response.headers),
      body: bounded(response, request.maxBytes, url.hostname, failed),
    };
  } catch (error) {
    throw failed(error);
  }
}

/** The whole body as one array. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

function exchange(
  url: URL,
  agent: http.Agent,
  signal: AbortSignal,
  request: SafeRequest,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { body } = request;
    const send = url.protocol === "http:" ? http.request : https.request;
    const isWhole = typeof body === "string" || body instanceof Uint8Array;
    const outgoing = send(url, {
      agent,
      signal,
      method: request.method ?? "GET",
      headers: { ...request.headers, ...(isWhole ? { "content-length": String(Buffer.byteLength(body)) } : {}) },
    });
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    if (body === undefined || isWhole) return void outgoing.end(body);
    const source = Readable.from(body);
    source.on("error", (error) => outgoing.destroy(error));
    source.pipe(outgoing);
  });
}

function refuse(
  status: number,
  location: string | undefined,
  isTooLarge: boolean,
): "redirect_not_allowed" | "response_too_large" | undefined {
  if (REDIRECTS.has(status) && location !== undefined) return "redirect_not_allowed";
  return isTooLarge ? "response_too_large" : undefined;
}

async function* bounded(
  response: http.IncomingMessage,
  maxBytes: number,
  host: string,
  failed: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of response) {
      if (!(chunk instanceof Uint8Array)) continue;
      size += chunk.byteLength;
      if (size > maxBytes) throw new EgressError("response_too_large", host);
      yield chunk;
    }
  } catch (error) {
    throw failed(error);
  } finally {
    response.destroy();
  }
}

function flatten(headers: http.IncomingHttpHeaders): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return result;
}
