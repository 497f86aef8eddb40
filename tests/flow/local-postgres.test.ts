import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type LocalPostgres, startPostgres } from "@aiw/infra/local/postgres";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

let home: string;
const running: LocalPostgres[] = [];

async function start(
  name: string,
  options: { port?: number; reset?: boolean; durable?: boolean } = {},
): Promise<LocalPostgres> {
  const server = await startPostgres({ dataDir: join(home, name), durable: false, ...options });
  running.push(server);
  return server;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end();
  }
}

/** Resolves when no process has this id any more; the test's own limit ends the wait. */
async function gone(pid: number): Promise<void> {
  while (await stat(`/proc/${pid}`).catch(() => undefined)) await new Promise((next) => setImmediate(next));
}

/** A parent of its own that starts the server and then only waits. */
async function parentProcess(name: string): Promise<{ kill: () => Promise<void>; serverPid: number }> {
  const module = new URL("../../infra/local/postgres.ts", import.meta.url).href;
  const source = `
    import { startPostgres } from ${JSON.stringify(module)};
    const server = await startPostgres({ dataDir: ${JSON.stringify(join(home, name))}, durable: false });
    console.log(server.pid);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const kill = async (): Promise<void> => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return { kill, serverPid: Number(line) };
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "aiw-local-postgres-"));
  await chmod(home, 0o711);
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

describe("the local Postgres (OPS-1)", () => {
  test("opens with the generated password only, which lies in a file of its owner", async () => {
    const server = await start("access");
    expect(await query(server.url(), "select 1 as one")).toEqual([{ one: 1 }]);
    expect(await query(server.url(), "show server_version_num")).toMatchObject([{ server_version_num: /^18/ }]);

    const wrong = new URL(server.url());
    wrong.password = "wrong";
    await expect(query(wrong.href, "select 1")).rejects.toMatchObject({ code: "28P01" });
    const file = await stat(`${server.dataDir}.password`);
    expect(file.mode & 0o777).toBe(0o600);
    if (process.getuid?.() === 0) expect((await stat(server.dataDir)).uid).not.toBe(0);
  });

  test("keeps committed rows over a kill -9 of the server and a restart", async () => {
    const first = await start("killed", { durable: true });
    await query(first.url(), "create table kept as select 7 as n");
    process.kill(first.pid, "SIGKILL");
    await first.stop();
    const second = await start("killed", { durable: true });
    expect(await query(second.url(), "select n from kept")).toEqual([{ n: 7 }]);
  });

  test("leaves no server behind when its parent is killed, and the next start finds the data", async () => {
    const parent = await parentProcess("orphan");
    await parent.kill();
    const next = await start("orphan");
    expect(next.pid).not.toBe(parent.serverPid);
    await gone(parent.serverPid);
    expect(await query(next.url(), "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("refuses a folder that a living process uses, and leaves that server alone", async () => {
    const parent = await parentProcess("busy");
    try {
      await expect(start("busy")).rejects.toThrow(/is in use by process \d+\. Stop that one first\./);
      expect(await stat(`/proc/${parent.serverPid}`)).toBeDefined();
    } finally {
      await parent.kill();
    }
    await gone(parent.serverPid);
  });

  test("starts over a leftover lock file that names a foreign living process, and does not touch that process", async () => {
    const first = await start("stale");
    const lock = await readFile(join(first.dataDir, "postmaster.pid"), "utf8");
    await first.stop();
    await writeFile(join(first.dataDir, "postmaster.pid"), lock.replace(/^\d+/, String(process.pid)));
    const second = await start("stale");
    expect(await query(second.url(), "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("says which port is taken", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const address = blocker.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      await expect(start("port", { port })).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken`);
    } finally {
      blocker.close();
    }
  });

  test("never deletes a folder that holds something else, even when told to start over", async () => {
    const file = join(home, "photo.txt");
    await writeFile(file, "mine");
    await expect(startPostgres({ dataDir: home, durable: false, reset: true })).rejects.toThrow(
      "holds something that is no database",
    );
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  test("starts over with an empty database when told to", async () => {
    const first = await start("reset");
    await query(first.url(), "create table old as select 1 as n");
    await first.stop();
    const second = await start("reset", { reset: true });
    expect(await query(second.url(), "select to_regclass('old') is null as gone")).toEqual([{ gone: true }]);
  });

  test("stop ends the process and may be called twice", async () => {
    const server = await start("stop");
    await Promise.all([server.stop(), server.stop()]);
    expect(await stat(`/proc/${server.pid}`).catch(() => "gone")).toBe("gone");
  });
});
