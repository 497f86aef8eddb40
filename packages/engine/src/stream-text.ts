import { fp } from "@aiw/platform/fault";
import type { Lease } from "./lease.ts";

/**
 * Collects the model's text and appends it as events: the first piece at once, then every `windowMs` (RUN-11). Appending
 * goes on beside the stream; the next window waits for the one before, so events stay in order.
 */
export const streamText = (
  lease: Lease,
  windowMs: number,
): { push(text: string): Promise<void>; end(): Promise<void> } => {
  // A value may be cut anywhere between two pieces: what could be its beginning is held back (APR-10).
  const passed = lease.mask.stream();
  let buffer = "";
  let first = true;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failure: Error | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (buffer === "") return;
    const text = buffer;
    buffer = "";
    writing = writing
      .then(() =>
        fp("event.append", () => lease.tell([{ type: "message.delta", data: { step: lease.run.step, text } }])),
      )
      .catch((error: unknown) => {
        failure ??= error instanceof Error ? error : new Error(String(error));
      });
  };
  return {
    push: async (text) => {
      if (failure !== undefined) throw failure;
      buffer += passed.push(text);
      if (first && buffer !== "") {
        first = false;
        flush();
        return;
      }
      timer ??= setTimeout(flush, windowMs);
    },
    end: async () => {
      buffer += passed.end();
      flush();
      await fp("event.flush", () => writing);
      if (failure !== undefined) throw failure;
    },
  };
};
