/**
 * Server-sent events with the decisions the browser does not make: what to do when it gave up, when the device slept,
 * when the session ended. Positions are kept by the caller, so that a reopened stream continues where it was.
 */
export type StreamState = "connecting" | "live" | "reconnecting" | "offline" | "ended";

/** What the wrapper needs of an EventSource; tests give their own. */
export interface Source {
  readonly readyState: number;
  onopen: ((event: Event) => void) | null;
  onerror: ((event: Event) => void) | null;
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

export interface StreamOptions {
  /** Address for a new connection, with the position reached so far. */
  readonly url: () => string;
  /** Event names besides the unnamed `message`. */
  readonly types?: readonly string[];
  readonly onData: (data: unknown) => void;
  readonly onState: (state: StreamState) => void;
  /** Whether the session still stands: false ends the stream, a throw means the server cannot be reached. */
  readonly signedIn: () => Promise<boolean>;
  readonly open?: (url: string) => Source;
  readonly later?: (run: () => void, ms: number) => () => void;
}

const CLOSED = 2;
/** A stream that said nothing for so long is taken for dead once the page is looked at again. */
export const SILENCE_MS = 40_000;
/** Short breaks are not worth a word: the server ends a stream on purpose from time to time. */
export const GRACE_MS = 3_000;

/** Wait before attempt n (from 0): 1 s doubling to 30 s, the last half of it by chance so that clients spread. */
export const backoffMs = (attempt: number, random: number): number => {
  const full = Math.min(30_000, 1000 * 2 ** Math.min(attempt, 5));
  return Math.round(full / 2 + (full / 2) * random);
};

/** What follows an error: wait for the browser's own retry, or find out why it gave up. */
export const afterError = (readyState: number): "wait" | "ask" => (readyState === CLOSED ? "ask" : "wait");

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** How long the server means to be left alone before the browser comes back, in milliseconds; see `rest` in the API's streams. */
const restOf = (data: unknown): number =>
  typeof data === "object" && data !== null && "ms" in data && typeof data.ms === "number" ? data.ms : 0;

const timeout = (run: () => void, ms: number): (() => void) => {
  const id = setTimeout(run, ms);
  return () => clearTimeout(id);
};

/** Open a stream and keep it open until `close` is called or the session ends. */
export const openStream = (options: StreamOptions): { readonly close: () => void; readonly wake: () => void } => {
  const make = options.open ?? ((url: string): Source => new EventSource(url));
  const later = options.later ?? timeout;
  let source: Source | undefined;
  let attempt = 0;
  let heard = Date.now();
  let restMs = 0;
  let done = false;
  let cancelTimer: () => void = () => {};
  let cancelGrace: () => void = () => {};

  const say = (state: StreamState): void => {
    cancelGrace();
    cancelGrace = () => {};
    options.onState(state);
  };
  const hear = (event: MessageEvent<string>): void => {
    heard = Date.now();
    if (done) return;
    if (event.type === "rest") {
      restMs = restOf(parse(event.data));
      return;
    }
    const data = parse(event.data);
    if (data !== undefined) options.onData(data);
  };
  const stop = (state: StreamState): void => {
    done = true;
    cancelTimer();
    source?.close();
    say(state);
  };
  const retry = (): void => {
    cancelTimer();
    cancelTimer = later(connect, backoffMs(attempt, Math.random()));
    attempt += 1;
  };
  const ask = async (): Promise<void> => {
    try {
      const signedIn = await options.signedIn();
      if (done) return;
      if (!signedIn) return stop("ended");
      say("reconnecting");
    } catch {
      if (done) return;
      say("offline");
    }
    retry();
  };
  const connect = (): void => {
    if (done) return;
    source?.close();
    const current = make(options.url());
    source = current;
    current.onopen = () => {
      if (current !== source) return;
      heard = Date.now();
      attempt = 0;
      restMs = 0;
      say("live");
    };
    current.onerror = () => {
      if (done || current !== source) return;
      if (afterError(current.readyState) === "ask") return void ask();
      cancelGrace();
      cancelGrace = later(() => options.onState("reconnecting"), restMs + GRACE_MS);
    };
    for (const type of ["message", "ping", "rest", ...(options.types ?? [])]) current.addEventListener(type, hear);
  };

  options.onState("connecting");
  connect();
  return {
    close: () => stop("ended"),
    /** The page is looked at again, or the network is back: reopen when the stream may be dead. */
    wake: () => {
      if (done) return;
      const dead = source === undefined || source.readyState === CLOSED || Date.now() - heard > SILENCE_MS;
      if (!dead) return;
      cancelTimer();
      attempt = 0;
      connect();
    },
  };
};

/** Call `wake` whenever the page becomes visible or the network returns. Answers how to stop. */
export const onWake = (wake: () => void): (() => void) => {
  const visible = (): void => {
    if (document.visibilityState === "visible") wake();
  };
  document.addEventListener("visibilitychange", visible);
  window.addEventListener("online", wake);
  return () => {
    document.removeEventListener("visibilitychange", visible);
    window.removeEventListener("online", wake);
  };
};
