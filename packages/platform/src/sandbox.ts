import { fork, type ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { SandboxMessage } from "./sandbox-child.ts";

/** Why a sandbox gave no answer: its time or memory was over, it died by itself, or the caller gave up. */
export type SandboxEnd = "time" | "memory" | "died" | "aborted";

/** Only the process that did the work has ended; whoever asked goes on (F13). */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly why: SandboxEnd;
  constructor(why: SandboxEnd) {
    super(`the sandbox ended: ${why}`);
    this.why = why;
  }
}

export interface SandboxOptions {
  /** The program that does the work, through `workOnce`; used once per process. */
  readonly program: URL;
  /** Folder the process works in. */
  readonly directory: string;
  /** Resident memory of the process in bytes above which it is killed, native code included. */
  readonly maxBytes: number;
}

export interface SandboxLimits {
  /** Milliseconds the process may work, counted from its order and anew after each question it asked. */
  readonly wallMs: number;
  readonly signal: AbortSignal;
}

/** Work that may hang, crash or take all memory, in a process of its own that can be killed at any moment (design idea 7). */
export interface Sandbox {
  /**
   * One order, one answer, one process. `answer` says what the process asks for on its way.
   * @throws SandboxError, or what `answer` throws
   */
  run(order: object, limits: SandboxLimits, answer?: (question: unknown) => Promise<object>): Promise<unknown>;
  /** Ends the process that waits for the next order. */
  close(): void;
}

/** Milliseconds between two looks at the memory of the process; native code can take a gigabyte in a second. */
const WATCH_MS = 40;
const MB = 1024 * 1024;
/** A heap of V8 beside what native code takes. */
const HEAP_SHARE = 0.75;

/** Milliseconds in which a process has to be ready for its order; on a busy machine that takes a while. */
const START_MS = 30_000;

interface Started {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
}

/** The next process is started while the present one works, so that nobody waits for its start. */
export const createSandbox = (options: SandboxOptions): Sandbox => {
  let spare: Started | null = null;
  let closed = false;
  const take = (): Started => {
    const isFit = spare !== null && spare.child.connected && spare.child.exitCode === null;
    const ready = isFit && spare !== null ? spare : start(options);
    spare = closed ? null : start(options);
    return ready;
  };
  return {
    run: async (order, limits, answer) => {
      if (limits.signal.aborted) throw new SandboxError("aborted");
      return work(take(), order, limits, options.maxBytes, answer);
    },
    close: () => {
      closed = true;
      spare?.child.kill("SIGKILL");
      spare = null;
    },
  };
};

const start = ({ program, directory, maxBytes }: SandboxOptions): Started => {
  const child = fork(program, [], {
    cwd: directory,
    execArgv: [`--max-old-space-size=${Math.ceil((maxBytes * HEAP_SHARE) / MB)}`],
    // Nothing of the parent's environment, so no credentials to be read; only where compiled libraries lie.
    env: process.env["NODE_PATH"] === undefined ? {} : { NODE_PATH: process.env["NODE_PATH"] },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // An idle process keeps nobody alive; one that died while idle is found dead when it is taken.
  child.on("error", () => undefined);
  const ready = new Promise<void>((resolve) => {
    child.once("message", () => resolve());
  });
  child.unref();
  child.channel?.unref();
  return { child, ready };
};

const work = (
  { child, ready }: Started,
  order: object,
  { wallMs, signal }: SandboxLimits,
  maxBytes: number,
  answer: ((question: unknown) => Promise<object>) | undefined,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let deadline: NodeJS.Timeout | undefined;
    const end = (finish: () => void): void => {
      clearTimeout(deadline);
      clearInterval(watch);
      signal.removeEventListener("abort", onAbort);
      child.removeAllListeners("message");
      child.kill("SIGKILL");
      finish();
    };
    const fail = (error: unknown): void => end(() => reject(error));
    const arm = (ms: number): void => {
      clearTimeout(deadline);
      deadline = setTimeout(() => fail(new SandboxError("time")), ms);
    };
    const onAbort = (): void => fail(new SandboxError("aborted"));
    const watch = setInterval(() => {
      void residentBytes(child.pid).then((bytes) => {
        if (bytes > maxBytes) fail(new SandboxError("memory"));
      });
    }, WATCH_MS);
    const reply = async (question: unknown): Promise<void> => {
      clearTimeout(deadline);
      if (answer === undefined) throw new SandboxError("died");
      const said = await answer(question);
      arm(wallMs);
      child.send({ kind: "answer", value: said }, ignoreFailure);
    };
    child.on("message", (message: SandboxMessage) => {
      if (message.kind === "done") end(() => resolve(message.value));
      else if (message.kind === "ask") void reply(message.value).catch(fail);
    });
    // V8 aborts a process that runs out of its heap.
    child.once("exit", (_code, killed) => fail(new SandboxError(killed === "SIGABRT" ? "memory" : "died")));
    signal.addEventListener("abort", onAbort, { once: true });
    arm(START_MS);
    child.ref();
    child.channel?.ref();
    // Its start is not the work's time.
    void ready.then(() => {
      if (!child.connected) return;
      arm(wallMs);
      child.send({ kind: "order", value: order }, ignoreFailure);
    });
  });

/** A process that died is told by its end, not by the failed sending. */
const ignoreFailure = (): void => undefined;

/** 0 where the system does not say. */
const residentBytes = async (pid: number | undefined): Promise<number> => {
  try {
    const status = await readFile(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? "0") * 1024;
  } catch {
    return 0;
  }
};
