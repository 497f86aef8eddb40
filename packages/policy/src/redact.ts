import type { JsonValue } from "@aiw/contract/tools";

/** What stands in the place of a sensitive value (APR-10). */
export const REDACTED = "[REDACTED]";

export interface Redactor {
  /** Every occurrence replaced; occurrences that overlap become one. */
  readonly text: (text: string) => string;
  /** The same in every string, member name and number of a JSON tree. The input is not changed. */
  readonly json: (value: JsonValue) => JsonValue;
}

export interface StreamRedactor {
  /** Takes the next chunk and returns what is safe to pass on. */
  readonly push: (chunk: string) => string;
  /** Returns the rest. The redactor is spent. */
  readonly end: () => string;
}

/**
 * Replaces literal values by `[REDACTED]` (APR-10), also where they stand escaped inside JSON text, once or twice over.
 * Empty values are ignored. Transformed copies (other case, encodings, parts) are not found.
 */
export const redactor = (values: readonly string[]): Redactor => {
  const needles = needlesOf(values);
  const text = (input: string): string => {
    const stream = startStream(needles);
    return stream.push(input) + stream.end();
  };
  return { text, json: (value) => redactTree(value, text) };
};

/** The answers as people repeat them: who does seldom repeats the spaces around them. */
export const asRepeated = (answers: readonly string[]): readonly string[] =>
  [...new Set(answers.flatMap((answer) => [answer, answer.trim()]))].filter((value) => value !== "");

/**
 * `redactor(values).text` for text that arrives in chunks: the joined output is the same wherever the chunks were cut.
 * Holds back at most the length of the longest value.
 */
export const createStreamRedactor = (values: readonly string[]): StreamRedactor => startStream(needlesOf(values));

const needlesOf = (values: readonly string[]): readonly string[] => {
  const forms = values
    .filter((value) => value !== "")
    .flatMap((value) => [value, escaped(value), escaped(escaped(value))]);
  return [...new Set(forms)];
};

const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);

const startStream = (needles: readonly string[]): StreamRedactor => {
  let held = "";
  // How much of `held` lies under a marker that was already passed on.
  let covered = 0;

  const release = (end: number): string => {
    let output = "";
    let at = covered;
    for (const [from, to] of occurrences(held, needles)) {
      if (from >= end) break;
      if (from >= at) output += held.slice(at, from) + REDACTED;
      at = Math.max(at, to);
    }
    if (at < end) output += held.slice(at, end);
    covered = Math.max(0, at - end);
    held = held.slice(end);
    return output;
  };

  return {
    push: (chunk) => {
      held += chunk;
      return release(startOfOpenTail(held, needles));
    },
    end: () => release(held.length),
  };
};

/** All places of all needles as [start, end), by start. */
const occurrences = (text: string, needles: readonly string[]): readonly (readonly [number, number])[] => {
  const found: [number, number][] = [];
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1))
      found.push([at, at + needle.length]);
  }
  return found.sort((a, b) => a[0] - b[0]);
};

/** Where the text's last characters may be the beginning of a needle that the next chunk completes. */
const startOfOpenTail = (text: string, needles: readonly string[]): number => {
  const longest = needles.reduce((length, needle) => Math.max(length, needle.length), 0);
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    const tail = text.slice(at);
    if (needles.some((needle) => needle.length > tail.length && needle.startsWith(tail))) return at;
  }
  return text.length;
};

const redactTree = (value: JsonValue, text: (input: string) => string): JsonValue => {
  if (typeof value === "string") return text(value);
  // A number that is the value itself; parts of other numbers are left, they would turn counters into text.
  if (typeof value === "number") return text(String(value)) === REDACTED ? REDACTED : value;
  if (value === null || typeof value === "boolean") return value;
  if (isArray(value)) return value.map((item) => redactTree(item, text));
  const result: Record<string, JsonValue> = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    result[unusedName(result, text(key))] = redactTree(member, text);
  }
  return result;
};

/** Two names that differed only in what was masked must not become one. */
const unusedName = (object: object, name: string): string => {
  if (!(name in object)) return name;
  for (let n = 2; ; n += 1) {
    const numbered = `${name} (${n})`;
    if (!(numbered in object)) return numbered;
  }
};

const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
