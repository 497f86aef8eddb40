import type { Endpoint } from "@aiw/contract/api";
import type { Span } from "@aiw/platform/trace";
import { nowMs } from "@aiw/platform/trace";
import type { MiddlewareHandler } from "hono";
import type { ApiDeps } from "./deps.ts";

/**
 * One span and one figure for each request of this endpoint (SEC-9), named by its route, never by the path that was asked
 * for. What the client says about traces is not believed: anybody can send it.
 */
export function traceRequests(
  deps: ApiDeps,
  { method, path }: Pick<Endpoint, "method" | "path">,
  { flushBeforeAnswer = false }: { readonly flushBeforeAnswer?: boolean },
): MiddlewareHandler<{ Variables: { requestId: string; span: Span } }> {
  return async (c, next) => {
    const { telemetry } = deps;
    if (telemetry === undefined) return next();
    const startMs = nowMs();
    const requestId = c.get("requestId");
    const span = telemetry.request(requestId, `${method} ${path}`);
    c.set("span", span);
    await next();
    const { status } = c.res;
    const said = { "http.request.method": method, "http.route": path, "http.response.status_code": status };
    span.set({ ...said, "aiw.request.id": requestId });
    if (status >= 500) span.fail(Object.assign(new Error(), { code: String(status) }));
    span.end();
    telemetry.metric("http.server.request.duration", (nowMs() - startMs) / 1000, said);
    if (flushBeforeAnswer) await telemetry.flush();
  };
}
