import { expect, test } from "vitest";
import { afterError, backoffMs, GRACE_MS, openStream, type Source, type StreamState } from "./stream.ts";

class FakeSource implements Source {
  readyState = 0;
  onopen: ((event: Event) => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  closed = false;
  readonly url: string;
  readonly handlers = new Map<string, (event: MessageEvent<string>) => void>();
  constructor(url: string) {
    this.url = url;
  }
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.handlers.set(type, listener);
  }
  close(): void {
    this.closed = true;
    this.readyState = 2;
  }
  emit(type: string, data: string): void {
    this.handlers.get(type)?.(new MessageEvent(type, { data }));
  }
}

const setup = (signedIn: () => Promise<boolean>) => {
  const sources: FakeSource[] = [];
  const states: StreamState[] = [];
  const data: unknown[] = [];
  const timers: { run: () => void; ms: number; off: boolean }[] = [];
  let position = 0;
  const stream = openStream({
    url: () => `/s?after=${position}`,
    onData: (d) => {
      position += 1;
      data.push(d);
    },
    onState: (s) => states.push(s),
    signedIn,
    open: (url) => {
      const source = new FakeSource(url);
      sources.push(source);
      return source;
    },
    later: (run, ms) => {
      const timer = { run, ms, off: false };
      timers.push(timer);
      return () => {
        timer.off = true;
      };
    },
  });
  const last = (): FakeSource => {
    const source = sources.at(-1);
    if (source === undefined) throw new Error("no source");
    return source;
  };
  const fail = (readyState: number): void => {
    const source = last();
    source.readyState = readyState;
    source.onerror?.(new Event("error"));
  };
  return { stream, sources, states, data, timers, last, fail };
};
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("RUN-11: the browser's own retry is left alone, giving up is looked into", () => {
  expect(afterError(0)).toBe("wait");
  expect(afterError(2)).toBe("ask");
});

test("RUN-11: waiting grows from half a second to at most 30 s", () => {
  expect(backoffMs(0, 0)).toBe(500);
  expect(backoffMs(0, 1)).toBe(1000);
  expect(backoffMs(99, 1)).toBe(30_000);
});

test("RUN-11: after a refusal the stream reopens at the position reached, once the session is known to stand", async () => {
  const s = setup(async () => true);
  s.last().onopen?.(new Event("open"));
  s.last().emit("message", '{"seq":1}');
  s.last().emit("message", "not json");
  s.fail(2);
  await settle();
  expect(s.states).toEqual(["connecting", "live", "reconnecting"]);
  s.timers.at(-1)?.run();
  expect(s.last().url).toBe("/s?after=1");
  expect(s.data).toEqual([{ seq: 1 }]);
});

test("RUN-11: an ended session ends the stream for good", async () => {
  const s = setup(async () => false);
  s.fail(2);
  await settle();
  expect(s.states.at(-1)).toBe("ended");
  expect(s.timers).toEqual([]);
  s.stream.wake();
  expect(s.sources).toHaveLength(1);
});

test("RUN-11: a server that cannot be reached is said to be offline and tried again", async () => {
  const s = setup(async () => {
    throw new Error("no network");
  });
  s.fail(2);
  await settle();
  expect(s.states.at(-1)).toBe("offline");
  s.timers.at(-1)?.run();
  expect(s.sources).toHaveLength(2);
});

test("RUN-11: a short break is not announced", () => {
  const s = setup(async () => true);
  s.last().onopen?.(new Event("open"));
  s.fail(0);
  const grace = s.timers.at(-1);
  expect(grace?.ms).toBe(GRACE_MS);
  s.last().onopen?.(new Event("open"));
  expect(grace?.off).toBe(true);
  expect(s.states).toEqual(["connecting", "live", "live"]);
});

test("RUN-11: a replaced connection is not heard any more", () => {
  const s = setup(async () => true);
  const first = s.last();
  first.readyState = 2;
  s.stream.wake();
  expect(s.sources).toHaveLength(2);
  first.onopen?.(new Event("open"));
  expect(s.states).toEqual(["connecting"]);
});

test("OPS-4: a server that means to be left alone for a while is not announced as a break", () => {
  const s = setup(async () => true);
  s.last().onopen?.(new Event("open"));
  s.last().emit("rest", '{"ms":5000}');
  s.fail(0);
  expect(s.timers.at(-1)?.ms).toBe(5000 + GRACE_MS);
  expect(s.data).toEqual([]);
  s.last().onopen?.(new Event("open"));
  s.fail(0);
  expect(s.timers.at(-1)?.ms).toBe(GRACE_MS);
});
