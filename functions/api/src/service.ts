import { environment } from "@aiw/platform/deployed";
import { loadEnv } from "@aiw/platform/env";
import { guardProcess } from "@aiw/platform/guard";
import { compose } from "./compose.ts";
import { serveApi } from "./server.ts";

/** The API as a service that is always there: one process, one subscription to the database, every stream (OPS-4). */
const source = environment();
const env = loadEnv(source);
const { deps, close } = compose(source);
const server = await serveApi(deps, { port: env.AIW_PORT, host: env.AIW_HOST });

let stopping = false;
const stop = async (): Promise<void> => {
  if (stopping) return;
  stopping = true;
  await server.close();
  await close();
};
// The platform ends a container 30 s after it asked.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop().then(() => process.exit(0)));
guardProcess(deps.log, stop);
deps.log.info("serving", { url: server.url });
