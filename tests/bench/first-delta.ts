import { demoWorkspace, newChat, runEnds, say } from "../kit/people.ts";
import { dataFolder, startLocal, startProduct } from "../kit/stack.ts";

export interface Start {
  /** Seconds to the line `ready` with everything installed: median of the later starts, and the one that makes the data. */
  readonly medianS: number;
  readonly firstS: number;
  readonly starts: number;
}

/** How long the whole local stack takes to be ready, each time as a process of its own. */
export const measureStart = async (starts: number): Promise<Start> => {
  const folder = dataFolder();
  const seconds: number[] = [];
  try {
    for (let n = 0; n <= starts; n += 1) {
      const product = await startProduct({ dataDir: folder.path });
      seconds.push(product.readyMs / 1000);
      await product.stop();
    }
  } finally {
    folder.end();
  }
  const [firstS = Number.NaN, ...later] = seconds;
  return { firstS, medianS: quantile(later, 0.5), starts };
};

export interface FirstDelta {
  /** Milliseconds from the accepted message (its answer 202) to the first text on the stream. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly samples: number;
}

/** Accepted message to first text over the whole real stack: API, queue, step, model over HTTP, database, stream. */
export const measureFirstDelta = async (samples: number): Promise<FirstDelta> => {
  const local = await startLocal({ chunkDelayMs: 0 });
  try {
    const member = await local.signIn("member");
    const workspaceId = await demoWorkspace(member);
    const waits: number[] = [];
    for (let n = -5; n < samples; n += 1) {
      const chatId = await newChat(member, workspaceId);
      const runId = await say(member, workspaceId, chatId, "help");
      const accepted = performance.now();
      await member.events(runId, { leaveAt: "message.delta" });
      // The first few warm up.
      if (n >= 0) waits.push(performance.now() - accepted);
      await runEnds(member, runId);
    }
    return { p50Ms: quantile(waits, 0.5), p95Ms: quantile(waits, 0.95), samples };
  } finally {
    await local.stop();
  }
};

const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
};
