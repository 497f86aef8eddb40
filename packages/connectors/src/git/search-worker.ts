import { Worker } from "node:worker_threads";
import { z } from "zod";

/** Index of the file in the ranges, index of the line, both from 0. */
export type Hit = readonly [file: number, line: number];

export interface RegexSearch {
  /** Contents in shared memory. */
  readonly text: Buffer;
  /** Begin and end of each file in `text`. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly pattern: string;
  readonly flags: string;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type RegexOutcome =
  | { readonly ok: true; readonly hits: readonly Hit[] }
  | { readonly ok: false; readonly reason: "timeout" | "failed" };

/**
 * The loop that runs in the thread. It is text so that a bundle needs no second file; it sees nothing but its own data.
 */
const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const { memory, offset, length, ranges, pattern, flags, limit } = workerData;
const text = Buffer.from(memory, offset, length);
const expression = new RegExp(pattern, flags);
const hits = [];
search: for (let file = 0; file < ranges.length; file += 1) {
  const lines = text.toString("utf8", ranges[file][0], ranges[file][1]).split("\\n");
  if (lines[lines.length - 1] === "") lines.pop();
  for (let line = 0; line < lines.length; line += 1) {
    const subject = lines[line].endsWith("\\r") ? lines[line].slice(0, -1) : lines[line];
    if (!expression.test(subject)) continue;
    hits.push([file, line]);
    if (hits.length >= limit) break search;
  }
}
parentPort.postMessage(hits);
`;

const message = z.array(z.tuple([z.number(), z.number()]));

/** Runs a pattern of the model where it can be ended: a thread of its own, used once (DESIGN idea 7, M13). */
export const searchByRegex = (search: RegexSearch): Promise<RegexOutcome> => {
  const { text, ranges, pattern, flags, limit } = search;
  const worker = new Worker(PROGRAM, {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    workerData: {
      memory: text.buffer,
      offset: text.byteOffset,
      length: text.byteLength,
      ranges,
      pattern,
      flags,
      limit,
    },
  });
  return new Promise((resolve) => {
    const end = (outcome: RegexOutcome): void => {
      clearTimeout(timer);
      search.signal.removeEventListener("abort", onAbort);
      worker.terminate().catch(() => undefined);
      resolve(outcome);
    };
    const onAbort = (): void => end({ ok: false, reason: "timeout" });
    const timer = setTimeout(onAbort, search.timeoutMs);
    search.signal.addEventListener("abort", onAbort, { once: true });
    if (search.signal.aborted) onAbort();
    worker.once("message", (value: unknown) => {
      const hits = message.safeParse(value);
      end(hits.success ? { ok: true, hits: hits.data } : { ok: false, reason: "failed" });
    });
    worker.once("error", () => end({ ok: false, reason: "failed" }));
    worker.once("exit", () => end({ ok: false, reason: "failed" }));
  });
};
