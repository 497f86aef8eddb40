import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { EnvError, loadEnv } from "@aiw/platform/env";
import { startLocalStack } from "./localstack/server.ts";
import { startStack, type Stack } from "./stack.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const HELP = `npm start [-- options]
  --reset   delete the local data and start over
  --dev     serve the web app from source with live reload
  --localstack  SQS and S3 by LocalStack: the one at AWS_ENDPOINT_URL, or one started by Docker or Python
  --help    this text
Variables (all in docs/configuration.md): AIW_PORT (3000; 0 = any free one), AIW_DATA_DIR (.data), OPENAI_API_KEY,
OPENAI_BASE_URL, AIW_MODEL (without a key the demo model answers).`;

const main = async (): Promise<void> => {
  const args = new Set(process.argv.slice(2));
  if (args.has("--help")) {
    console.log(HELP);
    return;
  }
  const unknown = [...args].filter((arg) => !["--reset", "--dev", "--localstack"].includes(arg));
  if (unknown.length > 0) throw new Error(`unknown option ${unknown.join(" ")}\n${HELP}`);
  const env = loadEnv(process.env);
  if (env.AIW_ENV === "production")
    throw new Error("this starts a local stack for development; AIW_ENV=production is for deployed functions");
  const webRoot = join(root, "web", "dist");
  const stack = await startStack({
    dataDir:
      join(root, env.AIW_DATA_DIR).startsWith(root) && !env.AIW_DATA_DIR.startsWith("/")
        ? join(root, env.AIW_DATA_DIR)
        : env.AIW_DATA_DIR,
    port: env.AIW_PORT,
    host: env.AIW_HOST,
    reset: args.has("--reset"),
    environment: process.env,
    ...(args.has("--localstack")
      ? {
          startCloud: () =>
            startLocalStack({
              cacheDir: join(root, ".cache", "localstack"),
              environment: process.env,
              say: (line) => console.error(line),
            }),
        }
      : {}),
    ...(!args.has("--dev") && existsSync(join(webRoot, "index.html")) ? { webRoot } : {}),
  });
  const dev = args.has("--dev")
    ? await import("./dev-web.ts").then((m) => m.startDevWeb(join(root, "web"), stack.url))
    : null;
  announce(stack, dev?.url ?? stack.url);
  stopOnSignals(async () => {
    await dev?.stop();
    await stack.stop();
  });
};

/** The first line is `ready http://...`, then the logins (OPS-1). */
const announce = (stack: Stack, url: string): void => {
  const width = Math.max(...stack.logins.map((l) => l.name.length));
  console.log(`ready ${url}`);
  console.log(
    `\nSign in with the password  ${stack.demoPassword}\n${stack.logins.map((l) => `  ${l.name.padEnd(width)}  ${l.title}`).join("\n")}`,
  );
  if (stack.databaseElsewhere !== null)
    console.log(
      `\nThe database may not lie in a folder that only root can enter; it lies in ${stack.databaseElsewhere}.`,
    );
  if (stack.demoModel)
    console.log("\nThe demo model answers: a small grammar, no AI. Set OPENAI_API_KEY to talk to a real gateway.");
};

const stopOnSignals = (stop: () => Promise<void>): void => {
  let stopping = false;
  const end = (): void => {
    // Process groups and npm deliver the same Ctrl-C twice.
    if (stopping) return;
    stopping = true;
    void stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error instanceof Error ? error.message : String(error));
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  // Whoever started this was killed: nobody is left to press Ctrl-C.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, 1000).unref();
};

try {
  await main();
} catch (error) {
  console.error(error instanceof EnvError || error instanceof Error ? error.message : String(error));
  process.exit(1);
}
