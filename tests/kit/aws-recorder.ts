import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands before an emulator and writes down the permission each request would need, by resource. */
export interface AwsRecorder {
  readonly endpoint: string;
  /** Resource, such as a queue's or the bucket's name -> actions. */
  readonly seen: ReadonlyMap<string, ReadonlySet<string>>;
  stop(): Promise<void>;
}

/** What the emulator answers goes back as it is. */
export const recordAws = async (endpoint: string): Promise<AwsRecorder> => {
  const seen = new Map<string, Set<string>>();
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const { resource, actions } = neededFor(incoming, body);
      const known = seen.get(resource) ?? new Set();
      for (const action of actions) known.add(action);
      seen.set(resource, known);
      const passed = request(
        new URL(incoming.url ?? "/", endpoint),
        { method: incoming.method ?? "GET", headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        },
      );
      passed.on("error", () => outgoing.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

interface Needed {
  readonly resource: string;
  readonly actions: readonly string[];
}

const neededFor = (incoming: IncomingMessage, body: Buffer): Needed => {
  const target = incoming.headers["x-amz-target"];
  return typeof target === "string" ? ofQueue(target, body) : ofObject(incoming);
};

const ofQueue = (target: string, body: Buffer): Needed => {
  const { QueueUrl, QueueName } = JSON.parse(body.toString()) as { QueueUrl?: string; QueueName?: string };
  // One permission for a call and its form for many.
  const action = `sqs:${target.replace("AmazonSQS.", "").replace(/Batch$/, "")}`;
  return { resource: QueueName ?? QueueUrl?.split("/").at(-1) ?? "", actions: [action] };
};

const OBJECT_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  // Whoever may not list is told "forbidden" of a key that is not there.
  GET: ["s3:GetObject", "s3:ListBucket"],
  HEAD: ["s3:GetObject", "s3:ListBucket"],
  PUT: ["s3:PutObject"],
  DELETE: ["s3:DeleteObject"],
};

const ofObject = (incoming: IncomingMessage): Needed => {
  const url = new URL(incoming.url ?? "/", "http://local");
  const [resource = "", ...key] = url.pathname.slice(1).split("/");
  if (key.join("/") === "") return { resource, actions: ["s3:ListBucket"] };
  return { resource, actions: OBJECT_ACTIONS[incoming.method ?? ""] ?? [`s3:${incoming.method}`] };
};
