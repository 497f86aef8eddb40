import { Problem } from "@aiw/contract/problem";

/** Names of the engine's own views begin so; a table must not. */
const TAKEN = /^(duckdb|pg|sqlite|pragma|information_schema|upload)_?/;
/** Words that need quotes in a query everywhere. */
const WORDS = new Set([
  "all",
  "and",
  "any",
  "as",
  "asc",
  "case",
  "cast",
  "check",
  "column",
  "create",
  "cross",
  "default",
  "desc",
  "describe",
  "distinct",
  "do",
  "else",
  "end",
  "except",
  "false",
  "fetch",
  "for",
  "foreign",
  "from",
  "full",
  "group",
  "having",
  "in",
  "inner",
  "intersect",
  "into",
  "is",
  "join",
  "lateral",
  "left",
  "limit",
  "natural",
  "not",
  "null",
  "offset",
  "on",
  "or",
  "order",
  "outer",
  "pivot",
  "primary",
  "qualify",
  "references",
  "right",
  "select",
  "show",
  "some",
  "summarize",
  "table",
  "then",
  "to",
  "true",
  "union",
  "unique",
  "unpivot",
  "using",
  "when",
  "where",
  "window",
  "with",
]);

/**
 * The name of an uploaded file as it is kept: its last part is all there is, nothing that cannot be seen (N60).
 * @throws Problem bad_request
 */
export const readFileName = (text: string): string => {
  const name = text.normalize("NFC").trim();
  const isUnseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.test(name);
  if (name === "" || name.length > 200 || isUnseen || /[/\\]/.test(name) || /^\.+/.test(name))
    throw new Problem("bad_request", { fields: { name: "bad_text" } });
  return name;
};

/** A name for the table of a file that is easily written in a query: `Umsätze 2026.csv` becomes `umsaetze_2026`. */
export const tableName = (fileName: string, taken: ReadonlySet<string>): string => {
  const words = fileName
    .replace(/\.[A-Za-z0-9]+$/, "")
    .toLowerCase()
    .replaceAll("ä", "ae")
    .replaceAll("ö", "oe")
    .replaceAll("ü", "ue")
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 50);
  const plain =
    /^[a-z]/.test(words) && !TAKEN.test(words) && !WORDS.has(words) ? words : `t_${words}`.replace(/_$/, "");
  const base = plain === "t" ? "table_1" : plain;
  let name = base;
  for (let n = 2; taken.has(name); n += 1) name = `${base}_${n}`;
  return name;
};
