import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { grammarBrain } from "@aiw/infra/local/demo-gateway/brain-grammar";
import { scriptBrain, type ScriptBrain } from "@aiw/infra/local/demo-gateway/brain-script";
import type { Brain } from "@aiw/infra/local/demo-gateway/brain";
import type { GitRepository } from "@aiw/infra/local/git-server";
import { startStack, type Stack } from "@aiw/infra/local/stack";
import { connect, type Database } from "@aiw/platform/db";
import { signIn, type Client } from "./client.ts";
import { installClock } from "./clock.ts";
import { LOCALSTACK, startCloud } from "./cloud.ts";
import { gone, processTree, type ProcessRow } from "./processes.ts";

export const ROOT = dirname(dirname(import.meta.dirname));
const READY_LIMIT_MS = 90_000;

/** A folder for data that the database's own user can reach, removed by `end`. */
export const dataFolder = (): { readonly path: string; readonly end: () => void } => {
  const home = mkdtempSync(join(tmpdir(), "aiw-stack-"));
  chmodSync(home, 0o711);
  return { path: join(home, "data"), end: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }) };
};

/** The variables of this process without those that would change the product. */
const cleanEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(AIW|AWS|OPENAI|VITEST|NODE_ENV)/.test(name) ? [] : [[name, value]],
    ),
  );

export interface ProductOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** What is run; default is the file behind `npm start`. */
  readonly command?: { readonly program: string; readonly args: readonly string[]; readonly cwd: string };
  readonly readyWithinMs?: number;
}

/** The product in a process group of its own, as a terminal would run it. */
export interface Product {
  readonly url: string;
  readonly password: string;
  readonly dataDir: string;
  /** Milliseconds from the launch to the line `ready`. */
  readonly readyMs: number;
  readonly process: ChildProcess;
  readonly output: () => string;
  /** Everything that runs below it now. */
  readonly tree: () => readonly ProcessRow[];
  /** Pids of the process that runs the functions; one, or none while another is started. */
  readonly workers: () => readonly number[];
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  signIn(name: string): Promise<Client>;
  /** Superuser of its database. */
  admin(): Database;
  /** Sends a signal to the whole group, as Ctrl-C does. */
  signal(signal: NodeJS.Signals): void;
  /** Ctrl-C; resolves with the exit code and with what is left of its processes. */
  stop(): Promise<{ readonly code: number | null; readonly left: readonly string[] }>;
}

/** Launches it; resolves at its end or when it is ready. @throws with its output when it is not ready in time. */
export const startProduct = async (options: ProductOptions): Promise<Product> => {
  const launched = launch(options);
  const began = performance.now();
  const ready = await Promise.race([
    launched.firstLine(/^ready (http:\/\/\S+)$/m),
    launched.exited.then(({ code }) => {
      throw new Error(`it ended with ${code ?? "a signal"} before it was ready:\n${launched.output()}`);
    }),
    delay(options.readyWithinMs ?? READY_LIMIT_MS, null, { ref: false }),
  ]);
  const readyMs = performance.now() - began;
  if (ready === null) {
    launched.signal("SIGKILL");
    throw new Error(`it was not ready in time:\n${launched.output()}`);
  }
  const password = await launched.firstLine(/^Sign in with the password {2}(\S+)$/m);
  const product: Product = {
    ...launched,
    url: ready,
    password,
    readyMs,
    signIn: (name) => signIn(ready, name, password),
    admin: () => connect({ url: superuserUrl(options.dataDir), max: 2, applicationName: "test-admin" }),
    stop: async () => {
      const tree = launched.tree();
      launched.signal("SIGINT");
      const { code } = await launched.exited;
      return { code, left: await gone(tree) };
    },
  };
  return product;
};

type Launched = Pick<Product, "process" | "output" | "tree" | "workers" | "exited" | "signal" | "dataDir"> & {
  firstLine(pattern: RegExp): Promise<string>;
};

/** Launches it without waiting for it; for starts that are meant to fail. */
export const launch = (options: ProductOptions): Launched => {
  const { program, args, cwd } = options.command ?? {
    program: process.execPath,
    args: ["infra/local/start.ts", ...(LOCALSTACK === undefined ? [] : ["--localstack"])],
    cwd: ROOT,
  };
  const child = spawn(program, [...args, ...(options.args ?? [])], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...cleanEnvironment(),
      ...(LOCALSTACK === undefined ? {} : { AWS_ENDPOINT_URL: LOCALSTACK }),
      AIW_DATA_DIR: options.dataDir,
      AIW_PORT: "0",
      AIW_LOG_LEVEL: "warn",
      ...options.env,
    },
  });
  let text = "";
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      for (const watch of watchers) watch();
    });
  }
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // It ended by itself in this moment.
    }
  };
  // A test that breaks leaves nothing behind: the group ends with this process.
  const onExit = (): void => signal("SIGKILL");
  process.once("exit", onExit);
  void exited.then(() => process.off("exit", onExit));
  const tree = (): readonly ProcessRow[] => (child.pid === undefined ? [] : processTree(child.pid));
  return {
    process: child,
    dataDir: options.dataDir,
    output: () => text,
    exited,
    signal,
    tree,
    workers: () => tree().flatMap((row) => (row.command.includes("infra/local/worker.ts") ? [row.pid] : [])),
    firstLine: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = pattern.exec(text)?.[1];
          if (found === undefined) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
  };
};

/** A value once it is there; fails after `limitMs`. For what other processes have to do first. */
export const until = async <T>(what: string, look: () => Promise<T | undefined>, limitMs = 20_000): Promise<T> => {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`it did not happen in time: ${what}`);
    await delay(50);
  }
};

/** The superuser's address, put together from what the local database keeps beside its data. */
const superuserUrl = (dataDir: string): string => {
  const password = readFileSync(join(dataDir, "postgres.password"), "utf8");
  const port = readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[3] ?? "";
  return `postgres://postgres:${password}@127.0.0.1:${port}/aiw`;
};

/** What a data folder keeps of its demo Git server. */
export const gitOf = (dataDir: string): { readonly directory: string; readonly token: string } => {
  const state = JSON.parse(readFileSync(join(dataDir, "local.json"), "utf8")) as { gitToken: string };
  return { directory: join(dataDir, "git", "orders-service.git"), token: state.gitToken };
};

export interface LocalStack {
  readonly stack: Stack;
  readonly url: string;
  readonly dataDir: string;
  readonly gitToken: string;
  /** The repository of the demo workspace. */
  readonly repository: GitRepository;
  readonly admin: Database;
  /** Turns for conversations that contain a word of their own; everything else is answered by the grammar. */
  readonly script: ScriptBrain;
  signIn(name: string): Promise<Client>;
  shift(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

export interface LocalOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds between two pieces of an answer of the grammar. */
  readonly chunkDelayMs?: number;
  /** Serve the built web app. */
  readonly web?: boolean;
}

/**
 * The whole stack with its API in this process and a model that a test can script: a conversation with a turn pushed for
 * it follows the script, any other is answered by the grammar of the demo.
 */
export const startLocal = async (options: LocalOptions = {}): Promise<LocalStack> => {
  const folder = dataFolder();
  const script = scriptBrain([]);
  const grammar = grammarBrain({ chunkDelayMs: options.chunkDelayMs ?? 2 });
  const scripted = new Set<string>();
  const brain: Brain = {
    models: grammar.models,
    onlyListedModels: true,
    respond: (request) => {
      const said = request.items.flatMap((item) =>
        item.type === "message" && item.role === "user" ? [item.text] : [],
      );
      return [...scripted].some((topic) => said.some((text) => text.includes(topic)))
        ? script.respond(request)
        : grammar.respond(request);
    },
  };
  const webRoot = join(ROOT, "web", "dist");
  if (options.web === true && !existsSync(join(webRoot, "index.html")))
    throw new Error("the web app is not built: node scripts/build-web.mjs");
  const stack = await startStack({
    dataDir: folder.path,
    port: 0,
    host: "127.0.0.1",
    reset: false,
    environment: { ...cleanEnvironment(), AIW_LOG_LEVEL: "silent", ...options.env },
    brain,
    ...(LOCALSTACK === undefined ? {} : { startCloud }),
    ...(options.web === true ? { webRoot } : {}),
  });
  const admin = connect({ url: stack.adminUrl, max: 3, applicationName: "test-admin" });
  const clock = await installClock(admin);
  return {
    stack,
    url: stack.url,
    dataDir: folder.path,
    gitToken: gitOf(folder.path).token,
    repository: stack.git.createRepository("orders-service"),
    admin,
    script: {
      ...script,
      push: (topic, ...turns) => {
        scripted.add(topic);
        script.push(topic, ...turns);
      },
    },
    signIn: (name) => signIn(stack.url, name, stack.demoPassword),
    shift: clock.shift,
    stop: async () => {
      await admin.close();
      await stack.stop();
      folder.end();
    },
  };
};
