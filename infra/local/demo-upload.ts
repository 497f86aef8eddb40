const REGIONS = ["Nord", "Süd", "West", "Ost"] as const;
const PRODUCTS = ["Standard", "Premium", "Gift card"] as const;
const ORDERS = 240;
const FIRST_DAY = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;

/** The file of the demo: orders of a year as a German spreadsheet writes them, the same at every start (OPS-1). */
export const demoUpload = (): { readonly name: string; readonly text: string } => {
  const lines = Array.from({ length: ORDERS }, (_, n) => {
    const day = new Date(FIRST_DAY + Math.floor((n * 311) / ORDERS) * DAY_MS);
    const date = `${pad(day.getUTCDate())}.${pad(day.getUTCMonth() + 1)}.${day.getUTCFullYear()}`;
    const cents = 1_900 + ((n * 7_919) % 240_000);
    const discount = cents > 10_000 ? "true" : "false";
    const id = `O-${String(10_001 + n)}`;
    return [id, date, pick(REGIONS, n * 7 + 3), pick(PRODUCTS, n * 5 + 1), euros(cents), discount].join(";");
  });
  return {
    name: "Orders 2026.csv",
    text: `\ufeff${["order;date;region;product;amount;discounted", ...lines].join("\r\n")}\r\n`,
  };
};

const pad = (value: number): string => String(value).padStart(2, "0");
const pick = <T>(from: readonly [T, ...T[]], n: number): T => from[n % from.length] ?? from[0];
const euros = (cents: number): string =>
  `${Math.floor(cents / 100)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ".")},${pad(cents % 100)}`;
