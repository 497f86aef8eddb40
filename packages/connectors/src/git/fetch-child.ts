import { createEgress } from "@aiw/platform/egress";
import { asGitFailure } from "./failure.ts";
import { runFetch } from "./fetch-job.ts";
import type { FetchAnswer, FetchOrder } from "./fetch-order.ts";

/**
 * The process that fetches and unpacks, used once: what a server sends may take all memory or never end, and here it can
 * be killed (N67). It may neither write files nor start anything, and makes its connections over a guard of its own.
 */
const answerTo = async (order: FetchOrder): Promise<FetchAnswer> => {
  try {
    return await runFetch(order, createEgress(order.egress));
  } catch (error) {
    // The parent, which knows the secrets, takes them out of the text.
    const { code, detail } = asGitFailure(error, (text) => text);
    return { kind: "failed", code, detail };
  }
};

process.once("message", (order: FetchOrder) => {
  void answerTo(order).then((answer) => process.send?.(answer, () => process.exit(0)));
});
process.once("disconnect", () => process.exit(1));
