import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import { readNumber } from "./json-number.ts";

/** Why argument text was refused. Stable: stored with the call and worded by the screen. */
export type ArgumentsProblem =
  | "not_json"
  | "not_object"
  | "duplicate_key"
  | "unsafe_number"
  | "too_deep"
  | "too_large"
  | "forbidden_key"
  | "bad_text";

/** Thrown inside the reader only; `readArguments` turns it into a result. `path` is a JSON pointer (RFC 6901). */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ArgumentsProblem;
  readonly path: string;
  constructor(code: ArgumentsProblem, message: string, path: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

const numberLiteral = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const noncharacter = /\p{Noncharacter_Code_Point}/u;
const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/**
 * A JSON reader that sees what `JSON.parse` hides: duplicate members, digits that a double drops, prototype names.
 * Objects come out as frozen maps without a prototype, arrays frozen (M3, M4).
 */
export class JsonReader {
  private readonly text: string;
  private readonly maxDepth: number;
  private at = 0;
  private readonly path: (string | number)[] = [];

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  /** @throws Refusal */
  readDocument(): JsonValue {
    this.skipSpace();
    const value = this.readValue();
    this.skipSpace();
    if (this.at < this.text.length) throw this.syntax("expected the end of the text");
    return value;
  }

  private readValue(): JsonValue {
    const char = this.text[this.at];
    switch (char) {
      case "{":
        return this.readObject();
      case "[":
        return this.readArray();
      case '"':
        return this.readString();
      case "t":
        return this.readWord("true", true);
      case "f":
        return this.readWord("false", false);
      case "n":
        return this.readWord("null", null);
      default:
        return this.readNumber();
    }
  }

  private readObject(): JsonObject {
    this.enter();
    const object: Record<string, JsonValue> = Object.create(null);
    this.skipSpace();
    if (this.take("}")) return Object.freeze(object);
    for (;;) {
      this.skipSpace();
      if (this.text[this.at] !== '"') throw this.syntax("expected a member name in double quotes");
      const key = this.readString();
      this.path.push(key);
      if (forbiddenKeys.has(key)) throw this.refuse("forbidden_key", `the member name "${key}" is not allowed`);
      if (key in object) throw this.refuse("duplicate_key", "the same member name appears twice");
      this.skipSpace();
      if (!this.take(":")) throw this.syntax('expected ":"');
      this.skipSpace();
      object[key] = this.readValue();
      this.path.pop();
      this.skipSpace();
      if (this.take("}")) return Object.freeze(object);
      if (!this.take(",")) throw this.syntax('expected "," or "}"');
    }
  }

  private readArray(): readonly JsonValue[] {
    this.enter();
    const array: JsonValue[] = [];
    this.skipSpace();
    if (this.take("]")) return Object.freeze(array);
    for (;;) {
      this.path.push(array.length);
      this.skipSpace();
      array.push(this.readValue());
      this.path.pop();
      this.skipSpace();
      if (this.take("]")) return Object.freeze(array);
      if (!this.take(",")) throw this.syntax('expected "," or "]"');
    }
  }

  /** The path has one entry for each container around this one. */
  private enter(): void {
    if (this.path.length >= this.maxDepth) {
      throw this.refuse("too_deep", `nested more than ${this.maxDepth} levels deep`);
    }
    this.at += 1;
  }

  private readString(): string {
    this.at += 1;
    let value = "";
    let from = this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        value += this.text.slice(from, this.at) + this.readEscape();
        from = this.at;
      } else if (code >= 0x20) {
        this.at += 1;
      } else {
        // NaN at the end of the text, and raw control characters, which JSON wants escaped.
        throw this.syntax("expected the end of a string");
      }
    }
    value += this.text.slice(from, this.at);
    this.at += 1;
    if (value.includes("\0")) throw this.refuse("bad_text", "a string contains the character U+0000");
    if (!value.isWellFormed()) throw this.refuse("bad_text", "a string contains half of a surrogate pair");
    if (noncharacter.test(value)) throw this.refuse("bad_text", "a string contains a Unicode noncharacter");
    return value;
  }

  private readEscape(): string {
    const letter = this.text[this.at + 1] ?? "";
    const plain = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (plain !== undefined) {
      this.at += 2;
      return plain;
    }
    const digits = this.text.slice(this.at + 2, this.at + 6);
    if (letter !== "u" || !/^[0-9a-fA-F]{4}$/.test(digits)) throw this.syntax("a string has an unknown escape");
    this.at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  private readNumber(): number {
    numberLiteral.lastIndex = this.at;
    const literal = numberLiteral.exec(this.text)?.[0];
    if (literal === undefined) throw this.syntax("expected a value");
    const number = readNumber(literal);
    if ("problem" in number) {
      const shown = literal.length > 40 ? `${literal.slice(0, 40)}... (${literal.length} characters)` : literal;
      throw this.refuse("unsafe_number", `the number ${shown} ${number.problem}`);
    }
    this.at += literal.length;
    return number.value;
  }

  private readWord<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.syntax("expected a value");
    this.at += word.length;
    return value;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  private syntax(what: string): Refusal {
    return this.refuse("not_json", `${what} at character ${this.at + 1}`);
  }

  private refuse(code: ArgumentsProblem, message: string): Refusal {
    const pointer = this.path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    return new Refusal(code, message, pointer.length > 200 ? `${pointer.slice(0, 200)}...` : pointer);
  }
}
