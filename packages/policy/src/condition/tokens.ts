import { readNumber } from "../json-number.ts";
import { reveal } from "../reveal.ts";
import { Fault } from "./problems.ts";

export type Token =
  | { readonly kind: "number"; readonly value: number; readonly text: string; readonly at: number }
  | { readonly kind: "string"; readonly value: string; readonly text: string; readonly at: number }
  | { readonly kind: "name" | "symbol" | "end"; readonly text: string; readonly at: number };

const space = /[ \t\r\n]+/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
// Takes what a person would call one number, so that `007`, `1.2.3`, `0x1f` and `5kg` are refused as a whole.
const numeral = /[0-9](?:[eE][+-](?=[0-9])|[A-Za-z0-9_.])*/y;
const jsonNumber = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const symbol = /==|!=|<=|>=|[<>+\-*/()[\].,]/y;
const escapes: ReadonlyMap<string, string> = new Map([
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
  ["n", "\n"],
  ["t", "\t"],
]);

/** Spellings of other languages, the longest first, with what to write here. */
const foreign: readonly (readonly [string, string])[] = [
  ["===", 'Write "==".'],
  ["!==", 'Write "!=".'],
  ["<=>", "Compare with one operator."],
  ["<>", 'Write "!=".'],
  ["=>", 'Write ">=".'],
  ["=<", 'Write "<=".'],
  ["&&", 'Write "and".'],
  ["||", 'Write "or".'],
  ["**", "There is no power operator."],
  ["//", "Comments are not allowed; divide with one /."],
  ["/*", "Comments are not allowed."],
  ["--", "Comments are not allowed; subtract with one -."],
  ["?.", "Write a plain dot."],
  ["?", "There is no conditional operator."],
  ["&", 'Write "and".'],
  ["|", 'Write "or".'],
  ["!", 'Write "not".'],
  ["=", 'Compare with "=="; nothing can be set.'],
  ["%", "There is no remainder operator."],
  ["#", "Comments are not allowed."],
  ["`", "Write text in double or single quotes."],
  [";", "One condition only."],
  ["{", "There are no objects here."],
];

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/** @throws Fault */
export const tokenize = (text: string): Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += matchAt(space, text, at)?.length ?? 0;
    if (at >= text.length) return [...tokens, { kind: "end", text: "", at: text.length }];
    const token = readToken(text, at);
    tokens.push(token);
    at += token.text.length;
  }
};

const readToken = (text: string, at: number): Token => {
  const char = text[at];
  if (char === '"' || char === "'") return readString(text, at, char);

  const digits = matchAt(numeral, text, at);
  if (digits !== undefined) return { kind: "number", value: numberOf(digits, at), text: digits, at };
  const word = matchAt(name, text, at);
  if (word !== undefined) return { kind: "name", text: word, at };

  const operator = matchAt(symbol, text, at);
  const other = foreign.find(([spelling]) => text.startsWith(spelling, at));
  // `1 --2` is a subtraction of a negative number, and `=` begins `==`.
  if (operator !== undefined && (other === undefined || other[0].length <= operator.length || isMinus(text, at))) {
    return { kind: "symbol", text: operator, at };
  }
  if (other !== undefined) throw new Fault("unknown_operator", at, other[1]);
  throw new Fault("unexpected_character", at, unexpected(text, at));
};

const isMinus = (text: string, at: number): boolean => /^--[0-9]/.test(text.slice(at, at + 3));

const numberOf = (digits: string, at: number): number => {
  if (!jsonNumber.test(digits)) {
    throw new Fault("bad_number", at, "Write numbers as 50, 12.5 or 1e3; text belongs in quotes.");
  }
  const number = readNumber(digits);
  if ("problem" in number)
    throw new Fault("bad_number", at, "This number is too large or has too many digits to be kept exactly.");
  return number.value;
};

const unexpected = (text: string, at: number): string => {
  const codePoint = text.codePointAt(at) ?? 0;
  const code = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
  return /\p{L}/u.test(String.fromCodePoint(codePoint))
    ? `The letter ${code} is not allowed in a name; write such a name as a subscript: param["..."].`
    : `The character ${code} has no meaning here.`;
};

const readString = (text: string, start: number, quote: string): Token => {
  let value = "";
  let at = start + 1;
  for (;;) {
    const char = text[at];
    if (char === undefined || char === "\n" || char === "\r") {
      throw new Fault("bad_string", start, "This text is not closed; quotes open and close on the same line.");
    }
    if (char === quote) break;
    if (char === "\\") {
      const meant = escapes.get(text[at + 1] ?? "");
      if (meant === undefined) {
        throw new Fault(
          "bad_escape",
          at,
          "Only \\\\, \\\", \\', \\n and \\t are known; write other characters as they are.",
        );
      }
      value += meant;
      at += 2;
    } else {
      value += char;
      at += 1;
    }
  }
  const raw = text.slice(start, at + 1);
  const hidden = reveal(raw).segments.find((segment) => segment.hidden !== undefined)?.hidden;
  if (hidden !== undefined) {
    throw new Fault("hidden_character", start, `This text contains a character that cannot be seen: ${hidden.shown}.`);
  }
  return { kind: "string", value, text: raw, at: start };
};
