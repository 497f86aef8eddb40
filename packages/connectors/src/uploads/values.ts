/**
 * What a text is as a value, without ever changing its meaning (M16, N61): a form counts only when the text written back from
 * the value says the same. Everything else stays text.
 */
export type NumberStyle = "point" | "comma";

const INTEGER = /^[+-]?(?:0|[1-9]\d*)$/;
const POINT = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d+)?|[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)$/;
const COMMA = /^[+-]?(?:(?:0|[1-9]\d*)(?:,\d+)?|[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?)$/;
const EXPONENT = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?[eE][+-]?\d{1,3}$/;
/** Digits every double keeps. */
const DOUBLE_DIGITS = 15;

export const isInteger = (text: string): boolean => INTEGER.test(text);
export const isPoint = (text: string): boolean => POINT.test(text);
export const isComma = (text: string): boolean => COMMA.test(text);
export const hasLeadingZero = (text: string): boolean => /^[+-]?0\d/.test(text);
export const isNumberLike = (text: string): boolean => isPoint(text) || isComma(text) || EXPONENT.test(text);

/** A number with an exponent that a double holds as it is written. */
export const isDouble = (text: string): boolean => {
  if (!EXPONENT.test(text)) return false;
  const [digits = ""] = text.split(/[eE]/);
  const significant = digits.replace(/\D/g, "").replace(/^0+/, "");
  const value = Number(text);
  return significant.length <= DOUBLE_DIGITS && Number.isFinite(value) && (value !== 0 || significant === "");
};

/** Plain digits with a point, from either style. */
export const plainNumber = (text: string, style: NumberStyle): string =>
  style === "point"
    ? text.replaceAll(",", "").replace(/^\+/, "")
    : text.replaceAll(".", "").replace(",", ".").replace(/^\+/, "");

/** Digits before and behind the point of a plain number. */
export const digitsOf = (plain: string): { readonly whole: number; readonly scale: number } => {
  const [whole = "", fraction = ""] = plain.replace(/^-/, "").split(".");
  return { whole: whole === "0" ? 0 : whole.length, scale: fraction.length };
};

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DOT_DATE = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
const SLASH_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const ISO_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)$/;
const DOT_TIME = /^(\d{1,2}\.\d{1,2}\.\d{4}),? (\d{1,2}:\d{2}(?::\d{2})?)$/;
const ZONED = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?) ?(Z|[+-]\d{2}(?::?\d{2})?)$/;

const dateOf = (year: string | undefined, month: string | undefined, day: string | undefined): string | null => {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (m < 1 || m > 12 || d < 1 || d > new Date(Date.UTC(2000 + (y % 400), m, 0)).getUTCDate() || y < 1) return null;
  return `${String(y).padStart(4, "0")}-${String(m).padStart(2, "0")}-${String(d).padStart(2, "0")}`;
};

const timeOf = (text: string | undefined): string | null => {
  const [h = "", m = "", s = "0"] = (text ?? "").split(":");
  return Number(h) < 24 && Number(m) < 60 && Number(s) < 60 ? `${h.padStart(2, "0")}:${m}:${s.padStart(2, "0")}` : null;
};

const isoDate = (text: string): string | null => {
  const [, y, m, d] = ISO_DATE.exec(text) ?? [];
  return y === undefined ? null : dateOf(y, m, d);
};

const dotDate = (text: string): string | null => {
  const [, d, m, y] = DOT_DATE.exec(text) ?? [];
  return y === undefined ? null : dateOf(y, m, d);
};

const joined = (found: RegExpExecArray | null, date: (text: string) => string | null): string | null => {
  if (found === null) return null;
  const day = date(found[1] ?? "");
  const time = timeOf(found[2]);
  return day === null || time === null ? null : `${day} ${time}`;
};

/** Forms of days and times: each gives the ISO text of a real day or time, or null. */
export const FORMS = {
  isoDate,
  dotDate,
  dayFirst: (text: string) => {
    const [, d, m, y] = SLASH_DATE.exec(text) ?? [];
    return y === undefined ? null : dateOf(y, m, d);
  },
  monthFirst: (text: string) => {
    const [, m, d, y] = SLASH_DATE.exec(text) ?? [];
    return y === undefined ? null : dateOf(y, m, d);
  },
  isoTime: (text: string) => joined(ISO_TIME.exec(text), isoDate),
  dotTime: (text: string) => joined(DOT_TIME.exec(text), dotDate),
  zonedTime: (text: string) => {
    const found = ZONED.exec(text);
    const local = joined(found, isoDate);
    if (found === null || local === null) return null;
    const zone = found[3] === "Z" ? "+00" : (found[3] ?? "");
    return `${local}${zone}`;
  },
  boolean: (text: string) => (/^(true|false)$/i.test(text) ? text.toLowerCase() : null),
} as const satisfies Record<string, (text: string) => string | null>;
