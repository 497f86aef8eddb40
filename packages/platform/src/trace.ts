import { randomBytes } from "node:crypto";

/**
 * Everything a span may say about itself (SEC-9). The list is closed on purpose: what a person, a model or a tool wrote
 * has no name here, so it cannot get into a trace (I8). Names by OpenTelemetry's conventions where it has one.
 */
export type AttributeName =
  | "http.request.method"
  | "http.route"
  | "http.response.status_code"
  | "messaging.system"
  | "messaging.operation.name"
  | "messaging.operation.type"
  | "messaging.destination.name"
  | "messaging.message.id"
  | "gen_ai.operation.name"
  | "gen_ai.provider.name"
  | "gen_ai.request.model"
  | "gen_ai.usage.input_tokens"
  | "gen_ai.usage.output_tokens"
  | "gen_ai.token.type"
  | "gen_ai.tool.name"
  | "gen_ai.tool.call.id"
  | "error.type"
  | "aiw.request.id"
  | "aiw.workspace.id"
  | "aiw.team.id"
  | "aiw.run.id"
  | "aiw.run.lane"
  | "aiw.run.status"
  | "aiw.run.end_reason"
  | "aiw.step.number"
  | "aiw.step.attempt"
  | "aiw.step.kind"
  | "aiw.step.outcome"
  | "aiw.approval.id"
  | "aiw.tool.outcome"
  | "aiw.job.id"
  | "aiw.job.kind";

/** `undefined` counts as not said. */
export type Attributes = Readonly<Partial<Record<AttributeName, string | number | boolean | undefined>>>;

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** Where a span stands: 32 and 16 hexadecimal digits. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

export interface FinishedSpan extends SpanPlace {
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970, with a fraction. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly links: readonly SpanPlace[];
  /** A stable code or the name of a class, never a message; undefined: it went well. */
  readonly errorType: string | undefined;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** When it began, if that was before now. */
  readonly startMs?: number;
  /** Spans it came from, of any trace. */
  readonly links?: readonly SpanPlace[];
}

/** Work under way; spans started from it are its children. */
export interface Span {
  /** False: nothing is recorded and nobody has to prepare anything for it. */
  readonly on: boolean;
  readonly place: SpanPlace;
  set(attributes: Attributes): void;
  /** It failed; `error` is reduced to its code or its class. */
  fail(error: unknown): void;
  /** Moves a span without children into the trace of a run; only the first run counts. */
  joinRun(runId: string): void;
  start(name: string, options?: SpanOptions): Span;
  /** Sends it on its way; later calls do nothing. */
  end(): void;
}

const NOWHERE: SpanPlace = { traceId: "0".repeat(32), spanId: "0".repeat(16) };

/** What stands where nothing is traced: costs a call and keeps nothing. */
export const NO_SPAN: Span = {
  on: false,
  place: NOWHERE,
  set: () => undefined,
  fail: () => undefined,
  joinRun: () => undefined,
  start: () => NO_SPAN,
  end: () => undefined,
};

/** Runs `work` inside a span of its own under `parent`; a failure is noted and thrown on. */
export async function traced<T>(
  parent: Span | undefined,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  if (parent === undefined || !parent.on) return work(NO_SPAN);
  const span = parent.start(name, options);
  try {
    return await work(span);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Milliseconds since 1970 on a clock that never goes back within the process. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/**
 * The one trace of a run, or of a request without one: its id is theirs, without the dashes. So whoever works on the run,
 * in whatever process and however much later, writes into the same trace, and no message can put it into another one.
 */
export const traceIdOf = (id: string): string => id.replaceAll("-", "").toLowerCase();

/** The span of the whole run, known before it is written. */
export const rootOf = (runId: string): SpanPlace => {
  const traceId = traceIdOf(runId);
  return { traceId, spanId: traceId.slice(16) };
};

/** When a row with this time-ordered id was made, in milliseconds since 1970; undefined for other ids. */
export const madeAtMs = (id: string): number | undefined => {
  const hex = traceIdOf(id);
  return hex[12] === "7" ? Number.parseInt(hex.slice(0, 12), 16) : undefined;
};

/** W3C trace context of a place, as it travels with a message. */
export const traceparent = (place: SpanPlace): string => `00-${place.traceId}-${place.spanId}-01`;

/** The place a message names, if it lies in the trace of this run; anything else, also a forged one, is nothing. */
export const placeIn = (runId: string, parent: string | undefined): SpanPlace | undefined => {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(parent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || traceId !== traceIdOf(runId)) return undefined;
  return { traceId, spanId };
};

const CODE = /^[\w.-]{1,64}$/;

/** What a failure is called in a trace: its stable code, or its class. Never its message, which may quote anything. */
export const errorType = (error: unknown): string => {
  if (!(error instanceof Error)) return "_OTHER";
  if ("code" in error && typeof error.code === "string" && CODE.test(error.code)) return error.code;
  return CODE.test(error.name) ? error.name : "_OTHER";
};

/** Begins a span at a place of its own choice; `emit` gets it when it has ended. */
export function startSpan(
  at: { readonly place: SpanPlace; readonly parentSpanId: string | undefined },
  name: string,
  options: SpanOptions,
  emit: (span: FinishedSpan) => void,
): Span {
  const startMs = options.startMs ?? nowMs();
  let attributes = options.attributes ?? {};
  let { place, parentSpanId } = at;
  let failure: string | undefined;
  let settled = false;
  let ended = false;
  return {
    on: true,
    get place() {
      return place;
    },
    set: (more) => void (attributes = { ...attributes, ...more }),
    fail: (error) => void (failure ??= errorType(error)),
    joinRun: (runId) => {
      if (settled) return;
      settled = true;
      const root = rootOf(runId);
      place = { traceId: root.traceId, spanId: place.spanId };
      parentSpanId = root.spanId;
      attributes = { ...attributes, "aiw.run.id": runId };
    },
    start: (childName, childOptions = {}) => {
      settled = true;
      const child = { place: { traceId: place.traceId, spanId: newSpanId() }, parentSpanId: place.spanId };
      return startSpan(child, childName, childOptions, emit);
    },
    end: () => {
      if (ended) return;
      ended = true;
      const { kind = "internal", links = [] } = options;
      const endMs = Math.max(startMs, nowMs());
      emit({ ...place, parentSpanId, name, kind, startMs, endMs, attributes, links, errorType: failure });
    },
  };
}

/** 16 hexadecimal digits, never all zero. */
export const newSpanId = (): string => {
  const id = randomBytes(8).toString("hex");
  return id === NOWHERE.spanId ? newSpanId() : id;
};
