/** JSON for reading: the value, or the text as it is when it is no JSON. */
export type JsonReading =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string };

/** Beyond this many characters a tree is not built: the text is shown as it is. */
const MAX_CHARS = 400_000;

export function readJson(text: string): JsonReading {
  if (text.length > MAX_CHARS) return { kind: "text", text };
  try {
    const value: unknown = JSON.parse(text);
    return { kind: "json", value };
  } catch {
    return { kind: "text", text };
  }
}

/** Entries of an array or object, else null for a leaf. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | null {
  if (Array.isArray(value)) return value.map((item: unknown, i) => [String(i), item] as const);
  if (typeof value === "object" && value !== null) return Object.entries(value);
  return null;
}
