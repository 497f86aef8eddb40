import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The platform's own bounds, in bytes: an invocation's event, an answer in one piece, a streamed answer. */
export const EVENT_LIMIT_BYTES = 6 * 1024 * 1024;
const ANSWER_LIMIT_BYTES = 6 * 1024 * 1024;

/** What a function answered, or why it did not. */
export interface Invoked {
  readonly requestId: string;
  /** What the function reported, or the platform: `Function.ResponseSizeTooLarge`, `Sandbox.Timedout`, `Runtime.ExitError`. */
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly streamed: boolean;
  /** Of a streamed HTTP answer: status and headers, which travel before the body. */
  readonly head: { readonly statusCode: number; readonly headers: Readonly<Record<string, string>> } | null;
  readonly body: Buffer;
  /** Milliseconds from the hand-over of the event to the end of the answer. */
  readonly ms: number;
}

export interface InvokeOptions {
  /** Milliseconds until the platform ends the function. */
  readonly timeoutMs: number;
  readonly traceId?: string;
  /** Told of each part of a streamed body as it arrives. */
  readonly onChunk?: (chunk: Buffer) => void;
}

/** The side of the platform that a runtime talks to: GET next, POST response or error (the Lambda Runtime API, 2018-06-01). */
export interface RuntimeApi {
  /** host:port, for AWS_LAMBDA_RUNTIME_API. */
  readonly address: string;
  /** Resolves when the runtime asks for its first event; rejects with what it reported instead. */
  readonly ready: Promise<void>;
  /** @throws RangeError for an event above 6 MB */
  invoke(event: unknown, options: InvokeOptions): Promise<Invoked>;
  /** Fails the invocation under way: the process is gone or was ended. */
  abandon(type: string, message: string): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly requestId: string;
  readonly event: string;
  readonly options: InvokeOptions;
  readonly began: number;
  readonly settle: (outcome: Partial<Invoked>) => void;
}

const ARN = "arn:aws:lambda:eu-central-1:000000000000:function:local";

/** Serves one execution environment: one invocation at a time, in order. */
export const startRuntimeApi = async (): Promise<RuntimeApi> => {
  const queue: Waiting[] = [];
  let current: Waiting | undefined;
  let idle: ServerResponse | undefined;
  let started: () => void = () => undefined;
  let failed: (error: Error) => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    started = resolve;
    failed = reject;
  });
  ready.catch(() => undefined);

  const handOver = (): void => {
    const response = idle;
    const next = queue[0];
    if (response === undefined || next === undefined || current !== undefined) return;
    idle = undefined;
    current = queue.shift();
    response.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": next.requestId,
      "lambda-runtime-deadline-ms": String(Date.now() + next.options.timeoutMs),
      "lambda-runtime-invoked-function-arn": ARN,
      ...(next.options.traceId === undefined ? {} : { "lambda-runtime-trace-id": next.options.traceId }),
    });
    response.end(next.event);
  };
  const settle = (outcome: Partial<Invoked>): void => {
    current?.settle(outcome);
    current = undefined;
  };

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const waiting = current;
    const streamed = incoming.headers["lambda-runtime-function-response-mode"] === "streaming";
    const isHttp = String(incoming.headers["content-type"]).startsWith("application/vnd.awslambda.http-integration");
    const parts = split(isHttp, waiting?.options.onChunk);
    try {
      for await (const chunk of incoming) parts.take(chunk as Buffer);
    } catch {
      return settle({
        ...parts.done(),
        streamed,
        error: { type: "Runtime.ExitError", message: "the answer broke off" },
      });
    }
    const { head, body } = parts.done();
    const fault = incoming.trailers["lambda-runtime-function-error-type"];
    const tooLarge = !streamed && body.length > ANSWER_LIMIT_BYTES;
    outgoing.writeHead(tooLarge ? 413 : 202, { "content-type": "application/json" });
    outgoing.end(tooLarge ? '{"errorType":"RequestEntityTooLarge"}' : '{"status":"OK"}');
    const error = tooLarge
      ? { type: "Function.ResponseSizeTooLarge", message: `an answer of ${body.length} bytes` }
      : fault === undefined
        ? null
        : { type: fault, message: "the stream broke off" };
    settle({ streamed, head, body: tooLarge ? Buffer.alloc(0) : body, error });
  };

  const server = createServer((incoming, outgoing) => {
    const path = incoming.url?.replace("/2018-06-01/runtime", "") ?? "";
    if (path === "/invocation/next") {
      started();
      idle = outgoing;
      handOver();
      return;
    }
    if (path.endsWith("/response")) return void answer(incoming, outgoing);
    void text(incoming).then((body) => {
      const report = readError(body, incoming.headers["lambda-runtime-function-error-type"]);
      if (path === "/init/error") failed(new Error(`${report.type}: ${report.message}`));
      else settle({ error: report });
      outgoing.writeHead(202, { "content-type": "application/json" });
      outgoing.end('{"status":"OK"}');
    });
  });
  // A runtime waits for its next event as long as it takes.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready,
    invoke: (event, options) => {
      const json = JSON.stringify(event);
      if (Buffer.byteLength(json) > EVENT_LIMIT_BYTES) throw new RangeError("RequestTooLargeException: above 6 MB");
      return new Promise((resolve) => {
        const requestId = randomUUID();
        const began = performance.now();
        const timer = setTimeout(() => {
          if (current?.requestId === requestId)
            settle({ error: { type: "Sandbox.Timedout", message: `timed out after ${options.timeoutMs} ms` } });
        }, options.timeoutMs);
        queue.push({
          requestId,
          event: json,
          options,
          began,
          settle: (outcome) => {
            clearTimeout(timer);
            const ms = performance.now() - began;
            resolve({ requestId, error: null, streamed: false, head: null, body: Buffer.alloc(0), ...outcome, ms });
          },
        });
        handOver();
      });
    },
    abandon: (type, message) => {
      failed(new Error(`${type}: ${message}`));
      settle({ error: { type, message } });
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const SEPARATOR = Buffer.alloc(8);

/** Takes a body apart: what a streamed HTTP answer has before eight NUL bytes are its status and headers. */
const split = (isHttp: boolean, onChunk: (chunk: Buffer) => void = () => undefined) => {
  let head: Invoked["head"] = null;
  let pending = Buffer.alloc(0);
  const chunks: Buffer[] = [];
  const pass = (chunk: Buffer): void => {
    if (chunk.length === 0) return;
    chunks.push(chunk);
    onChunk(chunk);
  };
  return {
    take: (chunk: Buffer): void => {
      if (!isHttp || head !== null) return pass(chunk);
      pending = Buffer.concat([pending, chunk]);
      const end = pending.indexOf(SEPARATOR);
      if (end === -1) return;
      head = JSON.parse(pending.subarray(0, end).toString()) as Invoked["head"];
      pass(pending.subarray(end + SEPARATOR.length));
    },
    done: () => ({ head, body: Buffer.concat(chunks) }),
  };
};

const text = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const readError = (body: string, type: string | string[] | undefined): { type: string; message: string } => {
  const { errorType, errorMessage } = JSON.parse(body || "{}") as { errorType?: string; errorMessage?: string };
  return { type: errorType ?? String(type), message: errorMessage ?? "" };
};
