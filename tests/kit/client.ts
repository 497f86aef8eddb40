import http from "node:http";
import { ENDPOINTS, type EndpointName, type RequestOf, type ResponseOf } from "@aiw/contract/api";
import type { RunEvent } from "@aiw/contract/events";
import { problemDetails, type ProblemDetails } from "@aiw/contract/problem";

type Input<N extends EndpointName> = Partial<{ [K in keyof RequestOf<N>]: RequestOf<N>[K] }>;

/** An answer of the API that is a problem. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly problem: ProblemDetails;
  constructor(name: string, status: number, problem: ProblemDetails) {
    super(`${name}: ${status} ${problem.code}`);
    this.status = status;
    this.problem = problem;
  }
}

export interface StreamOptions {
  readonly after?: number;
  readonly lastEventId?: number;
  /** Cuts the connection after this many bytes of the body. */
  readonly cutAfterBytes?: number;
}

export interface StreamPart {
  readonly events: readonly RunEvent[];
  /** The server ended it, or it was cut here. */
  readonly ended: "server" | "cut";
}

/** A person who is signed in, seen from outside: nothing but HTTP. */
export interface Client {
  readonly base: string;
  readonly cookie: string;
  /** @throws ApiFailure */
  call<N extends EndpointName>(name: N, input?: Input<N>): Promise<ResponseOf<N>>;
  /** The problem an endpoint answers with. @throws when it succeeds. */
  refused<N extends EndpointName>(
    name: N,
    input?: Input<N>,
  ): Promise<{ readonly status: number; readonly code: string; readonly params: Readonly<Record<string, unknown>> }>;
  /** Reads the events of a run until the server ends the stream or it is cut. */
  events(runId: string, options?: StreamOptions): Promise<StreamPart>;
}

export const signIn = async (base: string, name: string, password: string): Promise<Client> => {
  const response = await fetch(`${base}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: base },
    body: JSON.stringify({ name, password }),
  });
  if (!response.ok) throw new Error(`${name} cannot sign in: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(";")[0] ?? "")
    .join("; ");

  const call = async <N extends EndpointName>(name: N, input: Input<N> = {}): Promise<ResponseOf<N>> => {
    const answer = await send(base, cookie, name, input);
    const text = await answer.text();
    if (!answer.ok) throw new ApiFailure(name, answer.status, problemDetails.parse(JSON.parse(text)));
    return (text === "" ? undefined : JSON.parse(text)) as ResponseOf<N>;
  };
  return {
    base,
    cookie,
    call,
    refused: async (name, input) => {
      try {
        await call(name, input);
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        return { status: error.status, code: error.problem.code, params: error.problem.params ?? {} };
      }
      throw new Error(`${name} was not refused`);
    },
    events: (runId, options = {}) => readStream(base, cookie, runId, options),
  };
};

const send = <N extends EndpointName>(base: string, cookie: string, name: N, input: Input<N>): Promise<Response> => {
  const { method, path } = ENDPOINTS[name];
  const filled = texts(input.params).reduce(
    (to, [key, value]) => to.replace(`:${key}`, encodeURIComponent(value)),
    path as string,
  );
  const url = new URL(filled, base);
  for (const [key, value] of texts(input.query)) url.searchParams.set(key, value);
  return fetch(url, {
    method,
    headers: { cookie, origin: base, ...(input.body === undefined ? {} : { "content-type": "application/json" }) },
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
  });
};

/** Parameters as an address carries them. */
const texts = (given: unknown): (readonly [string, string])[] =>
  typeof given !== "object" || given === null
    ? []
    : Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
        typeof value === "string" || typeof value === "number" ? [[name, `${value}`] as const] : [],
      );

/** Raw HTTP, so that a connection can be torn at any byte, in the middle of an event or of a character. */
const readStream = (base: string, cookie: string, runId: string, options: StreamOptions): Promise<StreamPart> =>
  new Promise((resolve, reject) => {
    const query = options.after === undefined ? "" : `?after=${options.after}`;
    const headers = {
      cookie,
      accept: "text/event-stream",
      ...(options.lastEventId === undefined ? {} : { "last-event-id": String(options.lastEventId) }),
    };
    const parts: Buffer[] = [];
    let bytes = 0;
    const finish = (ended: StreamPart["ended"]): void => resolve({ ended, events: parseEvents(Buffer.concat(parts)) });
    const request = http.get(`${base}/api/runs/${runId}/events${query}`, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`the stream answered ${response.statusCode ?? 0}`));
        response.resume();
        return;
      }
      response.on("data", (part: Buffer) => {
        const left = (options.cutAfterBytes ?? Number.POSITIVE_INFINITY) - bytes;
        if (left <= 0) return;
        parts.push(part.subarray(0, left));
        bytes += part.byteLength;
        if (part.byteLength < left) return;
        request.destroy();
        finish("cut");
      });
      response.on("end", () => finish("server"));
      response.on("error", () => finish("cut"));
    });
    request.on("error", (error) => (parts.length > 0 ? finish("cut") : reject(error)));
  });

/** Complete events only: what was torn off did not arrive. */
const parseEvents = (bytes: Buffer): readonly RunEvent[] => {
  const text = bytes.toString("utf8");
  const complete = text.slice(0, text.lastIndexOf("\n\n") + 2);
  return complete.split("\n\n").flatMap((block) => {
    const lines = block.split("\n");
    const id = lines.find((line) => line.startsWith("id:"));
    const data = lines.find((line) => line.startsWith("data:"));
    if (id === undefined || data === undefined) return [];
    const event = JSON.parse(data.slice(5)) as RunEvent;
    return [{ ...event, seq: Number(id.slice(3)) }];
  });
};
