import { EgressError } from "@aiw/platform/egress";
import { McpFailure } from "./failure.ts";
import { isObject } from "./json.ts";
import type { McpEgress } from "./source.ts";
import { fp } from "@aiw/platform/fault";

export interface WireOptions {
  readonly egress: McpEgress;
  readonly url: URL;
  /** Bearer token; leaves this process only towards `url` (N50). */
  readonly token: string | null;
  readonly deadline: Deadline;
  readonly maxBytes: number;
  readonly maxRequests: number;
}

/** When a connection has to be over. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly msLeft: () => number;
}

/** What is known of the one tool call of a connection; decides between "refused" and "unknown" (RUN-7). */
export interface CallProgress {
  /** Bytes of the call may have reached the server. */
  sent: boolean;
  /** Status of the answer, once there is one. */
  status: number | null;
}

interface Sending {
  readonly isCall: boolean;
  /** Id of the request, when an answer is expected. */
  readonly question: number | undefined;
}

/** Stands for the arguments in the SDK's message until the exact bytes take its place. */
const PLACEHOLDER = { "aiw:arguments": true } as const;
const PLACEHOLDER_TEXT = JSON.stringify(PLACEHOLDER);

/** Settles the SDK's parsing of an answer that just ended; anything still open after it has no answer. */
const SETTLE_MS = 25;

/**
 * The HTTP side of one connection: every request of the SDK goes through the egress guard, to one address only, within one
 * budget of bytes, requests and time. A failure while an answer streams in ends the connection, because the SDK would wait
 * on. Nothing is ever sent twice (F97).
 */
export class Wire {
  readonly call: CallProgress = { sent: false, status: null };
  /** Rejects with the failure that ended the connection; never resolves. */
  readonly broken: Promise<never>;
  /** Status and type of the last answer, for wording failures. */
  last: { readonly status: number; readonly contentType: string } | null = null;
  private readonly options: WireOptions;
  private readonly reject: (failure: McpFailure) => void;
  /** What ended the connection; from then on nothing is sent. */
  private over: McpFailure | null = null;
  private requests = 0;
  private bytes = 0;
  private argumentsText: string | null = null;
  /** Ids of our questions that have no answer yet. */
  private readonly open = new Set<number>();

  constructor(options: WireOptions) {
    this.options = options;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.broken = promise;
    this.reject = reject;
    const late = (): unknown => this.end(timeOver(options.url));
    options.deadline.signal.addEventListener("abort", late, { once: true });
    if (options.deadline.signal.aborted) late();
  }

  /** Runs one question of ours, until its answer, the end of the connection or the end of time. */
  ask<T>(work: () => Promise<T>): Promise<T> {
    return Promise.race([work(), this.broken]);
  }

  /** To be told of each message that came in and was understood. The SDK takes "1" for 1, and so does this. */
  heard(message: object): void {
    if (!("method" in message) && "id" in message) this.open.delete(Number(message.id));
  }

  /** What to give the SDK as arguments so that exactly these bytes go out. */
  arm(argumentsText: string): Record<string, unknown> {
    this.argumentsText = argumentsText;
    return { ...PLACEHOLDER };
  }

  /** The `fetch` of the SDK's transport. */
  readonly fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const method = init.method ?? "GET";
    if (this.over !== null) throw this.over;
    // The stream for what a server says unasked, and the resumption of answers, would hang on after the call.
    if (method === "GET") return new Response(null, { status: 405 });
    if (new URL(input).href !== this.options.url.href)
      throw new McpFailure("source_host_not_allowed", "The server named another address.");
    this.requests += 1;
    if (this.requests > this.options.maxRequests)
      throw this.end(new McpFailure("mcp_protocol", "The server keeps asking back."));
    const body = typeof init.body === "string" ? init.body : undefined;
    const isCall = body !== undefined && body.includes(PLACEHOLDER_TEXT);
    const question = questionOf(body);
    if (question !== undefined) this.open.add(question);
    return this.send(method, init, isCall ? this.filled(body) : body, { isCall, question });
  };

  private filled(body: string): string {
    const text = this.argumentsText;
    if (text === null) throw this.end(new McpFailure("mcp_protocol", "A call is sent once only."));
    this.argumentsText = null;
    return body.replace(PLACEHOLDER_TEXT, () => text);
  }

  private async send(method: string, init: RequestInit, body: string | undefined, about: Sending): Promise<Response> {
    const { isCall, question } = about;
    const { egress, url, token, deadline, maxBytes } = this.options;
    const unread = new AbortController();
    const signal = AbortSignal.any([deadline.signal, unread.signal, ...(init.signal ? [init.signal] : [])]);
    if (isCall) this.call.sent = true;
    try {
      const request = {
        url: url.href,
        method,
        headers: {
          ...Object.fromEntries(new Headers(init.headers)),
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body }),
        signal,
        timeoutMs: Math.max(1, deadline.msLeft()),
        maxBytes: Math.max(1, maxBytes - this.bytes),
      };
      const response = await fp("mcp.http", () => egress.request(request));
      if (isCall) this.call.status = response.status;
      return this.response(response, question, unread);
    } catch (error) {
      if (isCall && neverLeft(error)) this.call.sent = false;
      throw error;
    }
  }

  private response(
    answer: Awaited<ReturnType<McpEgress["request"]>>,
    question: number | undefined,
    unread: AbortController,
  ): Response {
    const { status, headers } = answer;
    this.last = { status, contentType: headers["content-type"] ?? "" };
    const encoding = headers["content-encoding"] ?? "identity";
    if (encoding !== "identity")
      throw this.end(new McpFailure("mcp_protocol", "The server compressed its answer without being asked to."));
    if (status < 200 || status > 599)
      throw this.end(new McpFailure("mcp_protocol", `The server answered with status ${status}.`));
    const body = this.stream(answer.body, question, unread);
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    return new Response(hasBody ? body : null, { status, headers: plain(headers) });
  }

  private stream(
    body: AsyncIterable<Uint8Array>,
    question: number | undefined,
    unread: AbortController,
  ): ReadableStream<Uint8Array> {
    const iterator = body[Symbol.asyncIterator]();
    // Reading begins at once: an answer that nobody reads would have nobody to hear of its end.
    let isUnwanted = false;
    let next = iterator.next();
    next.catch(() => undefined);
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await fp("mcp.body", () => next);
          if (isUnwanted) return;
          if (done === true) {
            controller.close();
            this.endedAfter(question);
            return;
          }
          this.bytes += value.byteLength;
          next = iterator.next();
          next.catch(() => undefined);
          controller.enqueue(value);
        } catch (error) {
          if (isUnwanted) return;
          controller.error(error);
          if (question !== undefined && this.open.has(question))
            this.end(egressFailure(error, this.options.url) ?? cutOff(this.options.url, error));
        }
      },
      cancel: () => {
        isUnwanted = true;
        void drain(next, iterator, unread);
      },
    });
  }

  /** An answer that ends without the result leaves the SDK waiting until its time is over (facts of its version 1). */
  private endedAfter(question: number | undefined): void {
    if (question === undefined || !this.open.has(question)) return;
    setTimeout(() => {
      if (this.open.has(question))
        this.end(new McpFailure("mcp_protocol", "The server ended its answer without a result."));
    }, SETTLE_MS);
  }

  private end(failure: McpFailure): McpFailure {
    this.over ??= failure;
    this.reject(failure);
    return failure;
  }
}

/** A short answer that nobody wants is read to its end, so that the connection can be used again; a long one is ended. */
const drain = async (
  first: Promise<IteratorResult<Uint8Array>>,
  rest: AsyncIterator<Uint8Array>,
  unread: AbortController,
): Promise<void> => {
  const timer = setTimeout(() => unread.abort(), DRAIN_MS);
  try {
    let size = 0;
    for (let part = await first; part.done !== true; part = await rest.next()) {
      size += part.value.byteLength;
      if (size > DRAIN_BYTES) return unread.abort();
    }
  } catch {
    // It is over, which is all that was wanted.
  } finally {
    clearTimeout(timer);
  }
};
const DRAIN_MS = 250;
const DRAIN_BYTES = 64 * 1024;

/** The id of a request of ours; undefined for what wants no answer. */
const questionOf = (body: string | undefined): number | undefined => {
  const message: unknown = body === undefined ? undefined : JSON.parse(body);
  return isObject(message) && Object.hasOwn(message, "method") && Object.hasOwn(message, "id")
    ? Number(message["id"])
    : undefined;
};

/** Header lists of the guard may hold what `Headers` refuses; such a header is of no use to us. */
const plain = (headers: Readonly<Record<string, string>>): Headers => {
  const kept = new Headers();
  for (const name of ["content-type", "mcp-session-id"]) {
    const value = headers[name];
    if (value !== undefined && /^[\u0020-\u007e]{1,1000}$/.test(value)) kept.set(name, value);
  }
  return kept;
};

/** Certain that no byte of the request reached the server: refused by the guard, or no connection came about. */
const neverLeft = (error: unknown): boolean => {
  if (!(error instanceof EgressError)) return false;
  if (error.code === "redirect_not_allowed" || error.code === "timeout" || error.code === "response_too_large")
    return false;
  if (error.code !== "unreachable") return true;
  if (error.cause === undefined) return true;
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/.test(
    code,
  );
};

const timeOver = (url: URL): McpFailure => new McpFailure("source_unreachable", `${url.host} did not answer in time.`);
const cutOff = (url: URL, cause: unknown): McpFailure =>
  new McpFailure("source_unreachable", `${url.host} broke the connection off.`, { cause });

/** What the guard refused or could not do, in our words; undefined for anything else. */
export const egressFailure = (error: unknown, url: URL): McpFailure | undefined => {
  if (error instanceof McpFailure) return error;
  if (!(error instanceof EgressError)) return undefined;
  const facts = { cause: error };
  switch (error.code) {
    case "address_not_valid":
    case "scheme_not_allowed":
    case "userinfo_not_allowed":
    case "host_not_allowed":
    case "address_not_allowed":
      return new McpFailure("source_host_not_allowed", `${url.host} is not an allowed host.`, facts);
    case "redirect_not_allowed":
      return new McpFailure(
        "mcp_protocol",
        `${url.host} redirects to another address. Redirects are not followed; the final address has to be registered.`,
        facts,
      );
    case "unreachable":
      return new McpFailure("source_unreachable", `${url.host} cannot be reached, or broke the connection off.`, facts);
    case "timeout":
      return new McpFailure("source_unreachable", `${url.host} did not answer in time.`, facts);
    case "response_too_large":
      return new McpFailure("source_too_large", `${url.host} sent more than is taken from one call.`, facts);
  }
};
