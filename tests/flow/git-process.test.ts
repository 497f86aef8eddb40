import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DEFAULT_LIMITS, type GitLimits } from "@aiw/connectors/git";
import { packFunction } from "@aiw/infra/bundle";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { TOKEN, resolve, sourceOf, startGitFixture, type GitFixture } from "./git-fixture.ts";

/** The process that fetches and unpacks, seen from outside. */
let fixture: GitFixture;
beforeAll(async () => void (fixture = await startGitFixture()));
afterAll(() => fixture.stop());
afterEach(() => void (fixture.server.switches.delayMs = 0));

const MB = 1024 * 1024;

/** Processes of this one that fetch: what stands in their command line and in their environment. */
const fetching = (): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, "latin1");
        const isOurs = new RegExp(`^PPid:\\s+${process.pid}$`, "m").test(read("status"));
        const command = read("cmdline");
        return isOurs && command.includes("fetch-child") ? [`${command}${read("environ")}`] : [];
      } catch {
        return [];
      }
    });
const none = () => expect.poll(fetching).toEqual([]);

let count = 0;
const setUp = (limits: Partial<GitLimits> = {}) => {
  count += 1;
  const repository = fixture.repository(`process-${count}`, { "a.txt": "a\n" });
  const source = sourceOf(repository);
  const pin = (signal = AbortSignal.timeout(20_000)) => fixture.connector(limits).pin(source, signal);
  const code = async () =>
    (await fixture.connector(limits).testConnection(source, AbortSignal.timeout(20_000))).stages.at(-1)?.code;
  return { pin, code };
};

test("one that takes too much memory is killed, and the next one works (N67)", async () => {
  fixture.server.switches.delayMs = 200;
  expect(await setUp({ maxChildBytes: 48 * MB }).code()).toBe("source_too_large");
  await none();
  expect(await setUp().pin()).toMatchObject({ ok: true });
  await none();
});

test("one that takes too long is killed (N67)", async () => {
  const { code } = setUp({ fetchMs: 300 });
  fixture.server.switches.delayMs = 400;
  expect(await code()).toBe("source_too_large");
  await none();
});

test("one whose caller gives up is killed at once (N67)", async () => {
  const { pin } = setUp();
  const cancel = new AbortController();
  fixture.server.switches.delayMs = 500;
  const pinning = pin(cancel.signal);
  await expect.poll(fetching, { timeout: 10_000, interval: 20 }).toHaveLength(1);
  cancel.abort();
  expect(await pinning).toMatchObject({ ok: false, text: expect.stringContaining("time was over") });
  await none();
});

test("the credentials stand neither in its command line nor in its environment, and it may write nothing (SRC-2, N67)", async () => {
  const { pin } = setUp();
  fixture.server.switches.delayMs = 500;
  const pinning = pin();
  await expect.poll(fetching, { timeout: 10_000, interval: 20 }).toHaveLength(1);
  const [seen = ""] = fetching();
  expect(seen).toContain("--permission");
  expect(seen).not.toContain(TOKEN);
  expect(seen).not.toContain("PATH=");
  expect(await pinning).toMatchObject({ ok: true });
});

test("bundled as it is deployed it fetches too (OPS-3, N67)", async () => {
  const repository = fixture.repository("bundled", { "a.txt": "a\n" });
  const directory = mkdtempSync(path.join(tmpdir(), "git-bundle-"));
  const packed = await packFunction("step", directory);
  const child = fork(path.join(packed.directory, "fetch-child.mjs"), [], {
    execArgv: ["--permission", "--allow-fs-read=*"],
    env: {},
    serialization: "advanced",
  });
  child.send({
    job: {
      kind: "snapshot",
      commit: resolve(repository.directory, "refs/heads/main"),
      branch: "refs/heads/main",
      base: null,
    },
    url: repository.url,
    authorization: `Bearer ${TOKEN}`,
    limits: DEFAULT_LIMITS,
    egress: { allowedHosts: [`127.0.0.1:${fixture.server.port}`], allowLocal: true },
  });
  const [answer] = await once(child, "message");
  child.kill("SIGKILL");
  rmSync(directory, { recursive: true });
  expect(answer).toMatchObject({ kind: "snapshot", bytes: expect.any(Uint8Array) });
});
