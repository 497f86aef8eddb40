/**
 * The runtime of an execution environment, as the platform's own for Node behaves: loads the handler named by _HANDLER from
 * LAMBDA_TASK_ROOT, then asks for one event after the other. Its own program, so that a bundle is loaded in a process that holds
 * nothing else.
 */
import { request } from "node:http";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";

type Handler = (event: unknown, ...rest: readonly unknown[]) => Promise<unknown>;

const base = `http://${process.env["AWS_LAMBDA_RUNTIME_API"] ?? ""}/2018-06-01/runtime`;
const STREAMING = Symbol.for("aws.lambda.runtime.handler.streaming");

/** The body of a streamed answer; the head of an HTTP answer is set before its first byte. */
class ResponseStream extends Writable {
  contentType = "application/octet-stream";
  prelude: Buffer | undefined;
  readonly #open: (contentType: string) => ReturnType<typeof request>;
  #outgoing: ReturnType<typeof request> | undefined;
  constructor(open: (contentType: string) => ReturnType<typeof request>) {
    super({ highWaterMark: 1024 * 1024 });
    this.#open = open;
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.outgoing().write(chunk, done);
  }
  override _final(done: () => void): void {
    this.outgoing().end(done);
  }
  outgoing(): ReturnType<typeof request> {
    if (this.#outgoing !== undefined) return this.#outgoing;
    this.#outgoing = this.#open(this.contentType);
    if (this.prelude !== undefined) this.#outgoing.write(Buffer.concat([this.prelude, Buffer.alloc(8)]));
    return this.#outgoing;
  }
}

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => Object.assign(handler, { [STREAMING]: true }),
    HttpResponseStream: {
      from: (stream: ResponseStream, head: object) => {
        stream.contentType = "application/vnd.awslambda.http-integration-response";
        stream.prelude = Buffer.from(JSON.stringify(head));
        return stream;
      },
    },
  },
});

const report = async (path: string, error: unknown): Promise<void> => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  await fetch(`${base}${path}`, {
    method: "POST",
    headers: { "lambda-runtime-function-error-type": name },
    body: JSON.stringify({ errorType: name, errorMessage: message }),
  });
};

const load = async (): Promise<Handler> => {
  const [file = "", name = ""] = (process.env["_HANDLER"] ?? "").split(".");
  const root = pathToFileURL(`${process.env["LAMBDA_TASK_ROOT"] ?? ""}/`);
  const module = (await import(new URL(`${file}.mjs`, root).href)) as Record<string, Handler>;
  const handler = module[name];
  if (handler === undefined) throw new Error(`${file}.mjs has no ${name}`);
  return handler;
};

/** Waits for the next event; fetch would give up after five minutes. */
const next = (): Promise<{ headers: Record<string, string | string[] | undefined>; event: unknown }> =>
  new Promise((resolve, reject) => {
    request(`${base}/invocation/next`, (incoming) => {
      let body = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk: string) => (body += chunk));
      incoming.on("end", () => resolve({ headers: incoming.headers, event: JSON.parse(body) as unknown }));
    })
      .on("error", reject)
      .end();
  });

const contextOf = (requestId: string, deadlineMs: number, arn: string): object => ({
  awsRequestId: requestId,
  callbackWaitsForEmptyEventLoop: true,
  functionName: process.env["AWS_LAMBDA_FUNCTION_NAME"] ?? "",
  functionVersion: "$LATEST",
  invokedFunctionArn: arn,
  memoryLimitInMB: process.env["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] ?? "",
  getRemainingTimeInMillis: () => deadlineMs - Date.now(),
});

const stream = (handler: Handler, id: string, event: unknown, context: object): Promise<void> =>
  new Promise((resolve, reject) => {
    const body = new ResponseStream((contentType) =>
      request(
        `${base}/invocation/${id}/response`,
        {
          method: "POST",
          headers: {
            "content-type": contentType,
            "lambda-runtime-function-response-mode": "streaming",
            "transfer-encoding": "chunked",
            trailer: "Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
          },
        },
        (incoming) => incoming.resume().on("end", () => resolve()),
      ).on("error", reject),
    );
    handler(event, body, context).then(
      () => body.writableEnded || body.end(),
      (error: unknown) => {
        // Too late for another status: the trailer says that it broke off.
        body.outgoing().addTrailers({ "Lambda-Runtime-Function-Error-Type": String(error) });
        body.end();
      },
    );
  });

let handler: Handler;
try {
  handler = await load();
} catch (error) {
  await report("/init/error", error);
  process.exit(1);
}
for (;;) {
  const { headers, event } = await next();
  const id = String(headers["lambda-runtime-aws-request-id"]);
  const trace = headers["lambda-runtime-trace-id"];
  if (typeof trace === "string") process.env["_X_AMZN_TRACE_ID"] = trace;
  else delete process.env["_X_AMZN_TRACE_ID"];
  const context = contextOf(
    id,
    Number(headers["lambda-runtime-deadline-ms"]),
    String(headers["lambda-runtime-invoked-function-arn"]),
  );
  try {
    if (Reflect.get(handler, STREAMING) === true) {
      await stream(handler, id, event, context);
      continue;
    }
    const body = JSON.stringify((await handler(event, context)) ?? null);
    await fetch(`${base}/invocation/${id}/response`, { method: "POST", body });
  } catch (error) {
    await report(`/invocation/${id}/error`, error);
  }
}
