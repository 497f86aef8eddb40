import type { JsonValue } from "@aiw/contract/tools";
import type { NewAudit, NewEvent } from "@aiw/core/runs";
import { registerSecret, type Log, type LogFields } from "@aiw/platform/log";
import { asRepeated, createStreamRedactor, redactor, REDACTED, type StreamRedactor } from "@aiw/policy/redact";

/**
 * APR-10: the one place through which everything goes that a step stores, streams or logs. It replaces the literal text of the
 * sensitive answers of this chat; the model reads them, and what is executed is unchanged.
 */
export interface Mask {
  /** Nothing here is sensitive: everything passes unchanged. */
  readonly idle: boolean;
  readonly hides: (text: string) => boolean;
  readonly text: (text: string) => string;
  /** JSON text stays JSON. */
  readonly json: (text: string) => string;
  readonly value: <T>(value: T) => T;
  readonly event: (event: NewEvent) => NewEvent;
  readonly audit: (row: NewAudit) => NewAudit;
  readonly stream: () => StreamRedactor;
  readonly log: (log: Log) => Log;
}

const same = <T>(value: T): T => value;

export const NO_MASK: Mask = {
  idle: true,
  hides: () => false,
  text: same,
  json: same,
  value: same,
  event: same,
  audit: same,
  stream: () => ({ push: same, end: () => "" }),
  log: same,
};

/** Members whose words are ours and never a person's: the reader of an event would not know another one. */
const OUR_WORDS: ReadonlySet<string> = new Set([
  "status",
  "level",
  "riskClass",
  "decision",
  "kind",
  "mode",
  "endReason",
]);
const IDENTIFIER = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{40}|[0-9a-f]{64})$/;

export const maskOf = (answers: readonly string[]): Mask => {
  const values = asRepeated(answers);
  if (values.length === 0) return NO_MASK;
  for (const value of values) registerSecret(value);
  const redact = redactor(values);
  const text = (input: string): string =>
    IDENTIFIER.test(input) && !values.includes(input) ? input : redact.text(input);
  const tree = (value: unknown, key?: string): unknown => {
    if (typeof value === "string") return key !== undefined && OUR_WORDS.has(key) ? value : text(value);
    if (typeof value === "number") return text(String(value)) === REDACTED ? REDACTED : value;
    if (Array.isArray(value)) return value.map((one) => tree(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, tree(one, name)]));
  };
  const json = (input: string): string => {
    try {
      return JSON.stringify(redact.json(JSON.parse(input) as JsonValue));
    } catch {
      return text(input);
    }
  };
  return {
    idle: false,
    hides: (input) => redact.text(input) !== input,
    text,
    json,
    value: <T>(value: T): T => tree(value) as T,
    event: (event) => ({ ...event, data: tree(event.data) as object }),
    audit: (row) => (row.data === undefined ? row : { ...row, data: tree(row.data) as object }),
    stream: () => createStreamRedactor(values),
    log: (log) => maskedLog(log, text, tree),
  };
};

const maskedLog = (log: Log, text: (text: string) => string, tree: (value: unknown) => unknown): Log => {
  const shown = (value: unknown): unknown => {
    if (!(value instanceof Error)) return tree(value);
    const error = new Error(text(value.message));
    error.name = value.name;
    error.stack = text(value.stack ?? "");
    return error;
  };
  const fields = (of: LogFields | undefined): LogFields | undefined =>
    of === undefined ? undefined : Object.fromEntries(Object.entries(of).map(([key, value]) => [key, shown(value)]));
  return {
    debug: (message, of) => log.debug(text(message), fields(of)),
    info: (message, of) => log.info(text(message), fields(of)),
    warn: (message, of) => log.warn(text(message), fields(of)),
    error: (message, of) => log.error(text(message), fields(of)),
    child: (of) => maskedLog(log.child(fields(of) ?? {}), text, tree),
  };
};
