import { fork, type ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fp } from "@aiw/platform/fault";
import { GitFailure } from "./failure.ts";
import { fetchAnswer, type FetchAnswer, type FetchJob, type FetchOrder } from "./fetch-order.ts";
import type { Remote } from "./remote.ts";

const MB = 1024 * 1024;
/** Time between two looks at the memory of the process, in milliseconds. */
const WATCH_MS = 100;

const SOURCE = new URL("./fetch-child.ts", import.meta.url);
/** The process's program; a bundle has it beside itself as `fetch-child.mjs`. */
const PROGRAM = import.meta.url.endsWith(".ts") ? SOURCE : new URL(SOURCE.href.replace(/\.ts$/, ".mjs"));

/** Variables the process gets: certificates the operator trusts, and nothing else. */
const PASSED_ON = ["NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/** Fetches a commit and makes its stored snapshot, in a process of its own (N67). @throws GitFailure */
export const fetchSnapshot = async (remote: Remote, commit: string, branch: string): Promise<Uint8Array> => {
  const answer = await ask(remote, { kind: "snapshot", commit, branch, base: null });
  if (answer.kind !== "snapshot") throw unread();
  return answer.bytes;
};

/** The same for a commit that must have `base` among its ancestors; null when it has not. */
export const fetchSnapshotAbove = async (
  remote: Remote,
  commit: string,
  branch: string,
  base: string,
): Promise<Uint8Array | null> => {
  const answer = await ask(remote, { kind: "snapshot", commit, branch, base });
  return answer.kind === "snapshot" ? answer.bytes : null;
};

/** Whether `base` is an ancestor of `head` (GIT-8). @throws GitFailure */
export const contains = async (remote: Remote, head: string, base: string): Promise<boolean> => {
  const answer = await ask(remote, { kind: "contains", head, base });
  return answer.kind === "contains" && answer.contained;
};

const ask = (remote: Remote, job: FetchJob): Promise<Asked> => fp("git.fetch", () => run(remote, job));

type Asked = Exclude<FetchAnswer, { kind: "failed" }>;

/** One process, one answer: killed when the caller gives up, or at its limits of time and memory. */
const run = async (remote: Remote, job: FetchJob): Promise<Asked> => {
  if (remote.signal.aborted) throw givenUp(remote);
  const child = start(remote, job);
  try {
    const answer = await Promise.race([answerOf(child), limitOf(child, remote)]);
    if (answer.kind !== "failed") return answer;
    throw new GitFailure(answer.code, remote.clean(answer.detail));
  } finally {
    child.kill("SIGKILL");
  }
};

const start = ({ url, authorization, ca, limits, egressSettings }: Remote, job: FetchJob): ChildProcess => {
  const { allowedHosts, allowLocal } = egressSettings;
  const egress = { allowedHosts: [...allowedHosts], allowLocal };
  const order: FetchOrder = { job, url: url.href, authorization, ca, limits, egress };
  const heapMb = Math.ceil(limits.maxChildBytes / MB);
  const child = fork(PROGRAM, [], {
    execArgv: ["--permission", "--allow-fs-read=*", `--max-old-space-size=${heapMb}`],
    env: Object.fromEntries(PASSED_ON.flatMap((name) => entryOf(name, process.env[name]))),
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // A process that died at once is told by its end, not by the failed sending.
  child.send(order, () => undefined);
  return child;
};

const entryOf = (name: string, value: string | undefined): [string, string][] =>
  value === undefined ? [] : [[name, value]];

const answerOf = (child: ChildProcess): Promise<FetchAnswer> =>
  new Promise((resolve, reject) => {
    child.once("message", (message) => {
      const answer = fetchAnswer.safeParse(message);
      if (answer.success) resolve(answer.data);
      else reject(unread());
    });
    child.once("error", (cause) => reject(unread(cause)));
    child.once("exit", (_code, signal) => {
      // V8 ends a process that runs out of its heap by aborting it.
      reject(signal === "SIGABRT" || signal === "SIGKILL" ? tooLarge("the memory there is") : unread());
    });
  });

/** Never fulfils: rejects when a limit is reached, and stops looking when the process has ended. */
const limitOf = (child: ChildProcess, remote: Remote): Promise<never> =>
  new Promise((_resolve, reject) => {
    const { limits, signal } = remote;
    const onAbort = (): void => reject(givenUp(remote));
    const deadline = setTimeout(() => {
      const detail = `The repository was not fetched and unpacked within ${limits.fetchMs / 1000} s.`;
      reject(new GitFailure("source_too_large", detail));
    }, limits.fetchMs);
    const watch = setInterval(() => {
      void residentBytes(child.pid).then((bytes) => {
        if (bytes > limits.maxChildBytes) reject(tooLarge(`${Math.ceil(limits.maxChildBytes / MB)} MB of memory`));
      });
    }, WATCH_MS);
    signal.addEventListener("abort", onAbort, { once: true });
    child.once("exit", () => {
      clearTimeout(deadline);
      clearInterval(watch);
      signal.removeEventListener("abort", onAbort);
    });
  });

/** 0 where the system does not say. */
const residentBytes = async (pid: number | undefined): Promise<number> => {
  try {
    const status = await readFile(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? "0") * 1024;
  } catch {
    return 0;
  }
};

const givenUp = ({ url }: Remote): GitFailure =>
  new GitFailure("source_unreachable", `${url.host} was given up because the time was over.`);

const tooLarge = (what: string): GitFailure =>
  new GitFailure("source_too_large", `The repository needs more than ${what} to be unpacked.`);

const unread = (cause?: unknown): GitFailure =>
  new GitFailure("source_protocol", "What the server sent could not be read.", { cause });
