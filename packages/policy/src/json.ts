import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import { canonicalize } from "./canonical.ts";
import { type ArgumentsProblem, JsonReader, Refusal } from "./json-reader.ts";

export { CanonicalError, canonicalize, comparable } from "./canonical.ts";
export type { ArgumentsProblem } from "./json-reader.ts";

export interface ArgumentLimits {
  /** Bytes of UTF-8 the text may have. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Objects and arrays inside each other, the outermost counted. Default 64. */
  readonly maxDepth?: number;
}

export type ReadArguments =
  | {
      readonly ok: true;
      /** Frozen maps without a prototype. */
      readonly value: JsonObject;
      /** From here on this text is the arguments: shown, hashed, executed (APR-2). */
      readonly canonical: string;
    }
  | {
      readonly ok: false;
      readonly code: ArgumentsProblem;
      /** English, for the model: what is wrong, without quoting strings of the text. */
      readonly message: string;
      /** JSON pointer to the place, at most about 200 characters; absent for the whole text. */
      readonly path?: string;
    };

/**
 * Reads the argument text a model wrote, strictly as I-JSON (RFC 7493; N24, N25, N43). Nothing is guessed or repaired:
 * what cannot be kept exactly is refused. Never throws.
 */
export const readArguments = (text: string, limits: ArgumentLimits = {}): ReadArguments => {
  const maxBytes = limits.maxBytes ?? 1024 * 1024;
  const bytes = Buffer.byteLength(text, "utf8");
  if (bytes > maxBytes) {
    return {
      ok: false,
      code: "too_large",
      message: `the arguments have ${bytes} bytes; at most ${maxBytes} are allowed`,
    };
  }
  try {
    const value = new JsonReader(text, limits.maxDepth ?? 64).readDocument();
    if (!isObject(value)) return { ok: false, code: "not_object", message: "the arguments must be one JSON object" };
    return { ok: true, value, canonical: canonicalize(value) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, path } = error;
    return path === "" ? { ok: false, code, message } : { ok: false, code, message, path };
  }
};

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
