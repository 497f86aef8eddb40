import type { EndpointName, RequestOf, ResponseOf } from "@aiw/contract/api";
import type { ProblemCode, ProblemDetails, ProblemParams } from "@aiw/contract/problem";
import { learnServerTime } from "./clock.ts";
import { ENDPOINTS } from "./endpoints.ts";

/** `offline` is the one failure that has no answer of the server: the request did not arrive, or its answer did not. */
export type ApiCode = ProblemCode | "offline";

/** What went wrong, by stable code; i18n/problems words it in the reader's language. */
export class ApiProblem extends Error {
  readonly code: ApiCode;
  readonly status: number;
  readonly requestId: string | null;
  readonly params: ProblemParams;
  readonly fields: Readonly<Record<string, string>>;
  constructor(code: ApiCode, status: number, details: Partial<ProblemDetails> = {}) {
    super(details.title ?? code);
    this.name = "ApiProblem";
    this.code = code;
    this.status = status;
    this.requestId = details.requestId ?? null;
    this.params = details.params ?? {};
    this.fields = details.fields ?? {};
  }
}

/** Any thrown value as an ApiProblem; a fault of our own code becomes `internal`. */
export const asProblem = (error: unknown): ApiProblem =>
  error instanceof ApiProblem ? error : new ApiProblem("internal", 500);

type Given<N extends EndpointName> = {
  [K in keyof RequestOf<N> as RequestOf<N>[K] extends undefined ? never : K]: RequestOf<N>[K];
};
type Optional<T> = "query" extends keyof T ? Omit<T, "query"> & { query?: T["query"] } : T;
/** Parts of a request an endpoint takes; the query may be left out. */
export type CallInput<N extends EndpointName> = Optional<Given<N>> & { readonly signal?: AbortSignal };
type CallArgs<N extends EndpointName> =
  Record<never, never> extends CallInput<N> ? [input?: CallInput<N>] : [input: CallInput<N>];

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Path and query of a call; path parameters are encoded, undefined query values are left out. */
export const urlOf = (name: EndpointName, input: LooseInput = {}): string => {
  const path = ENDPOINTS[name].path.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(input.params?.[key] ?? ""),
  );
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (typeof value === "string" && value !== "") query.set(key, value);
    if (typeof value === "number" || typeof value === "boolean") query.set(key, String(value));
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
};

type Listener = (problem: ApiProblem) => void;
const listeners = new Set<Listener>();
/** Hear of every failed call (the session uses it to notice that it ended). Returns how to stop. */
export const onProblem = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const problemOf = async (response: Response): Promise<ApiProblem> => {
  const details = await response.json().then(
    (body: unknown) => (typeof body === "object" && body !== null ? (body as Partial<ProblemDetails>) : {}),
    () => ({}) as Partial<ProblemDetails>,
  );
  const fallback = response.status >= 500 ? "unavailable" : response.status === 404 ? "not_found" : "internal";
  const requestId = details.requestId ?? response.headers.get("x-request-id") ?? undefined;
  return new ApiProblem(
    details.code ?? fallback,
    response.status,
    requestId === undefined ? details : { ...details, requestId },
  );
};

const send = async (name: EndpointName, input: LooseInput): Promise<Response> => {
  const headers: Record<string, string> = { accept: "application/json" };
  if (input.body !== undefined) headers["content-type"] = "application/json";
  try {
    return await fetch(urlOf(name, input), {
      method: ENDPOINTS[name].method,
      headers,
      credentials: "same-origin",
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiProblem("offline", 0);
  }
};

/**
 * Call an endpoint of the contract on the same origin with the session cookie.
 * Answers the decoded body (undefined for 204); throws ApiProblem with the code of the contract.
 */
export const call = async <N extends EndpointName>(name: N, ...args: CallArgs<N>): Promise<ResponseOf<N>> => {
  const response = await send(name, (args[0] ?? {}) as LooseInput);
  learnServerTime(response.headers.get("date"));
  if (!response.ok) {
    const problem = await problemOf(response);
    for (const listener of listeners) listener(problem);
    throw problem;
  }
  if (response.status === 204) return undefined as ResponseOf<N>;
  return (await response.json()) as ResponseOf<N>;
};
