/** Largest price the API takes, for one million tokens. */
const MAX_PRICE = 1_000_000;

/** A price as somebody types it, with a point or a comma. Null: left out; undefined: no price. */
export const readPrice = (text: string): number | null | undefined => {
  const clean = text.trim().replace(",", ".");
  if (clean === "") return null;
  const value = Number(clean);
  return /^\d{1,7}(\.\d{1,6})?$/.test(clean) && value <= MAX_PRICE ? value : undefined;
};

/** Tokens as somebody types them, with or without grouping. Null: left out; undefined: no such number. */
export const readWindow = (text: string): number | null | undefined => {
  const clean = text.trim().replace(/(?<=\d)[\s.,'\u00a0\u202f](?=\d{3}(\D|$))/g, "");
  if (clean === "") return null;
  const value = Number(clean);
  return /^\d{1,9}$/.test(clean) && value >= 1000 && value <= 100_000_000 ? value : undefined;
};

/** Words that somebody separated by commas. */
export const readWords = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
