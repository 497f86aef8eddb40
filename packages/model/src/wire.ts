/** Reading what a gateway sent: nothing about its shape is taken for granted. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fields = (value: unknown): Fields => (isFields(value) ? value : {});

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A count, 0 when absent or not a sane number. */
export const count = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;

/** A code as text: gateways write numbers, numerals and the literal "None" here. */
export function code(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value !== "string" || value === "" || value === "None" || value === "null") return undefined;
  return value;
}

export function parseJson(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return value;
  } catch {
    return undefined;
  }
}
