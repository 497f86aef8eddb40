import type { JsonObject, JsonValue } from "@aiw/contract/tools";

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// Array.isArray does not narrow readonly arrays.
export const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** An own member, never something of a prototype. */
export const member = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/**
 * Whether a value stays within a number of characters, counted without writing it, so that a huge one costs no more than a
 * large one (N42).
 */
export const fits = (value: JsonValue, characters: number, maxDepth = 64): boolean => {
  let left = characters;
  const take = (part: JsonValue, depth: number): boolean => {
    if (depth > maxDepth) return false;
    left -= typeof part === "string" ? part.length + 2 : 4;
    if (left < 0) return false;
    if (isArray(part)) return part.every((item) => take(item, depth + 1));
    if (!isObject(part)) return true;
    for (const key of Object.keys(part)) {
      left -= key.length + 4;
      if (left < 0 || !take(part[key] ?? null, depth + 1)) return false;
    }
    return true;
  };
  return take(value, 0);
};
