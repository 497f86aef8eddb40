const prototypeNames: ReadonlySet<string> = new Set(["prototype", ...Object.getOwnPropertyNames(Object.prototype)]);

/** Names no path may contain: leading underscore, and whatever objects inherit (POL-7, M3, N71). */
export const isForbiddenName = (name: string): boolean => name.startsWith("_") || prototypeNames.has(name);

export const keywords = ["and", "or", "not", "in", "is", "true", "false", "null"] as const;

const elsewhere: ReadonlyMap<string, string> = new Map([
  ["none", "null"],
  ["nil", "null"],
  ["undefined", "null"],
  ["yes", "true"],
  ["no", "false"],
  ["params", "param"],
  ["parameter", "param"],
  ["parameters", "param"],
  ["arg", "param"],
  ["args", "param"],
  ["argument", "param"],
  ["arguments", "param"],
  ["input", "param"],
  ["ctx", "context"],
]);

/** What was probably meant: another spelling, another language's word, or a typing error of at most two letters. */
export const suggestion = (name: string, known: readonly string[]): string | undefined => {
  const lower = name.toLowerCase();
  const translated = elsewhere.get(lower) ?? lower;
  if (known.includes(translated)) return translated;
  const ranked = known
    .map((candidate) => ({ candidate, distance: typingErrors(lower, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= (candidate.length > 4 ? 2 : 1) && distance < candidate.length)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
};

/** Letters to insert, drop, replace or swap with their neighbour. Names longer than 64 characters resemble nothing. */
const typingErrors = (a: string, b: string): number => {
  if (a.length > 64 || b.length > 64) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const here = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      here.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (here[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = above;
    above = here;
  }
  return above[b.length] ?? 0;
};
