import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { type ServerUser, reachableDataDir, serverBinaries, serverUser } from "./postgres-files.ts";
import { endProcess, freeDataDir, writeOwner } from "./postgres-lock.ts";

const run = promisify(execFile);
const SUPERUSER = "postgres";
const HOST = "127.0.0.1";
const READY_LIMIT_MS = 60_000;
const ENVIRONMENT = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" };

export interface LocalPostgresOptions {
  /** Where the data lies; made when missing. Its folder must be open (mode 711 or wider) for an unprivileged user when this runs as root. */
  readonly dataDir: string;
  /** A fixed port; without it a free one is taken. */
  readonly port?: number;
  /** false: no fsync, for tests whose data nobody needs after a crash of the machine. */
  readonly durable: boolean;
  /** true: existing data is deleted first. */
  readonly reset?: boolean;
  /** true: data that lies elsewhere than wanted is deleted first; for an installation whose own folder is new. */
  readonly resetElsewhere?: boolean;
  /** One line of the server or of the launcher; never holds a password or a statement. */
  readonly log?: (line: string) => void;
}

export interface LocalPostgres {
  /** Connection string of the superuser for `database` (default `postgres`). A secret: never log it. */
  url(database?: string): string;
  readonly adminUrl: string;
  readonly port: number;
  /** Where the data really lies: under the temporary folder when the wanted place was closed to the server's user. */
  readonly dataDir: string;
  readonly pid: number;
  /** Fast shutdown; resolves when the server is gone. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts a real Postgres on 127.0.0.1, reachable with a password only (OPS-1). It ends with `stop()`, and also whenever
 * this process ends, however it ends. As root the server runs as an unprivileged user.
 * Rejects with an Error whose message is a sentence: port taken, folder in use by a living process, damaged data.
 */
export async function startPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  const log = options.log ?? (() => {});
  const wanted = resolve(options.dataDir);
  const user = await serverUser(wanted);
  const dataDir = await reachableDataDir(wanted, user);
  if (dataDir !== wanted) log(`The database user cannot enter ${dirname(wanted)}; the data lies in ${dataDir}.`);
  const binDir = await serverBinaries(user);

  await freeDataDir(dataDir);
  const reset = options.reset === true || (options.resetElsewhere === true && dataDir !== wanted);
  if (reset && (await exists(join(dataDir, "PG_VERSION")))) await rm(dataDir, { recursive: true });
  const password = await preparedPassword({ dataDir, binDir, user, durable: options.durable });
  await writeOwner(dataDir);

  const { child, port } = await launchUntilReady(
    { dataDir, binDir, user, durable: options.durable, log },
    options.port,
  );
  const pid = child.pid ?? 0;
  const guard = guardAgainstOrphan(pid, user);
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  let stopping: Promise<void> | undefined;
  child.once("exit", (code, signal) => {
    guard.kill("SIGKILL");
    if (stopping === undefined) log(`Postgres ended unexpectedly (${signal ?? `code ${code}`}).`);
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) await Promise.race([ended, endProcess(pid)]);
    await ended;
  };
  const url = (database = "postgres"): string => `postgres://${SUPERUSER}:${password}@${HOST}:${port}/${database}`;
  return { url, adminUrl: url(), port, dataDir, pid, stop: () => (stopping ??= stop()) };
}

interface Place {
  readonly dataDir: string;
  readonly binDir: string;
  readonly user: ServerUser;
  readonly durable: boolean;
}

/** Creates the data folder when there is none, and returns the superuser's password, kept beside it (mode 600). */
async function preparedPassword(place: Place): Promise<string> {
  const { dataDir, user } = place;
  const passwordFile = `${dataDir}.password`;
  if (await exists(join(dataDir, "PG_VERSION"))) {
    const kept = await readFile(passwordFile, "utf8").catch(() => undefined);
    if (kept === undefined)
      throw new Error(`The password file ${passwordFile} is missing; the data cannot be opened without it.`);
    return kept;
  }
  if (await exists(dataDir)) await rmdir(dataDir).catch(() => refuseForeign(dataDir));
  const password = randomBytes(24).toString("base64url");
  await writeFile(passwordFile, password, { mode: 0o600 });
  // Built aside and renamed, so that an interrupted first start leaves nothing half made.
  const fresh = `${dataDir}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  const handedOver = join(fresh, "..", `.initdb-${process.pid}`);
  await writeFile(handedOver, password, { mode: 0o600 });
  try {
    if (user.uid !== undefined) await Promise.all([fresh, handedOver].map((path) => chown(path, user.uid, user.gid)));
    await initialise(place, fresh, handedOver);
  } finally {
    await rm(handedOver, { force: true });
  }
  await rename(fresh, dataDir);
  return password;
}

function refuseForeign(dataDir: string): never {
  throw new Error(`The folder ${dataDir} holds something that is no database; choose another one or empty it.`);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function initialise(place: Place, folder: string, passwordFile: string): Promise<void> {
  const flags = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const access = [`--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256", "--no-instructions"];
  const sync = place.durable ? [] : ["--no-sync"];
  const spawnOptions = { ...place.user, cwd: "/", env: ENVIRONMENT };
  try {
    await run(join(place.binDir, "initdb"), ["-D", folder, ...flags, ...access, ...sync], spawnOptions);
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new Error(`The database in ${folder} could not be created: ${output}`);
  }
}

type Launch = Place & { readonly log: (line: string) => void };

async function launchUntilReady(launch: Launch, fixedPort?: number): Promise<{ child: ChildProcess; port: number }> {
  const giveUpAt = Date.now() + READY_LIMIT_MS;
  for (;;) {
    const port = fixedPort ?? (await freePort());
    const { child, failure } = await launchOnce(launch, port);
    if (failure === undefined) return { child, port };
    // Backends of a killed server need a moment to notice; a port found free may be gone when it is used.
    const passing =
      failure.includes("pre-existing shared memory block") || (fixedPort === undefined && portTaken(failure));
    if (!passing || Date.now() > giveUpAt) throw new Error(wording(failure, port, launch.dataDir));
    await delay(100);
  }
}

function portTaken(failure: string): boolean {
  return failure.includes("could not bind") || failure.includes("could not create any TCP/IP sockets");
}

function wording(failure: string, port: number, dataDir: string): string {
  if (portTaken(failure)) return `Port ${port} on ${HOST} is taken; Postgres cannot listen there.`;
  return `Postgres did not start on ${dataDir}: ${failure}`;
}

async function launchOnce(launch: Launch, port: number): Promise<{ child: ChildProcess; failure: string | undefined }> {
  const args = ["-D", launch.dataDir, "-p", String(port), ...settings(launch.durable)];
  // Detached: Ctrl-C in a terminal reaches this process only, which ends the server last.
  const child = spawn(join(launch.binDir, "postgres"), args, {
    ...launch.user,
    cwd: "/",
    env: ENVIRONMENT,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines: string[] = [];
  const failure = await new Promise<string | undefined>((done) => {
    const limit = setTimeout(() => {
      child.kill("SIGKILL");
      done(`it was not ready after ${READY_LIMIT_MS / 1000} seconds. ${lines.join(" ")}`);
    }, READY_LIMIT_MS);
    const settle = (outcome?: string): void => {
      clearTimeout(limit);
      done(outcome);
    };
    child.once("error", (error) => settle(error.message));
    child.once("close", (code, signal) => settle(`${lines.join(" ")} (${signal ?? `code ${code}`})`));
    if (child.stderr === null) return;
    createInterface({ input: child.stderr }).on("line", (line) => {
      launch.log(line);
      if (lines.push(line) > 20) lines.shift();
      if (line.includes("database system is ready to accept connections")) settle();
    });
  });
  unreference(child);
  return { child, failure };
}

/** Without this a program that forgot `stop()` would never end. */
function unreference(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stderr, child.stdin]) {
    if (stream !== null && "unref" in stream && typeof stream.unref === "function") stream.unref();
  }
}

function settings(durable: boolean): string[] {
  const always = [
    `listen_addresses=${HOST}`,
    "unix_socket_directories=",
    "max_connections=200",
    "timezone=UTC",
    "log_timezone=UTC",
    "lc_messages=C",
    // Statements may hold user data: a failed one is logged by its error alone.
    "log_min_error_statement=panic",
    "log_error_verbosity=terse",
  ];
  const careless = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
  return [...always, ...(durable ? [] : careless)].flatMap((setting) => ["-c", setting]);
}

/**
 * A shell that waits on a pipe of this process: the pipe breaks when this process ends, even by SIGKILL, and the server
 * is then shut down. It ignores Ctrl-C, because it must outlive this process.
 */
function guardAgainstOrphan(pid: number, user: ServerUser): ChildProcess {
  const script = `trap '' INT TERM HUP; while read -r line; do :; done; kill -INT ${pid}`;
  const guard = spawn("/bin/sh", ["-c", script], {
    ...user,
    cwd: "/",
    env: ENVIRONMENT,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.once("error", () => {});
  unreference(guard);
  return guard;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once("error", fail).listen(0, HOST, done));
  const address = server.address();
  await new Promise<void>((done) => server.close(() => done()));
  if (address === null || typeof address === "string") throw new Error("No free port was found.");
  return address.port;
}
