import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { compose as composeApi } from "@aiw/function-api/compose";
import { serveApi } from "@aiw/function-api/server";
import { connect, type Database } from "@aiw/platform/db";
import { createBucket, ensureBucket } from "@aiw/platform/bucket";
import { createEgress } from "@aiw/platform/egress";
import { loadEnv, type Env } from "@aiw/platform/env";
import { createLog } from "@aiw/platform/log";
import { migrate, provisionRoles, roleUrl } from "@aiw/platform/migrate";
import { createQueue, ensureQueues } from "@aiw/platform/queue";
import { createVault } from "@aiw/platform/vault";
import { grammarBrain, DEMO_MODEL } from "./demo-gateway/brain-grammar.ts";
import type { Brain } from "./demo-gateway/brain.ts";
import { startDemoGateway } from "./demo-gateway/server.ts";
import { seedDemoRepository } from "./demo-repository.ts";
import { demoUpload } from "./demo-upload.ts";
import { startEmulator, type Emulator } from "./emulator.ts";
import { ORDERS_SERVER_NAME, startOrdersServer, type OrdersServer } from "./mcp-server/server.ts";
import { startGitServer, type GitServer } from "./git-server.ts";
import { startPostgres } from "./postgres.ts";
import { DEMO_PEOPLE, registerVersion, seedDemo } from "./seed.ts";
import { hasState, readState, writeState, type LocalState } from "./state.ts";
import { startSupervisor } from "./supervisor.ts";

export interface StackOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly host: string;
  readonly reset: boolean;
  /** The caller's environment; the stack's own addresses are added. */
  readonly environment: Record<string, string | undefined>;
  readonly webRoot?: string;
  /** What answers instead of a real gateway; default is the grammar of the demo. */
  readonly brain?: Brain;
  /** SQS and S3 of something else than the emulator (OPS-2); it is stopped with the stack. */
  readonly startCloud?: () => Promise<Emulator>;
}

export interface Stack {
  readonly url: string;
  readonly logins: readonly { readonly name: string; readonly title: string }[];
  readonly demoPassword: string;
  readonly demoModel: boolean;
  readonly git: GitServer;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends the worker as a crash would; the supervisor starts another. */
  readonly killWorker: () => void;
  readonly adminUrl: string;
  /** Where the database lies when it could not lie in the data folder (its server may not enter it). */
  readonly databaseElsewhere: string | null;
  stop(): Promise<void>;
}

const DATABASE = "aiw";
const BUCKET = "aiw-local";

/**
 * The whole product on this machine (OPS-1): real Postgres, SQS and S3 by an emulator or LocalStack (OPS-2), a real Git server, the deployed
 * handlers fed from their queues by a process of their own, the API and web app on one port. Every part that was started is
 * stopped again when a later one fails.
 */
export const startStack = async (options: StackOptions): Promise<Stack> => {
  const cleanup: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of cleanup.splice(0).toReversed()) await end();
  };
  try {
    return await start(options, cleanup, stop);
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (
  options: StackOptions,
  cleanup: (() => Promise<void> | void)[],
  stop: () => Promise<void>,
): Promise<Stack> => {
  const dataDir = resolve(options.dataDir);
  const early = loadEnv(options.environment);
  requireGit();
  const isNew = !hasState(dataDir);
  const log = createLog({ level: early.AIW_LOG_LEVEL }).child({ process: "stack" });

  const postgres = await startPostgres({
    dataDir: join(dataDir, "postgres"),
    durable: true,
    reset: options.reset,
    // Somebody who deleted the data folder starts over, wherever the database had to be kept.
    resetElsewhere: isNew,
    log: (line) => log.debug(line),
  });
  cleanup.push(() => postgres.stop());
  // The database holds the folder from here on: nothing of an installation that runs is touched before.
  if (options.reset)
    for (const name of ["local.json", "objects", "git", "orders"])
      rmSync(join(dataDir, name), { recursive: true, force: true });
  if (isNew && !options.reset) await refuseSealedDatabase(postgres.url.bind(postgres), dataDir);
  const state = readState(dataDir);
  const cloud = await (options.startCloud ?? (() => startEmulator({ dataDir: join(dataDir, "objects") })))();
  cleanup.push(() => cloud.stop());
  const git = await startGit(dataDir, state);
  cleanup.push(() => git.stop());
  const repository = git.createRepository("orders-service");
  seedDemoRepository(repository.directory);
  const orders = await startOrders(dataDir);
  cleanup.push(() => orders.stop());

  const ownGateway = options.brain !== undefined || (options.environment["OPENAI_API_KEY"] ?? "") === "";
  const gateway = ownGateway
    ? await startDemoGateway({ apiKey: state.gatewayKey, brain: options.brain ?? grammarBrain({ chunkDelayMs: 12 }) })
    : null;
  if (gateway !== null) cleanup.push(() => gateway.stop());

  const adminUrl = await prepareDatabase(postgres.url.bind(postgres), state);
  const queues = await ensureQueues(cloud.endpoint, early.AWS_REGION, [
    { name: "aiw-steps", visibilityS: early.AIW_QUEUE_VISIBILITY_S },
    { name: "aiw-jobs", visibilityS: early.AIW_QUEUE_VISIBILITY_S },
    { name: "aiw-ingest", visibilityS: early.AIW_QUEUE_VISIBILITY_S },
  ]);
  await ensureBucket(cloud.endpoint, early.AWS_REGION, BUCKET);
  const port = await freePort(options.host, options.port);
  // An empty value counts as not set.
  const given = (name: string): string | undefined => options.environment[name] || undefined;
  const environment: Record<string, string | undefined> = {
    ...options.environment,
    AIW_DATABASE_ADMIN_URL: adminUrl,
    AIW_DATABASE_API_URL: roleUrl(adminUrl, "aiw_api", state.rolePasswords.api),
    AIW_DATABASE_STEP_URL: roleUrl(adminUrl, "aiw_step", state.rolePasswords.step),
    AIW_DATABASE_LISTEN_URL: roleUrl(adminUrl, "aiw_api", state.rolePasswords.api),
    AIW_SECRET_KEY: given("AIW_SECRET_KEY") ?? state.secretKey,
    AIW_SQS_ENDPOINT: cloud.endpoint,
    AWS_ENDPOINT_URL: cloud.endpoint,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AIW_STEP_QUEUE_URL: queues["aiw-steps"]?.url,
    AIW_JOBS_QUEUE_URL: queues["aiw-jobs"]?.url,
    AIW_INGEST_QUEUE_URL: queues["aiw-ingest"]?.url,
    AIW_BUCKET: BUCKET,
    AIW_HOST: options.host,
    AIW_PORT: String(port),
    AIW_DEMO_PASSWORD: given("AIW_DEMO_PASSWORD") ?? state.demoPassword,
    AIW_GIT_ALLOWED_HOSTS: [early.AIW_GIT_ALLOWED_HOSTS.join(","), `127.0.0.1:${git.port}`]
      .filter((part) => part !== "")
      .join(","),
    AIW_ALLOW_LOCAL: "true",
    AIW_MCP_ALLOWED_HOSTS: [early.AIW_MCP_ALLOWED_HOSTS.join(","), `127.0.0.1:${orders.port}`]
      .filter((part) => part !== "")
      .join(","),
    AIW_MCP_ALLOW_LOCAL: "true",
    ...(gateway === null
      ? {}
      : { OPENAI_API_KEY: state.gatewayKey, OPENAI_BASE_URL: gateway.url, AIW_MODEL: DEMO_MODEL }),
  };
  const env = loadEnv(environment, ["AIW_DEMO_PASSWORD"]);
  await prepareRecords(environment, env, state, { repository: repository.url, orders: orders.url });

  // The AWS clients of this process read their credentials from it.
  process.env["AWS_ACCESS_KEY_ID"] ??= "test";
  process.env["AWS_SECRET_ACCESS_KEY"] ??= "test";
  const worker = await startSupervisor(new URL("./worker.ts", import.meta.url), environment, log);
  cleanup.push(() => worker.stop());
  const api = composeApi(environment, {
    demoLogins: DEMO_PEOPLE.map(({ name, title }) => ({ name, role: title })),
    ...(options.webRoot === undefined ? {} : { webRoot: options.webRoot }),
  });
  cleanup.push(() => api.close());
  const served = await serveApi(api.deps, { port, host: options.host });
  cleanup.push(() => served.close());
  return {
    url: served.url,
    logins: DEMO_PEOPLE.map(({ name, title }) => ({ name, title })),
    demoPassword: env.AIW_DEMO_PASSWORD,
    demoModel: gateway !== null,
    git,
    environment,
    killWorker: worker.kill,
    adminUrl,
    databaseElsewhere: postgres.dataDir === join(dataDir, "postgres") ? null : postgres.dataDir,
    stop,
  };
};

/** The demo repository is made by git itself; said before anything is made. */
const requireGit = (): void => {
  if (spawnSync("git", ["--version"]).status !== 0)
    throw new Error("git is needed and was not found in PATH; please install it");
};

/** The port of the demo Git server is part of a stored source: kept, unless somebody else took it. */
const startGit = async (dataDir: string, state: LocalState): Promise<GitServer> => {
  const open = (port: number) =>
    startGitServer({ root: join(dataDir, "git"), port, users: [{ name: "aiw", token: state.gitToken }] });
  const server = await open(state.gitPort).catch(() => open(0));
  if (server.port !== state.gitPort) writeState(dataDir, { ...state, gitPort: server.port });
  return server;
};

/** One look at a database, with a connection of its own. */
const look = async <T>(url: string, ask: (db: Database) => Promise<T>): Promise<T> => {
  const db = connect({ url, max: 1, applicationName: "aiw-start" });
  try {
    return await ask(db);
  } finally {
    await db.close();
  }
};

/** A database whose credentials were sealed with a key that is gone would start and then fail at every call. */
const refuseSealedDatabase = async (url: (name?: string) => string, dataDir: string): Promise<void> => {
  const made = await look(url(), (db) => db.sql`select 1 from pg_database where datname = ${DATABASE}`);
  if (made.length === 0) return;
  const sealed = await look(url(DATABASE), async (db) => {
    const tables = await db.sql`select 1 from information_schema.tables where table_name = 'sources'`;
    return tables.length === 0 ? [] : db.sql`select 1 from sources where secret is not null limit 1`;
  });
  if (sealed.length > 0)
    throw new Error(
      `${join(dataDir, "local.json")} with the keys of this database is missing; restore it, or start over with --reset`,
    );
};

/** The same for the demo's MCP server. The state is read anew: starting the Git server may have changed it. */
const startOrders = async (dataDir: string): Promise<OrdersServer> => {
  const state = readState(dataDir);
  const open = (port: number) =>
    startOrdersServer({ dataDir: join(dataDir, "orders"), port, token: state.ordersToken });
  const server = await open(state.ordersPort).catch(() => open(0));
  if (server.port !== state.ordersPort) writeState(dataDir, { ...state, ordersPort: server.port });
  return server;
};

const prepareDatabase = async (url: (name?: string) => string, state: LocalState): Promise<string> => {
  const admin = connect({ url: url(), max: 1, applicationName: "aiw-start" });
  try {
    const [found] = await admin.sql`select 1 from pg_database where datname = ${DATABASE}`;
    if (found === undefined) await admin.sql.unsafe(`create database ${DATABASE}`);
  } finally {
    await admin.close();
  }
  const adminUrl = url(DATABASE);
  await migrate({ adminUrl });
  await provisionRoles(adminUrl, state.rolePasswords);
  return adminUrl;
};

const prepareRecords = async (
  environment: Record<string, string | undefined>,
  env: Env,
  state: LocalState,
  urls: { readonly repository: string; readonly orders: string },
): Promise<void> => {
  const log = createLog({ level: env.AIW_LOG_LEVEL }).child({ process: "seed" });
  const admin = connect({ url: environment["AIW_DATABASE_ADMIN_URL"] ?? "", max: 2, applicationName: "aiw-seed" });
  const api = connect({ url: environment["AIW_DATABASE_API_URL"] ?? "", max: 2, applicationName: "aiw-seed" });
  const at = (name: string) =>
    createQueue({
      region: env.AWS_REGION,
      url: environment[name] ?? "",
      endpoint: environment["AIW_SQS_ENDPOINT"] ?? "",
    });
  const [jobs, ingest] = [at("AIW_JOBS_QUEUE_URL"), at("AIW_INGEST_QUEUE_URL")];
  const bucket = createBucket({
    region: env.AWS_REGION,
    bucket: BUCKET,
    endpoint: environment["AWS_ENDPOINT_URL"] ?? "",
  });
  try {
    await registerVersion(admin, log, env.AIW_MODEL);
    // The demo's servers may have other ports than at the last start.
    await admin.sql`update sources set config = jsonb_set(config, '{url}', to_jsonb(${urls.repository}::text))
      where config ->> 'url' like 'http://127.0.0.1:%/orders-service.git' and config ->> 'url' <> ${urls.repository}`;
    await admin.sql`update mcp_servers set url = ${urls.orders}
      where name = ${ORDERS_SERVER_NAME} and url like 'http://127.0.0.1:%/mcp' and url <> ${urls.orders}`;
    await seedDemo({
      admin,
      api,
      log,
      vault: createVault(environment["AIW_SECRET_KEY"] ?? ""),
      egress: createEgress({ allowedHosts: env.AIW_GIT_ALLOWED_HOSTS, allowLocal: env.AIW_ALLOW_LOCAL }),
      mcpEgress: createEgress({ allowedHosts: env.AIW_MCP_ALLOWED_HOSTS, allowLocal: env.AIW_MCP_ALLOW_LOCAL }),
      repositoryUrl: urls.repository,
      gitToken: state.gitToken,
      orders: { name: ORDERS_SERVER_NAME, url: urls.orders, token: state.ordersToken },
      approvalTtlS: env.AIW_APPROVAL_TTL_S,
      maxToolRounds: env.AIW_MAX_TOOL_ROUNDS,
      teamMaxParallelRuns: env.AIW_TEAM_MAX_PARALLEL_RUNS,
      ringJob: (jobId) => jobs.send({ v: 1, jobId }),
      upload: {
        ...demoUpload(),
        maxFileBytes: env.AIW_UPLOAD_MAX_BYTES,
        quotaBytes: env.AIW_UPLOAD_QUOTA_BYTES,
        put: bucket.put,
        ring: (jobId) => ingest.send({ v: 1, jobId }),
      },
    });
  } finally {
    jobs.close();
    ingest.close();
    bucket.close();
    await Promise.all([admin.close(), api.close()]);
  }
};

/** The wanted port, or the next free one after it; 0 stays "any" (OPS-1). */
const freePort = async (host: string, wanted: number): Promise<number> => {
  for (let port = wanted; port < wanted + 50; port += 1) {
    const got = await probe(host, port);
    if (typeof got === "number") return got;
    if (got !== "EADDRINUSE" && got !== "EACCES")
      throw new Error(`the address ${host} cannot be listened on (${got}); set AIW_HOST to one of this machine`);
    if (wanted === 0) break;
  }
  throw new Error(`no free port from ${wanted} on; set AIW_PORT to another one, or to 0 for any`);
};

/** The port that could be opened, or the code of what kept it from it. */
const probe = (host: string, port: number): Promise<number | string> =>
  new Promise((done) => {
    const server = createServer();
    server.once("error", (error) => done("code" in error ? String(error.code) : error.message));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address !== null ? address.port : "no port"));
    });
  });
