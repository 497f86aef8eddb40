/**
 * A fraction. Arguments are decimals, so sums and products of them are computed as decimals: `0.1 + 0.2 == 0.3` is true,
 * and no rounding of a double decides whether a person is asked. Its size is bounded by the length of a condition.
 */
export interface Exact {
  readonly numerator: bigint;
  /** Above zero. */
  readonly denominator: bigint;
}

/** The decimal a double is written as. Finite numbers only. */
export const exactly = (value: number): Exact => {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const digits = BigInt(`${whole}${fraction}`);
  const power = Number(exponent) - fraction.length;
  return power >= 0
    ? { numerator: digits * 10n ** BigInt(power), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-power) };
};

export const add = (a: Exact, b: Exact): Exact => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});

export const subtract = (a: Exact, b: Exact): Exact => add(a, { ...b, numerator: -b.numerator });

export const multiply = (a: Exact, b: Exact): Exact => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

/** Undefined for a division by zero. */
export const divide = (a: Exact, b: Exact): Exact | undefined => {
  if (b.numerator === 0n) return undefined;
  const sign = b.numerator < 0n ? -1n : 1n;
  return {
    numerator: sign * a.numerator * b.denominator,
    denominator: sign * a.denominator * b.numerator,
  };
};

/** Below zero, zero, above zero: as `a` is less than, equal to, greater than `b`. */
export const order = (a: Exact, b: Exact): number => {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};
