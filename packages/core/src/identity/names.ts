import { Problem } from "@aiw/contract/problem";

/** Control, invisible, reordering and private characters, lone surrogates, line breaks. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * A name as it is stored: names that differ in nothing a reader could see are one. Unicode NFC, every run of blanks one space, nothing
 * that cannot be seen. Also keeps out what Postgres cannot store (NUL, lone surrogates).
 * @throws Problem bad_request with this field
 */
export function readName(text: string, field: string): string {
  const name = text
    .normalize("NFC")
    .replace(/[\t\p{Zs}]+/gu, " ")
    .trim();
  if (name === "" || UNSEEN.test(name)) throw new Problem("bad_request", { fields: { [field]: "bad_text" } });
  return name;
}
