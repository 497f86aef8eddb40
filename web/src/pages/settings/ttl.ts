/** Bounds of the approval time, seconds (APR-7). */
export const TTL_MIN_S = 30;
export const TTL_MAX_S = 604_800;

export const UNITS = ["s", "min", "h", "d"] as const;
export type Unit = (typeof UNITS)[number];
const SECONDS: Readonly<Record<Unit, number>> = { s: 1, min: 60, h: 3_600, d: 86_400 };

export interface Ttl {
  readonly value: number;
  readonly unit: Unit;
}

/** Seconds in the largest unit that divides them: 86400 -> 1 d, 90 -> 90 s. */
export function splitTtl(seconds: number): Ttl {
  const unit = UNITS.findLast((candidate) => seconds % SECONDS[candidate] === 0) ?? "s";
  return { value: seconds / SECONDS[unit], unit };
}

/** Back to whole seconds; null when the text is no number or the time is out of bounds. */
export function joinTtl(text: string, unit: Unit): number | null {
  if (!/^\d{1,9}([.,]\d{1,3})?$/.test(text.trim())) return null;
  const seconds = Math.round(Number(text.trim().replace(",", ".")) * SECONDS[unit]);
  return seconds >= TTL_MIN_S && seconds <= TTL_MAX_S ? seconds : null;
}

/** A whole number between the bounds, or null. */
export function wholeNumber(text: string, min: number, max: number): number | null {
  if (!/^\d{1,6}$/.test(text.trim())) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}
