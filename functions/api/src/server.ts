import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { createApp } from "./app.ts";
import type { ApiDeps } from "./deps.ts";

export interface ApiServer {
  /** Such as http://127.0.0.1:3000. */
  readonly url: string;
  /** Ends streams, lets running requests finish for at most 5 s, then closes. The caller closes what is in `deps`. */
  close(): Promise<void>;
}

const CLOSE_LIMIT_MS = 5_000;

/** Serves the API on a port of this machine; port 0 takes any. Rejects when the port is taken (EADDRINUSE). */
export async function serveApi(
  deps: ApiDeps,
  options: { readonly port: number; readonly host: string },
): Promise<ApiServer> {
  const app = createApp(deps, { addressOf: (c) => getConnInfo(c).remote.address ?? "unknown" });
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`,
    close: async () => {
      await deps.hub.close();
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      if ("closeIdleConnections" in server) server.closeIdleConnections();
      const timer = setTimeout(() => {
        if ("closeAllConnections" in server) server.closeAllConnections();
      }, CLOSE_LIMIT_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
