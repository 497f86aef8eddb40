import { createQueue, type Queue, type ReceivedMessage } from "@aiw/platform/queue";
import type { Log } from "@aiw/platform/log";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";

/** A function and the queue that triggers it, as the cloud would wire them (OPS-3). */
export interface Trigger {
  readonly name: string;
  readonly queueUrl: string;
  readonly endpoint: string;
  readonly region: string;
  readonly visibilityS: number;
  /** Invocations at the same time at most; each gets one message (batch size 1). */
  readonly concurrency: number;
  readonly handler: (event: SQSEvent) => Promise<SQSBatchResponse>;
}

export interface Runner {
  /** Takes no new messages and waits for the invocations under way. */
  stop(): Promise<void>;
}

/** Seconds of one long poll; also how long `stop` may wait for a poll, which must not be cut (it would lose a message). */
const POLL_S = 1;

/**
 * Feeds the very handlers that are deployed from a real queue: one message an invocation, the message removed only when the
 * handler does not report it as failed, hidden for the visibility time meanwhile, back in the queue when the process dies.
 */
export const run = (trigger: Trigger, log: Log): Runner => {
  const queue = createQueue({ region: trigger.region, url: trigger.queueUrl, endpoint: trigger.endpoint });
  const busy = new Set<Promise<void>>();
  let stopping = false;

  const loop = async (): Promise<void> => {
    while (!stopping) {
      const free = trigger.concurrency - busy.size;
      if (free <= 0) {
        await Promise.race(busy);
        continue;
      }
      try {
        const messages = await queue.receive({
          max: Math.min(10, free),
          waitS: POLL_S,
          visibilityS: trigger.visibilityS,
        });
        for (const message of messages) {
          const invocation = invoke(trigger, queue, message, log).finally(() => busy.delete(invocation));
          busy.add(invocation);
        }
      } catch (error) {
        if (stopping) return;
        log.warn("a queue could not be read", { function: trigger.name, error });
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  };
  const running = loop();
  return {
    stop: async () => {
      stopping = true;
      await running;
      await Promise.all(busy);
      queue.close();
    },
  };
};

const invoke = async (trigger: Trigger, queue: Queue, message: ReceivedMessage, log: Log): Promise<void> => {
  try {
    const answer = await trigger.handler({ Records: [record(trigger, message)] });
    if (answer.batchItemFailures.length > 0) return;
    await queue.remove(message.receipt);
  } catch (error) {
    log.error("an invocation failed", { function: trigger.name, messageId: message.id, error });
  }
};

const record = (trigger: Trigger, message: ReceivedMessage): SQSRecord => ({
  messageId: message.id,
  receiptHandle: message.receipt,
  body: message.body,
  attributes: {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAtMs),
    SenderId: "local",
    ApproximateFirstReceiveTimestamp: String(message.sentAtMs),
  },
  messageAttributes: {},
  md5OfBody: "",
  eventSource: "aws:sqs",
  eventSourceARN: `arn:aws:sqs:${trigger.region}:000000000000:${new URL(trigger.queueUrl).pathname.split("/").at(-1) ?? ""}`,
  awsRegion: trigger.region,
});
