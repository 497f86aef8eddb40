import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { createSqsClient, type QueueOptions } from "./queue.ts";

/** A message that was delivered too often. */
export interface DeadLetter {
  readonly id: string;
  readonly body: string;
  readonly sentAtMs: number;
  /** How often it was delivered, looks at it included. */
  readonly receiveCount: number;
}

/** The dead letters of one queue, wherever its redrive policy puts them. */
export interface DeadLetters {
  /** The letters that can be seen now, oldest first, at most `max`. They stay where they are. */
  list(max: number): Promise<DeadLetter[]>;
  /**
   * Puts a letter back into its queue, or takes it away, after `before` was told of it. False: it is not there (any more).
   * A letter that is sent and not yet removed when the process dies is there twice, which changes nothing (F31).
   */
  settle(id: string, how: "redrive" | "remove", before: (letter: DeadLetter) => Promise<void>): Promise<boolean>;
  /** About how many there are. */
  count(): Promise<number>;
  close(): void;
}

/** Seconds a letter is hidden from others while it is looked at. */
const LOOK_S = 20;
/** Letters that are looked through for one of them. */
const MOST = 1000;
const BATCH = 10;

export const createDeadLetters = (options: QueueOptions): DeadLetters => {
  const client = options.client ?? createSqsClient(options.region, options.endpoint);
  const taken = async <T>(
    enough: (seen: readonly Message[]) => boolean,
    work: (at: string, seen: Message[]) => Promise<T>,
  ) => {
    const at = await addressOf(client, options.url);
    if (at === null) return null;
    const seen = new Map<string, Message>();
    try {
      for (;;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: at,
            MaxNumberOfMessages: BATCH,
            WaitTimeSeconds: 0,
            VisibilityTimeout: LOOK_S,
            MessageSystemAttributeNames: ["ApproximateReceiveCount", "SentTimestamp"],
          }),
        );
        for (const message of Messages) seen.set(message.MessageId ?? "", message);
        if (Messages.length === 0 || enough([...seen.values()])) break;
      }
      return await work(at, [...seen.values()]);
    } finally {
      await release(client, at, [...seen.values()]);
    }
  };
  let known: string | null | undefined;
  return {
    count: async () => {
      known ??= await addressOf(client, options.url);
      if (known === null) return 0;
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: known, AttributeNames: ["ApproximateNumberOfMessages"] }),
      );
      return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
    },
    list: async (max) => {
      const letters = await taken(
        (seen) => seen.length >= max,
        async (_at, seen) => seen.map(letterOf),
      );
      return (letters ?? []).toSorted((a, b) => a.sentAtMs - b.sentAtMs).slice(0, max);
    },
    settle: async (id, how, before) => {
      const done = await taken(
        (seen) => seen.length >= MOST || seen.some((m) => m.MessageId === id),
        async (at, seen) => {
          const message = seen.find((m) => m.MessageId === id);
          if (message === undefined) return false;
          await before(letterOf(message));
          if (how === "redrive")
            await client.send(new SendMessageCommand({ QueueUrl: options.url, MessageBody: message.Body ?? "" }));
          await client.send(new DeleteMessageCommand({ QueueUrl: at, ReceiptHandle: message.ReceiptHandle }));
          return true;
        },
      );
      return done ?? false;
    },
    close: () => client.destroy(),
  };
};

const letterOf = (message: Message): DeadLetter => ({
  id: message.MessageId ?? "",
  body: message.Body ?? "",
  sentAtMs: Number(message.Attributes?.SentTimestamp ?? 0),
  receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 0),
});

/** What was looked at is there for others again at once; a receipt that is void by now is none of our business. */
const release = async (client: SQSClient, at: string, messages: readonly Message[]): Promise<void> => {
  for (let from = 0; from < messages.length; from += BATCH) {
    const Entries = messages.slice(from, from + BATCH).map((message, index) => ({
      Id: String(index),
      ReceiptHandle: message.ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: at, Entries })).catch(() => undefined);
  }
};

/** The address of the queue that the redrive policy names; null when there is none. */
const addressOf = async (client: SQSClient, url: string): Promise<string | null> => {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["RedrivePolicy"] }),
  );
  const policy: unknown = JSON.parse(Attributes?.RedrivePolicy ?? "null");
  if (typeof policy !== "object" || policy === null || !("deadLetterTargetArn" in policy)) return null;
  const name = String(policy.deadLetterTargetArn).split(":").at(-1) ?? "";
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
  return QueueUrl ?? null;
};
