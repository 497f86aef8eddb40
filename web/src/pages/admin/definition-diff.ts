import { diffLines } from "diff";

export interface SideRow {
  readonly kind: "same" | "changed";
  /** Null: nothing stands on this side. */
  readonly before: string | null;
  readonly after: string | null;
}

/** JSON text with its members one below the other; text that is no JSON as it is. */
const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const linesOf = (text: string): string[] => {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
};

/** Two definitions line by line beside each other (POL-6); nothing is left out. */
export function sideBySide(before: string, after: string): readonly SideRow[] {
  const rows: SideRow[] = [];
  let removed: string[] = [];
  const flush = (added: readonly string[]): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      rows.push({ kind: "changed", before: removed[index] ?? null, after: added[index] ?? null });
    removed = [];
  };
  for (const part of diffLines(`${pretty(before)}\n`, `${pretty(after)}\n`)) {
    const lines = linesOf(part.value);
    if (part.removed) removed = [...removed, ...lines];
    else if (part.added) flush(lines);
    else {
      flush([]);
      rows.push(...lines.map((line): SideRow => ({ kind: "same", before: line, after: line })));
    }
  }
  flush([]);
  return rows;
}
