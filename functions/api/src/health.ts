import type { Hono } from "hono";
import type { ApiDeps } from "./deps.ts";

const CHECK_LIMIT_MS = 3_000;

interface CheckResult {
  readonly ok: boolean;
  readonly ms: number;
}

/** OPS-8: /healthz says that the process answers, /readyz that what it needs does, /version what it is. */
export function healthRoutes<E extends object>(app: Hono<E>, deps: ApiDeps): void {
  app.get("/healthz", () => Response.json({ ok: true }));
  app.get("/version", () => Response.json(deps.settings.version));
  app.get("/readyz", async () => {
    const results = await Promise.all(
      Object.entries(deps.checks).map(async ([name, check]): Promise<[string, CheckResult]> => [
        name,
        await timed(deps, name, check),
      ]),
    );
    const ok = results.every(([, result]) => result.ok);
    return Response.json({ ok, checks: Object.fromEntries(results) }, { status: ok ? 200 : 503 });
  });
}

async function timed(deps: ApiDeps, name: string, check: () => Promise<void>): Promise<CheckResult> {
  const began = performance.now();
  const ms = (): number => Math.round(performance.now() - began);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), CHECK_LIMIT_MS);
  });
  try {
    await Promise.race([check(), late]);
    return { ok: true, ms: ms() };
  } catch (error) {
    deps.log.warn("a readiness check failed", { check: name, error });
    return { ok: false, ms: ms() };
  } finally {
    clearTimeout(timer);
  }
}
