import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createHub, RUNS_CHANNEL } from "@aiw/function-api/stream/hub";
import { connect } from "@aiw/platform/db";
import { listen } from "@aiw/platform/listen";
import { createLog } from "@aiw/platform/log";

/** What the measuring process tells this one: where the database is, and whose events are served. */
export interface SseOrder {
  readonly url: string;
  readonly runId: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly sessions: readonly string[];
  /** Serve the raw hub too; default is true. */
  readonly withRaw?: boolean;
}

/** The raw hub: one subscription, one SELECT for each hint, one text for all; no rights, no positions, no bounds. */
const rawHub = async (url: string, runId: string) => {
  const db = connect({ url, max: 2, applicationName: "bench-raw" });
  const clients = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const encoder = new TextEncoder();
  let reached = 0;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    const rows = await db.sql<{ seq: number; type: string; data: string }[]>`
      select seq, type, data from run_events where run_id = ${runId} and seq > ${reached} order by seq`;
    reached = rows.at(-1)?.seq ?? reached;
    const bytes = encoder.encode(rows.map((e) => `id: ${e.seq}\nevent: ${e.type}\ndata: ${e.data}\n\n`).join(""));
    if (bytes.length > 0) for (const client of clients) client.enqueue(bytes);
  };
  await read();
  await listen(url, RUNS_CHANNEL, {
    onNotify: () => void (reading = (reading ?? Promise.resolve()).then(read)),
    onReady: () => undefined,
  });
  return (): ReadableStream<Uint8Array> => {
    let own: ReadableStreamDefaultController<Uint8Array> | undefined;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller;
        clients.add(controller);
        controller.enqueue(encoder.encode("retry: 2000\n\n"));
      },
      cancel: () => void (own !== undefined && clients.delete(own)),
    });
  };
};

const serve = async ({ url, runId, workspaceId, userId, sessions, withRaw = true }: SseOrder): Promise<number> => {
  const db = connect({ url, max: 4, applicationName: "bench-hub" });
  const hub = createHub({
    db,
    listenUrl: url,
    log: createLog({ level: "error" }),
    limits: { sessionIdleS: 43_200, sessionMaxS: 604_800 },
  });
  const openRaw = withRaw ? await rawHub(url, runId) : undefined;
  let next = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://bench");
    const sessionId = sessions[(next += 1) % sessions.length] ?? "";
    const body =
      pathname === "/raw" && openRaw !== undefined
        ? openRaw()
        : hub.openRun({ runId, workspaceId, after: Number(searchParams.get("after")) }, { sessionId, userId });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const readable = Readable.fromWeb(body);
    readable.on("error", () => undefined);
    response.on("close", () => readable.destroy());
    readable.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

process.once("message", (order: SseOrder) => {
  void serve(order).then((port) => process.send?.({ port }));
});
process.once("disconnect", () => process.exit(0));
