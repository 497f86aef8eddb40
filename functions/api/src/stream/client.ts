const encoder = new TextEncoder();

/** Bytes a client may lag behind before it is dropped; it comes back and resumes where it was (F85). */
const MAX_BUFFERED_BYTES = 1_048_576;

export const encode = (text: string): Uint8Array => encoder.encode(text);

/** One open response of server-sent events. */
export interface StreamClient {
  readonly body: ReadableStream<Uint8Array>;
  readonly closed: boolean;
  /** Queues bytes; a client that does not read for too long is cut off. */
  send(bytes: Uint8Array): void;
  /** Resolves when the client has read what was queued, or is gone. */
  drained(): Promise<void>;
  /** Ends the response on purpose and tells the browser to come back in so many milliseconds, without a word to the person. */
  rest(ms: number): void;
  /** Ends the response after what is queued. */
  end(): void;
}

/** `onGone` runs once, however the stream ends. */
export function createClient(onGone: () => void): StreamClient {
  let closed = false;
  let wake: () => void = () => undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const gone = (): void => {
    if (closed) return;
    closed = true;
    wake();
    onGone();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
        // Reaches the browser at once: it knows that the stream stands, and when to come back.
        given.enqueue(encode("retry: 2000\n\n"));
      },
      pull: () => wake(),
      cancel: gone,
    },
    { highWaterMark: MAX_BUFFERED_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  const send = (bytes: Uint8Array): void => {
    if (closed || controller === undefined) return;
    // Judged before, so that one large event alone never cuts anybody off.
    if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(bytes);
    controller.error(new Error("the client reads too slowly"));
    gone();
  };
  const end = (): void => {
    if (closed) return;
    controller?.close();
    gone();
  };
  return {
    body,
    get closed() {
      return closed;
    },
    send,
    drained: async () => {
      // Half of the buffer stays free for what happens meanwhile.
      while (!closed && controller !== undefined && (controller.desiredSize ?? 0) < MAX_BUFFERED_BYTES / 2) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    rest: (ms) => {
      send(encode(`retry: ${ms}\nevent: rest\ndata: {"ms":${ms}}\n\n`));
      end();
    },
    end,
  };
}

/** The headers of a stream: nothing on the way may hold it back, keep or change it. */
export const streamHeaders = (): Headers =>
  new Headers({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  });
