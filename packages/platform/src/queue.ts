import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
  SQSServiceException,
} from "@aws-sdk/client-sqs";
import { fp } from "./fault.ts";

export type QueueOptions = {
  /** Only for an emulator; the cloud's own address otherwise. */
  endpoint?: string;
  region: string;
  url: string;
  /** A client to share between queues; default is one of its own. */
  client?: SQSClient;
};

/** delayS: 0 to 900 seconds until the message can be received. group: whose turn it is, for fair delivery. */
export type SendOptions = { delayS?: number; group?: string };

export type ReceivedMessage = {
  id: string;
  body: string;
  /** Needed to remove or extend this delivery. */
  receipt: string;
  /** How often it was delivered, this time included. */
  receiveCount: number;
  sentAtMs: number;
};

export type Queue = {
  readonly url: string;
  /** @throws RangeError for a delay outside 0..900 or more than 256 KB, or the service's error after 2 attempts */
  send(body: object, options?: SendOptions): Promise<void>;
  /** Sends all in batches of 10; returns the positions that were not accepted. Throws only when nothing can be sent. */
  sendMany(messages: readonly ({ body: object } & SendOptions)[]): Promise<number[]>;
  /** Up to `max` (1 to 10) messages; waits up to `waitS` (0 to 20) seconds for the first. */
  receive(options: { max: number; waitS: number; visibilityS: number }): Promise<ReceivedMessage[]>;
  remove(receipt: string): Promise<void>;
  /** Hides the delivery for `visibilityS` more seconds, counted from now. */
  extend(receipt: string, visibilityS: number): Promise<void>;
  /** Approximate numbers of messages. */
  depth(): Promise<{ ready: number; inFlight: number; delayed: number }>;
  close(): void;
};

const MAX_DELAY_S = 900;
/** What every queue takes, whatever its own limit; messages are doorbells and far below it. */
const MAX_MESSAGE_BYTES = 256 * 1024;
const MAX_GROUP_LENGTH = 128;
const BATCH = 10;
/** Longer than the longest poll. */
const REQUEST_LIMIT_MS = 25_000;

/** A queue by its address. Messages are JSON objects; connections are kept open between calls. */
export function createQueue(options: QueueOptions): Queue {
  const client = options.client ?? createSqsClient(options.region, options.endpoint);
  const QueueUrl = options.url;
  return {
    url: QueueUrl,
    send: async (body, how) => {
      await fp("sqs.send", () => client.send(new SendMessageCommand({ QueueUrl, ...entry(body, how) })));
    },
    sendMany: async (messages) => {
      const entries = messages.map((message, index) => ({ Id: String(index), ...entry(message.body, message) }));
      const failed: number[] = [];
      for (let from = 0; from < entries.length; from += BATCH) {
        const Entries = entries.slice(from, from + BATCH);
        const result = await fp("sqs.send_many", () => client.send(new SendMessageBatchCommand({ QueueUrl, Entries })));
        failed.push(...(result.Failed ?? []).map((item) => Number(item.Id)));
      }
      return failed;
    },
    receive: async ({ max, waitS, visibilityS }) => {
      const result = await fp("sqs.poll", () =>
        client.send(
          new ReceiveMessageCommand({
            QueueUrl,
            MaxNumberOfMessages: max,
            WaitTimeSeconds: waitS,
            VisibilityTimeout: visibilityS,
            MessageSystemAttributeNames: ["ApproximateReceiveCount", "SentTimestamp"],
          }),
        ),
      );
      return (result.Messages ?? []).map((message) => ({
        id: message.MessageId ?? "",
        body: message.Body ?? "",
        receipt: message.ReceiptHandle ?? "",
        receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 1),
        sentAtMs: Number(message.Attributes?.SentTimestamp ?? 0),
      }));
    },
    remove: async (receipt) => {
      await fp("sqs.delete", () => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt })));
    },
    extend: async (receipt, visibilityS) => {
      await fp("sqs.extend", () =>
        client.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: receipt, VisibilityTimeout: visibilityS }),
        ),
      );
    },
    depth: async () => {
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: [
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesNotVisible",
            "ApproximateNumberOfMessagesDelayed",
          ],
        }),
      );
      return {
        ready: Number(Attributes?.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
        delayed: Number(Attributes?.ApproximateNumberOfMessagesDelayed ?? 0),
      };
    },
    close: () => client.destroy(),
  };
}

/** The client for one region, for the cloud or an emulator (which takes any credentials). */
export function createSqsClient(region: string, endpoint?: string): SQSClient {
  return new SQSClient({
    region,
    // A doorbell that cannot be sent is not worth waiting for: the row stays and the sweeper rings.
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: 2_000,
      requestTimeout: REQUEST_LIMIT_MS,
      httpAgent: { keepAlive: true, maxSockets: 64 },
      httpsAgent: { keepAlive: true, maxSockets: 64 },
    },
    ...(endpoint === undefined ? {} : { endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } }),
  });
}

export type QueueSpec = {
  name: string;
  visibilityS: number;
  /** Deliveries before a message goes to the dead letters; default 5. */
  maxReceiveCount?: number;
};

export type EnsuredQueue = { url: string; deadLetterUrl: string };

/**
 * Creates each queue and its dead-letter queue (`<name>-dead`) where missing, for a stack that runs on an emulator.
 * @returns the addresses by name
 */
export async function ensureQueues<N extends string>(
  endpoint: string,
  region: string,
  specs: readonly (QueueSpec & { name: N })[],
): Promise<Record<N, EnsuredQueue>> {
  const client = createSqsClient(region, endpoint);
  try {
    const pairs = await Promise.all(
      specs.map(async (spec): Promise<[N, EnsuredQueue]> => [spec.name, await ensureQueue(client, spec)]),
    );
    return Object.fromEntries(pairs) as Record<N, EnsuredQueue>;
  } finally {
    client.destroy();
  }
}

async function ensureQueue(client: SQSClient, spec: QueueSpec): Promise<EnsuredQueue> {
  const deadLetterUrl = await create(client, `${spec.name}-dead`, { MessageRetentionPeriod: "1209600" });
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ["QueueArn"] }),
  );
  const redrive = { deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: spec.maxReceiveCount ?? 5 };
  const url = await create(client, spec.name, {
    VisibilityTimeout: String(spec.visibilityS),
    RedrivePolicy: JSON.stringify(redrive),
  });
  return { url, deadLetterUrl };
}

async function create(client: SQSClient, name: string, attributes: Record<string, string>): Promise<string> {
  const { QueueUrl } = await client
    .send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }))
    .catch(async (error: unknown) => {
      if (!(error instanceof SQSServiceException) || !/Queue(Name|Already)Exists/.test(error.name)) throw error;
      // An emulator that outlives the stack may hold it with the settings of an earlier one.
      const found = await client.send(new GetQueueUrlCommand({ QueueName: name }));
      await client.send(new SetQueueAttributesCommand({ QueueUrl: found.QueueUrl, Attributes: attributes }));
      return found;
    });
  if (QueueUrl === undefined) throw new Error(`the queue service gave no address for ${name}`);
  return QueueUrl;
}

function entry(body: object, options: SendOptions = {}) {
  const { delayS = 0, group } = options;
  // Checked here because emulators accept more than the real service.
  if (!Number.isInteger(delayS) || delayS < 0 || delayS > MAX_DELAY_S) {
    throw new RangeError(`a message can be delayed by 0 to ${MAX_DELAY_S} whole seconds`);
  }
  const MessageBody = JSON.stringify(body);
  if (Buffer.byteLength(MessageBody) > MAX_MESSAGE_BYTES) throw new RangeError("a message holds at most 256 KB");
  const fits =
    group !== undefined && /^[\w!"#$%&'()*+,./:;<=>?@[\\\]^`{|}~-]+$/.test(group) && group.length <= MAX_GROUP_LENGTH;
  return {
    MessageBody,
    ...(delayS === 0 ? {} : { DelaySeconds: delayS }),
    ...(fits ? { MessageGroupId: group } : {}),
  };
}
