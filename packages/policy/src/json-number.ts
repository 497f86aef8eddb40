/**
 * Reads a JSON number literal, or says why it cannot be kept exactly. Exactly means: the number that is frozen, shown and
 * executed is the number that was written, as a decimal (`1.10`, `1E2` and `0.1` are; `0.1000000000000000055` is not).
 * Whole numbers beyond ±(2^53 - 1) are refused even where a double could hold them (RFC 7493, N25). `-0` becomes `0`:
 * the same number, and RFC 8785 writes it so.
 */
export const readNumber = (literal: string): { readonly value: number } | { readonly problem: string } => {
  const value = Number(literal);
  if (!Number.isFinite(value)) return { problem: "is beyond the range of a double" };
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return { problem: "is a whole number beyond ±9007199254740991; send it as a string" };
  }
  if (decimal(literal) !== decimal(String(value))) {
    return { problem: "has more digits than a double keeps; send it as a string" };
  }
  return { value: value === 0 ? 0 : value };
};

/** One spelling for each decimal number: sign, digits without zeros at either end, power of ten. */
const decimal = (literal: string): string => {
  const negative = literal.startsWith("-");
  const [mantissa = "", exponent = "0"] = (negative ? literal.slice(1) : literal).toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  // Loops, not patterns: a pattern anchored at the end is quadratic in a long run of zeros.
  let start = 0;
  while (digits[start] === "0") start += 1;
  let end = digits.length;
  while (end > start && digits[end - 1] === "0") end -= 1;
  if (start === end) return "0";
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${negative ? "-" : ""}${digits.slice(start, end)}e${power}`;
};
