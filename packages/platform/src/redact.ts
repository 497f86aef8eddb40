/** What replaces a secret in every log line. */
export const REDACTED = "[REDACTED]";

const SECRET_KEY =
  /authorization|cookie|token$|secret|password|passwd|passphrase|api[_-]?key|private[_-]?key|credential|^pass$|^pwd$|signature|session[_-]?id|^jwt$/i;
const MAX_SECRETS = 500;
const MIN_SECRET_LENGTH = 6;
const MAX_TEXT_LENGTH = 8_192;
const MAX_DEPTH = 6;
const MAX_ITEMS = 100;

/** Registered secret -> the forms it is searched in. The oldest goes first when there are too many. */
const secrets = new Map<string, readonly string[]>();

/**
 * Makes every later log line of this process hide `value`, also when it appears url-encoded, JSON-escaped or as (part of) base64.
 * Values under 6 characters are ignored: hiding them would black out ordinary words.
 */
export function registerSecret(value: string): void {
  if (value.length < MIN_SECRET_LENGTH) return;
  secrets.delete(value);
  secrets.set(value, formsOf(value));
  if (secrets.size <= MAX_SECRETS) return;
  const oldest = secrets.keys().next();
  if (oldest.done !== true) secrets.delete(oldest.value);
}

/** `text` without registered secrets, passwords in URLs and authorization values (SEC-9). */
export function redactText(text: string): string {
  let clean = text;
  for (const forms of secrets.values()) {
    for (const form of forms) {
      if (clean.includes(form)) clean = clean.replaceAll(form, REDACTED);
    }
  }
  return clean
    .replace(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${REDACTED}@`)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`);
}

/**
 * A copy of any value that is safe to print as JSON: fields with secret names hidden, texts cleaned and cut, errors
 * reduced to name, message, code and stack, depth and width bounded, cycles cut (SEC-9).
 */
export function redact(value: unknown): unknown {
  return copy(value, 0, []);
}

function copy(value: unknown, depth: number, parents: readonly object[]): unknown {
  if (typeof value === "string") return shorten(redactText(value));
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value !== "object" || value === null) return value;
  if (parents.includes(value)) return "[circular]";
  if (depth >= MAX_DEPTH) return "[deep]";
  const chain = [...parents, value];
  if (value instanceof Error) return copyError(value, depth, chain);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return shorten(redactText(value.href));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => copy(item, depth + 1, chain));
  return copyFields(Object.entries(value), depth, chain);
}

function copyFields(fields: readonly [string, unknown][], depth: number, chain: readonly object[]): object {
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, item] of fields.slice(0, MAX_ITEMS)) {
    const hide = SECRET_KEY.test(key) && typeof item !== "number" && typeof item !== "boolean" && item !== undefined;
    result[redactText(key)] = hide ? REDACTED : copy(item, depth + 1, chain);
  }
  return result;
}

function copyError(error: Error, depth: number, chain: readonly object[]): object {
  // A query builder's error carries statement and parameters in its message; only what the database said is kept.
  const isQuery = "query" in error && "params" in error;
  const message = isQuery ? "the database refused a statement" : error.message;
  const stack = error.stack
    ?.split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12);
  const code =
    "code" in error && (typeof error.code === "string" || typeof error.code === "number") ? error.code : undefined;
  return {
    name: error.name,
    message: shorten(redactText(message)),
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack: stack.map((line) => redactText(line.trim())) }),
    ...(error.cause === undefined ? {} : { cause: copy(error.cause, depth + 1, chain) }),
  };
}

function shorten(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}... [${text.length} characters]` : text;
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  const forms = [value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)];
  for (let shift = 0; shift < 3; shift += 1) forms.push(...base64Core(bytes, shift));
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET_LENGTH).toSorted((a, b) => b.length - a.length);
}

/** The part of the base64 text that is the same whatever stands around the secret, for one of three byte alignments. */
function base64Core(bytes: Buffer, shift: number): string[] {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString("base64")
    .replace(/=+$/, "");
  const start = Math.ceil((shift * 8) / 6);
  const end = Math.floor(((shift + bytes.length) * 8) / 6);
  const core = encoded.slice(start, end);
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}
