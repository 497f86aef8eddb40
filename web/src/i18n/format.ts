import { locale } from "./locale.ts";

const cache = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>();

/** The reader's own variant of the language, so that dates look as they do elsewhere for them. */
const tagOf = (language: string): string =>
  (typeof navigator === "undefined" ? [] : navigator.languages).find((tag) => tag.toLowerCase().startsWith(language)) ??
  language;

const memo = <T extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>(
  key: string,
  make: (tag: string) => T,
): T => {
  const full = `${locale()}:${key}`;
  const known = cache.get(full);
  if (known !== undefined) return known as T;
  const made = make(tagOf(locale()));
  cache.set(full, made);
  return made;
};

/** A whole number with the grouping of the language. */
export const num = (value: number): string =>
  memo("num", (tag) => new Intl.NumberFormat(tag, { maximumFractionDigits: 1 })).format(value);

/** Money: to the cent, small amounts to a hundredth of one. */
export const money = (value: number, currency: string): string => {
  const digits = value !== 0 && value < 0.1 ? 4 : 2;
  const format = memo(
    `money:${currency}:${digits}`,
    (tag) =>
      new Intl.NumberFormat(tag, {
        style: "currency",
        currency,
        minimumFractionDigits: 2,
        maximumFractionDigits: digits,
      }),
  );
  return value > 0 && value < 0.0001 ? `< ${format.format(0.0001)}` : format.format(value);
};

/** A share between 0 and 1 as per cent. */
export const percent = (value: number): string =>
  memo("pct", (tag) => new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 0 })).format(value);

/** Bytes in the largest unit that keeps at least one digit before the point. */
export const bytes = (value: number): string => {
  if (value < 1000) return `${num(value)} B`;
  if (value < 1_000_000) return `${num(value / 1000)} kB`;
  return `${num(value / 1_000_000)} MB`;
};

/** One of two forms of a countable noun; German and English both have two. */
export const plural = (count: number, one: string, other: string): string => (count === 1 ? one : other);

/** Day and time, for instance "30. Nov. 2026, 14:03". */
export const dateTime = (at: string | number): string =>
  memo("dt", (tag) => new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" })).format(new Date(at));

/** Day and time to the second with the zone, for places where it must be exact. */
export const exactTime = (at: string | number): string =>
  memo(
    "ex",
    (tag) =>
      new Intl.DateTimeFormat(tag, {
        year: "numeric",
        month: "short",
        day: "numeric",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
        timeZoneName: "short",
      }),
  ).format(new Date(at));

/** Hours and minutes. */
export const timeOfDay = (at: string | number): string =>
  memo("tod", (tag) => new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit" })).format(new Date(at));

const relative = (): Intl.RelativeTimeFormat =>
  memo("rel", (tag) => new Intl.RelativeTimeFormat(tag, { numeric: "auto", style: "short" }));

/** How long ago: relative under 24 hours, the date otherwise. */
export const ago = (at: string | number, now: number): string => {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 45) return relative().format(0, "second");
  if (size < 3600) return relative().format(Math.trunc(seconds / 60) || Math.sign(seconds), "minute");
  if (size < 86_400) return relative().format(Math.trunc(seconds / 3600), "hour");
  return dateTime(at);
};

/** A duration for people: "850 ms", "12 s", "3 min 4 s", "2 h 5 min", "1 d 3 h". */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${num(Math.max(0, Math.round(ms)))} ms`;
  const total = Math.floor(ms / 1000);
  if (total < 10) return `${num(Math.round(ms / 100) / 10)} s`;
  if (total < 60) return `${num(total)} s`;
  const pair = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small === 0 ? `${num(big)} ${bigUnit}` : `${num(big)} ${bigUnit} ${num(small)} ${smallUnit}`;
  if (total < 3600) return pair(Math.floor(total / 60), "min", total % 60, "s");
  const dayUnit = locale() === "de" ? "Tg." : "d";
  if (total < 86_400) return pair(Math.floor(total / 3600), "h", Math.floor((total % 3600) / 60), "min");
  return pair(Math.floor(total / 86_400), dayUnit, Math.floor((total % 86_400) / 3600), "h");
};

/** Time left for a deadline: minutes from an hour up, seconds below it. */
export const timeLeft = (ms: number): string => {
  const total = Math.max(0, Math.ceil(ms / 1000));
  if (total >= 3600) return duration(Math.floor(total / 60) * 60_000);
  const minutes = Math.floor(total / 60);
  return minutes === 0 ? `${num(total)} s` : `${num(minutes)} min ${String(total % 60).padStart(2, "0")} s`;
};
