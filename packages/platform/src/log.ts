import { redact, redactText } from "./redact.ts";

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
};

const RANK: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40, silent: 99 };

/**
 * Structured logger: one JSON object a line with `at`, `level`, `message` and the fields, redacted (SEC-9). Control
 * characters, line ends and text-direction marks are escaped, so that a logged value can neither forge a line nor
 * steer a terminal. Never throws.
 */
export function createLog(options: LogOptions): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(`${line}\n`));
  return build(RANK[options.level], write, {});
}

function build(minimum: number, write: (line: string) => void, base: LogFields): Log {
  const at =
    (level: Exclude<LogLevel, "silent">) =>
    (message: string, fields?: LogFields): void => {
      if (RANK[level] < minimum) return;
      write(encode(level, message, base, fields));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => build(minimum, write, { ...base, ...fields }),
  };
}

function encode(level: string, message: string, base: LogFields, fields: LogFields | undefined): string {
  const head = { at: new Date().toISOString(), level, message: redactText(message) };
  try {
    // The head comes last: a field cannot take the place of level or message.
    return escape(JSON.stringify({ ...head, ...Object(redact({ ...base, ...fields })), ...head }));
  } catch {
    return escape(JSON.stringify({ ...head, fields: "[not printable]" }));
  }
}

// JSON leaves DEL, C1 controls (one of them starts terminal sequences), line separators and direction marks as they are.
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function escape(json: string): string {
  return json.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
