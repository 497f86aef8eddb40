import { fork, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "@aiw/infra/local/emulator";
import { startPostgres, type LocalPostgres } from "@aiw/infra/local/postgres";
import { ensureBucket } from "@aiw/platform/bucket";
import { connect } from "@aiw/platform/db";
import { migrate, provisionRoles, roleUrl } from "@aiw/platform/migrate";
import { ensureQueues } from "@aiw/platform/queue";
import type { TestDatabase } from "../kit/postgres.ts";
import type { Stage } from "./stage.ts";

const REGION = "eu-central-1";
const WORKER = new URL("../../infra/local/worker.ts", import.meta.url);

/** A database server and a queue of its own, which can be broken without anybody else noticing. */
export interface Machine {
  readonly database: TestDatabase;
  /** As after a power cut: no time to say goodbye; then it starts again at the same place. */
  readonly crashPostgres: () => Promise<void>;
  /** All messages are lost. */
  readonly restartQueue: () => Promise<void>;
  readonly environment: (stage: Stage) => Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

export const startMachine = async (): Promise<Machine> => {
  const home = mkdtempSync(join(tmpdir(), "aiw-chaos-"));
  chmodSync(home, 0o711);
  // The defaults of a real server: what was committed is there after a crash.
  const options = { dataDir: join(home, "postgres"), durable: true };
  let postgres: LocalPostgres = await startPostgres(options);
  const { port } = postgres;
  const first = connect({ url: postgres.adminUrl, max: 1, applicationName: "test-start" });
  await first.sql`create database aiw`;
  await first.close();
  const adminUrl = postgres.url("aiw");
  const passwords = { api: secret(), step: secret(), retention: secret() };
  await migrate({ adminUrl });
  await provisionRoles(adminUrl, passwords);
  let emulator: Emulator = await startEmulator({ dataDir: join(home, "objects") });
  const queuePort = Number(new URL(emulator.endpoint).port);
  const queues = () =>
    ensureQueues(emulator.endpoint, REGION, [
      { name: "aiw-steps", visibilityS: 900 },
      { name: "aiw-jobs", visibilityS: 900 },
      { name: "aiw-ingest", visibilityS: 900 },
    ]);
  const urls = await queues();
  await ensureBucket(emulator.endpoint, REGION, "aiw-chaos");
  const database: TestDatabase = {
    adminUrl,
    apiUrl: roleUrl(adminUrl, "aiw_api", passwords.api),
    stepUrl: roleUrl(adminUrl, "aiw_step", passwords.step),
    retentionUrl: roleUrl(adminUrl, "aiw_retention", passwords.retention),
    drop: async () => undefined,
  };
  return {
    database,
    crashPostgres: async () => {
      process.kill(postgres.pid, "SIGQUIT");
      await postgres.stop().catch(() => undefined);
      postgres = await startPostgres({ ...options, port });
    },
    restartQueue: async () => {
      await emulator.stop();
      emulator = await startEmulator({ dataDir: join(home, "objects"), port: queuePort });
      await queues();
    },
    environment: (stage) => ({
      PATH: process.env["PATH"] ?? "",
      AIW_LOG_LEVEL: "silent",
      AIW_DATABASE_STEP_URL: database.stepUrl,
      AIW_STEP_QUEUE_URL: urls["aiw-steps"].url,
      AIW_JOBS_QUEUE_URL: urls["aiw-jobs"].url,
      AIW_INGEST_QUEUE_URL: urls["aiw-ingest"].url,
      AIW_SQS_ENDPOINT: emulator.endpoint,
      AWS_ENDPOINT_URL: emulator.endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AIW_BUCKET: "aiw-chaos",
      AIW_SECRET_KEY: stage.world.vaultKey,
      AIW_GIT_ALLOWED_HOSTS: `127.0.0.1:${stage.world.git.port}`,
      AIW_ALLOW_LOCAL: "true",
      AIW_MCP_ALLOWED_HOSTS: `127.0.0.1:${stage.ledger.port}`,
      AIW_MCP_ALLOW_LOCAL: "true",
      OPENAI_API_KEY: "sk-test-gateway-key",
      OPENAI_BASE_URL: stage.world.gateway.url,
      AIW_LEASE_S: String(LEASE_S),
      AIW_PUSH_S: "3",
      AIW_TOOL_CALL_S: "3",
      AIW_HEARTBEAT_S: "1",
      AIW_DOORBELL_GRACE_S: "2",
      AIW_STEP_ATTEMPTS: "100",
    }),
    stop: async () => {
      await emulator.stop();
      await postgres.stop();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

const secret = (): string => randomBytes(18).toString("base64url");

/** Seconds after which a run of a dead process is taken over. */
export const LEASE_S = 3;

/** Worker processes that are replaced whenever they end, as a platform of functions would. */
export class Crew {
  /** When one was killed, in milliseconds. */
  readonly killedAt: number[] = [];
  private readonly members = new Set<ChildProcess>();
  /** Those that have begun to work; a process that only starts has nothing to lose. */
  private readonly ready = new Set<ChildProcess>();
  private stopping = false;
  private readonly size: number;
  private readonly start: () => ChildProcess;

  /** `plan`: what a new member dies of by itself, at a point of its own. */
  constructor(size: number, environment: Readonly<Record<string, string>>, plan: () => string) {
    this.size = size;
    this.start = () =>
      fork(WORKER, {
        env: { ...environment, AIW_FAULTS: plan() },
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        execArgv: [],
      });
    for (let n = 0; n < size; n += 1) this.launch();
  }

  private launch(): void {
    const child = this.start();
    this.members.add(child);
    child.once("message", () => void this.ready.add(child));
    child.once("exit", (_code, signal) => {
      this.members.delete(child);
      this.ready.delete(child);
      if (this.stopping) return;
      if (signal === "SIGKILL") this.killedAt.push(Date.now());
      setTimeout(() => this.stopping || this.launch(), 100);
    });
  }

  /** Kills one that works, unless fewer than half do: what is replaced too fast proves nothing. False: nobody was killed. */
  kill(which: number): boolean {
    if (this.ready.size * 2 < this.size) return false;
    const one = [...this.ready][which % Math.max(1, this.ready.size)];
    if (one === undefined) return false;
    this.ready.delete(one);
    return one.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(
      [...this.members].map(
        (child) =>
          new Promise<void>((resolve) => {
            child.once("exit", () => resolve());
            child.kill("SIGKILL");
          }),
      ),
    );
  }
}
