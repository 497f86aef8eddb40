import { randomUUID } from "node:crypto";
import { ENDPOINTS, type Endpoint, type EndpointName } from "@aiw/contract/api";
import { Problem } from "@aiw/contract/problem";
import { type Context, Hono } from "hono";
import { NO_SPAN, type Span } from "@aiw/platform/trace";
import { bind, type Known } from "./bind.ts";
import type { ApiDeps } from "./deps.ts";
import { handlers } from "./handlers/index.ts";
import { healthRoutes } from "./health.ts";
import { problemResponse } from "./http/problem-response.ts";
import { harden } from "./http/security-headers.ts";
import { serveFile } from "./http/static.ts";
import { traceRequests } from "./trace-requests.ts";

type App = Hono<{ Variables: { requestId: string; span: Span; known: Known } }>;

export interface AppOptions {
  /** Network address of the client, for rate limits; where the server knows it. */
  readonly addressOf?: (c: Context) => string;
  /** The platform freezes the process after an answer: what was traced goes out before it. */
  readonly flushBeforeAnswer?: boolean;
}

const endpoints = Object.entries(ENDPOINTS).map(([name, endpoint]): { name: EndpointName; endpoint: Endpoint } => ({
  name: name as EndpointName,
  endpoint,
}));

/** The whole HTTP side: every endpoint of the contract, health, and the web app where it is served from here. */
export function createApp(deps: ApiDeps, options: AppOptions = {}): App {
  const app: App = new Hono();
  const addressOf = options.addressOf ?? (() => "unknown");
  app.use(async (c, next) => {
    c.set("requestId", randomUUID());
    c.set("known", {});
    c.set("span", NO_SPAN);
    await next();
    const { secureCookies: https, storageOrigin } = deps.settings;
    harden(c.res.headers, {
      requestId: c.get("requestId"),
      https,
      ...(storageOrigin === undefined ? {} : { storageOrigin }),
    });
  });
  app.onError((error, c) => problemResponse(error, c.get("requestId"), deps.log.child({ ...c.get("known") })));

  healthRoutes(app, deps);
  for (const { name, endpoint } of endpoints) {
    const run = bind(name, handlers, deps);
    if (deps.telemetry?.on === true) app.on(endpoint.method, endpoint.path, traceRequests(deps, endpoint, options));
    app.on(endpoint.method, endpoint.path, (c) =>
      run({
        request: c.req.raw,
        params: c.req.param(),
        requestId: c.get("requestId"),
        address: addressOf(c),
        known: c.get("known"),
        span: c.get("span"),
      }),
    );
  }
  for (const path of new Set(endpoints.map(({ endpoint }) => endpoint.path))) {
    app.all(path, () => {
      throw new Problem("method_not_allowed");
    });
  }
  app.all("*", async (c) => {
    const { webRoot } = deps;
    const path = new URL(c.req.url).pathname;
    const isPage = (c.req.method === "GET" || c.req.method === "HEAD") && !path.startsWith("/api/") && path !== "/api";
    const file = isPage && webRoot !== undefined ? await serveFile(webRoot, path, c.req.header("accept") ?? "") : null;
    if (file === null) throw new Problem("not_found");
    return file;
  });
  return app;
}
