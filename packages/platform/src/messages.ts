import type { Log } from "./log.ts";

/** What is needed of a record of a queue's event. */
interface Delivered {
  readonly messageId: string;
  readonly body: string;
}

/**
 * Does the work of each message of an event, one after another. One that cannot be read, or whose row could not be reached, fails
 * alone and comes again; in the end it lies with the dead letters (RUN-20, F34). `log`: each line names its message.
 */
export const eachMessage = async <R extends Delivered>(
  records: readonly R[],
  log: Log,
  work: (body: unknown, record: R, log: Log) => Promise<void>,
): Promise<{ batchItemFailures: { itemIdentifier: string }[] }> => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of records) {
    const { messageId } = record;
    const own = log.child({ requestId: messageId });
    try {
      await work(parsed(record.body), record, own);
    } catch (error) {
      own.error("a message failed", { messageId, ...named(record.body), error });
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
};

/** The parser's own error would quote what anybody put into the queue (I8). */
const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error("the message is no JSON");
  }
};

/** The run or job a message names, for a line in the log, where it can be read. */
const named = (body: string): { runId?: string; jobId?: string } => {
  const [, kind, id] = /"(runId|jobId)":"([0-9a-f-]{36})"/.exec(body) ?? [];
  return kind === undefined || id === undefined ? {} : { [kind]: id };
};
