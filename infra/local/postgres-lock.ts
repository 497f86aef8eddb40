import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Above every pid a system hands out, so that the server takes its own lock file for a leftover. */
const NO_PROCESS = 2 ** 30;

/**
 * Makes the data folder free for a new server (OPS-1): a server whose parent was killed is shut down, a leftover lock file
 * that names a foreign process is defused. Rejects with a sentence when a living parent still uses the folder.
 */
export async function freeDataDir(dataDir: string): Promise<void> {
  const lockFile = join(dataDir, "postmaster.pid");
  const lock = await readFile(lockFile, "utf8").catch(() => "");
  const pid = Number(lock.split("\n", 1)[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return;

  if (!(await isServerOf(pid, dataDir))) {
    // The other lines stay: by them the server notices orphaned backends that still hold its shared memory.
    await writeFile(lockFile, lock.replace(/^\d+/, String(NO_PROCESS)));
    return;
  }
  const parent = await readOwner(dataDir);
  if (parent !== undefined && isAlive(parent.pid) && (await startOf(parent.pid)) === parent.start) {
    throw new Error(`The database in ${dataDir} is in use by process ${parent.pid}. Stop that one first.`);
  }
  await endProcess(pid);
}

/** Notes that this process is the one that runs the server in `dataDir`. */
export async function writeOwner(dataDir: string): Promise<void> {
  const owner = { pid: process.pid, start: await startOf(process.pid) };
  await writeFile(ownerFile(dataDir), JSON.stringify(owner), { mode: 0o600 });
}

/** Fast shutdown (running transactions end, data is safe), then harder means; resolves when the process is gone. */
export async function endProcess(pid: number): Promise<void> {
  for (const [signal, waitMs] of [
    ["SIGINT", 15_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const) {
    if (!send(pid, signal)) return;
    for (const end = Date.now() + waitMs; Date.now() < end; await delay(20)) {
      if (!isAlive(pid)) return;
    }
  }
  throw new Error(`The Postgres process ${pid} does not end.`);
}

function ownerFile(dataDir: string): string {
  return `${dataDir}.owner`;
}

async function readOwner(dataDir: string): Promise<{ pid: number; start: string } | undefined> {
  try {
    const owner: unknown = JSON.parse(await readFile(ownerFile(dataDir), "utf8"));
    if (typeof owner !== "object" || owner === null || !("pid" in owner) || !("start" in owner)) return undefined;
    return { pid: Number(owner.pid), start: String(owner.start) };
  } catch {
    return undefined;
  }
}

/** Pids are reused; pid and start time together name one process. */
async function startOf(pid: number): Promise<string> {
  if (process.platform !== "linux") return (await ps(pid, "lstart=")).trim();
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return status.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

async function isServerOf(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform !== "linux") return (await ps(pid, "command=")).includes(`-D ${dataDir}`);
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const words = command.split("\0");
  return words.includes(dataDir) && (words[0] ?? "").endsWith("postgres");
}

async function ps(pid: number, column: string): Promise<string> {
  const answer = await run("ps", ["-o", column, "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return answer.stdout;
}

function isAlive(pid: number): boolean {
  return send(pid, 0);
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
