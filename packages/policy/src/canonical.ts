import type { JsonValue } from "@aiw/contract/tools";

/** Deeper values are refused rather than risking the stack. Arguments are held to far less (`readArguments`). */
const maxCanonicalDepth = 1000;

/** A value that has no canonical form: not JSON, not well-formed Unicode, or nested without end. */
export class CanonicalError extends Error {
  override readonly name = "CanonicalError";
}

/**
 * The one text of a JSON value (RFC 8785): no white space, members in UTF-16 code unit order, numbers in ECMAScript form.
 * `-0` is written `0`. Two values that mean the same JSON give the same text (APR-2).
 *
 * @throws CanonicalError for NaN, infinities, lone surrogates, values that are not JSON, nesting beyond 1000.
 */
export const canonicalize = (value: JsonValue): string => write(value, 0, (text) => text);

/**
 * The text under which two proposals count as the same (APR-6, F55): canonical, and with every string in Unicode form
 * NFC. Only for comparing: never shown, never executed.
 *
 * @throws CanonicalError as `canonicalize` does.
 */
export const comparable = (value: JsonValue): string => write(value, 0, (text) => text.normalize("NFC"));

const write = (value: JsonValue, depth: number, form: (text: string) => string): string => {
  if (depth > maxCanonicalDepth) throw new CanonicalError("nested too deeply for a canonical form");
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isFinite(value)) throw new CanonicalError("a number without a finite value has no canonical form");
      return String(value === 0 ? 0 : value);
    case "string":
      return quote(form(value));
    case "object":
      return isArray(value)
        ? `[${value.map((item) => write(item, depth + 1, form)).join(",")}]`
        : `{${members(value, depth, form).join(",")}}`;
    default:
      throw new CanonicalError(`a ${typeof value} has no canonical form`);
  }
};

const members = (
  value: { readonly [key: string]: JsonValue },
  depth: number,
  form: (text: string) => string,
): string[] =>
  Object.entries(value)
    .map(([key, member]) => ({ key, name: form(key), member }))
    // Two keys can share one normal form; the original key then keeps the order independent of how the object was built.
    .sort((a, b) => byCodeUnits(a.name, b.name) || byCodeUnits(a.key, b.key))
    .map(({ name, member }) => `${quote(name)}:${write(member, depth + 1, form)}`);

const quote = (text: string): string => {
  if (!text.isWellFormed()) throw new CanonicalError("a string with a lone surrogate has no canonical form");
  return JSON.stringify(text);
};

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

// Array.isArray does not narrow readonly arrays.
const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
