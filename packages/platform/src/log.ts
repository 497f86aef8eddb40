import { redact, redactText } from "./redact.ts";
import { traceIdOf } from "./trace.ts";

export { registerSecret } from "./redact.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Free fields of one line; `requestId`, `runId` and `workspaceId` are the ones every room uses (SEC-9). */
export type LogFields = Readonly<Record<string, unknown>>;

export type Log = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to each of its lines. */
  child(fields: LogFields): Log;
};

export type LogOptions = {
  level: LogLevel;
  /** Receives one line without line end; default is the standard error stream. */
  write?: (line: string) => void;
  /** Traces are on: each line about a run or a request carries the id of its trace. */
  traces?: boolean;
};

const RANK: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40, silent: 99 };

/**
 * Structured logger: one JSON object a line with `at`, `level`, `message` and the fields, redacted (SEC-9). Control
 * characters, line ends and text-direction marks are escaped, so that a logged value can neither forge a line nor
 * steer a terminal. Never throws.
 */
export function createLog(options: LogOptions): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(`${line}\n`));
  return build(RANK[options.level], write, {}, options.traces ?? false);
}

function build(minimum: number, write: (line: string) => void, base: LogFields, traces: boolean): Log {
  const at =
    (level: Exclude<LogLevel, "silent">) =>
    (message: string, fields?: LogFields): void => {
      if (RANK[level] < minimum) return;
      write(encode(level, message, base, fields, traces));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => build(minimum, write, { ...base, ...fields }, traces),
  };
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The trace a line belongs to: that of its run, of its job, or of its request. */
function traceOf(fields: LogFields): LogFields {
  const id = [fields["runId"], fields["jobId"], fields["requestId"]].find((one) => one !== undefined);
  return typeof id === "string" && UUID.test(id) ? { traceId: traceIdOf(id) } : {};
}

function encode(
  level: string,
  message: string,
  base: LogFields,
  fields: LogFields | undefined,
  traces: boolean,
): string {
  const head = { at: new Date().toISOString(), level, message: redactText(message) };
  try {
    const trace = traces ? traceOf({ ...base, ...fields }) : {};
    // The head comes last: a field cannot take the place of level or message.
    return escape(JSON.stringify({ ...head, ...Object(redact({ ...base, ...fields })), ...trace, ...head }));
  } catch {
    return escape(JSON.stringify({ ...head, fields: "[not printable]" }));
  }
}

// JSON leaves DEL, C1 controls (one of them starts terminal sequences), line separators and direction marks as they are.
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function escape(json: string): string {
  return json.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
