import type { CompareOperator, Condition, Path, Root, Scalar } from "./ast.ts";
import { isForbiddenName, keywords, suggestion } from "./names.ts";
import { type ConditionError, errorAt, Fault } from "./problems.ts";
import { type Token, tokenize } from "./tokens.ts";

/** How long a condition may be, in characters (POL-7). */
export const maxConditionCharacters = 2000;

/** Parentheses and `not` inside each other. */
const maxDepth = 32;

const roots: readonly Root[] = ["param", "context"];
const comparing: readonly CompareOperator[] = ["==", "!=", "<", "<=", ">", ">="];

export type ParsedCondition =
  | { readonly ok: true; readonly ast: Condition }
  /** At present one error, the first: what follows it would be guessed. */
  | { readonly ok: false; readonly errors: readonly ConditionError[] };

/**
 * Reads a condition (POL-7). Only the grammar at `Condition` exists: no calls, no roots but `param` and `context`, no
 * name that an object inherits or that begins with an underscore. Never throws; takes no more time than the text is long.
 */
export const parseCondition = (text: string): ParsedCondition => {
  const fault = faultOfText(text);
  if (fault !== undefined) return failed(text, fault);
  try {
    return { ok: true, ast: new Parser(tokenize(text)).readAll() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return failed(text, error);
  }
};

const failed = (text: string, { code, at, message }: Fault): ParsedCondition => ({
  ok: false,
  errors: [errorAt(text, code, at, message)],
});

const faultOfText = (text: string): Fault | undefined => {
  // A character has at most two code units: a megabyte is refused without counting.
  if (text.length > 2 * maxConditionCharacters || Array.from(text).length > maxConditionCharacters) {
    return new Fault("too_long", 0, `A condition has at most ${maxConditionCharacters} characters.`);
  }
  if (!text.isWellFormed()) return new Fault("bad_text", 0, "The text contains half of a surrogate pair.");
  if (text.trim() === "") return new Fault("empty", 0, "Write a condition, such as param.amount > 50.");
  return undefined;
};

class Parser {
  private readonly tokens: readonly Token[];
  private next = 0;
  private depth = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  /** @throws Fault */
  readAll(): Condition {
    const condition = this.readOr();
    const rest = this.peek();
    if (rest.kind === "end") return condition;
    throw this.unexpectedRest(rest);
  }

  private readOr(): Condition {
    return this.readChain("or", () => this.readChain("and", () => this.readNot()));
  }

  private readChain(kind: "and" | "or", readPart: () => Condition): Condition {
    const first = readPart();
    if (!this.atWord(kind)) return first;
    const parts = [first];
    while (this.takeWord(kind)) parts.push(readPart());
    return { kind, parts };
  }

  private readNot(): Condition {
    const token = this.peek();
    if (!this.takeWord("not")) return this.readComparison();
    return this.nested(token, () => ({ kind: "not", part: this.readNot() }));
  }

  private readComparison(): Condition {
    const left = this.readSum();
    const operator = this.takeComparing();
    if (operator === undefined) return left;
    const right = this.readSum();
    const { at } = this.peek();
    if (this.takeComparing() === undefined) return { kind: "compare", operator, left, right };
    throw new Fault("chained_comparison", at, 'Compare two values at a time and join with "and".');
  }

  private takeComparing(): CompareOperator | undefined {
    const symbol = comparing.find((known) => this.takeSymbol(known));
    if (symbol !== undefined) return symbol;
    if (this.takeWord("in")) return "in";
    if (this.takeWord("is")) return this.takeWord("not") ? "is not" : "is";
    const following = this.tokens[this.next + 1];
    if (this.atWord("not") && following?.kind === "name" && following.text === "in") {
      this.next += 2;
      return "not in";
    }
    return undefined;
  }

  private readSum(): Condition {
    let left = this.readProduct();
    for (;;) {
      const operator = this.takeSymbol("+") ? "+" : this.takeSymbol("-") ? "-" : undefined;
      if (operator === undefined) return left;
      left = { kind: "arithmetic", operator, left, right: this.readProduct() };
    }
  }

  private readProduct(): Condition {
    let left = this.readOperand();
    for (;;) {
      const operator = this.takeSymbol("*") ? "*" : this.takeSymbol("/") ? "/" : undefined;
      if (operator === undefined) return left;
      left = { kind: "arithmetic", operator, left, right: this.readOperand() };
    }
  }

  private readOperand(): Condition {
    const operand = this.readOperandOnly();
    this.refuseCall();
    return operand;
  }

  private readOperandOnly(): Condition {
    const token = this.peek();
    if (this.takeSymbol("(")) {
      const inner = this.nested(token, () => this.readOr());
      this.close(")", token);
      return inner;
    }
    if (this.takeSymbol("[")) return { kind: "list", items: this.readItems(token) };
    const literal = this.takeLiteral();
    if (literal !== undefined) return { kind: "literal", value: literal };
    if (token.kind === "name") return this.readPath(token);
    throw this.expectedValue(token);
  }

  /** Undefined where the next token begins no literal. */
  private takeLiteral(): Scalar | undefined {
    const token = this.peek();
    if (token.kind === "number" || token.kind === "string") {
      this.next += 1;
      return token.value;
    }
    if (this.takeWord("true")) return true;
    if (this.takeWord("false")) return false;
    if (this.takeWord("null")) return null;
    if (!this.takeSymbol("-")) return undefined;
    const digits = this.peek();
    if (digits.kind !== "number") {
      throw new Fault("expected_value", token.at, "A sign stands before a number only; subtract from 0 instead.");
    }
    this.next += 1;
    return digits.value === 0 ? 0 : -digits.value;
  }

  private readItems(open: Token): Scalar[] {
    const items: Scalar[] = [];
    if (this.takeSymbol("]")) return items;
    for (;;) {
      const token = this.peek();
      const item = this.takeLiteral();
      if (item === undefined) {
        if (token.kind === "end") throw notClosed("]", open);
        throw new Fault("bad_list", token.at, "A list holds text, numbers, true, false and null only.");
      }
      items.push(item);
      if (!this.takeSymbol(",")) break;
    }
    this.close("]", open);
    return items;
  }

  private readPath(token: Token): Path {
    const root = roots.find((known) => known === token.text);
    const following = this.tokens[this.next + 1];
    if (root === undefined) {
      if (following?.kind === "symbol" && following.text === "(") throw callNotAllowed(following.at);
      throw this.unknownRoot(token);
    }
    this.next += 1;
    const steps: (string | number)[] = [];
    for (;;) {
      const at = this.peek();
      if (this.takeSymbol(".")) steps.push(this.readName(at));
      else if (this.takeSymbol("[")) steps.push(this.readSubscript(at));
      else break;
    }
    if (steps.length > 0) return { kind: "path", root, steps };
    this.refuseCall();
    throw new Fault("missing_name", token.at, `Say which value: ${root}.name.`);
  }

  private readName(dot: Token): string {
    const token = this.peek();
    if (token.kind !== "name") throw new Fault("missing_name", dot.at, "A name follows the dot.");
    this.next += 1;
    return allowedName(token.text, token.at);
  }

  private readSubscript(open: Token): string | number {
    const token = this.peek();
    const place = token.kind === "number" && /^[0-9]+$/.test(token.text) ? token.value : undefined;
    const key = token.kind === "string" ? allowedName(token.value, token.at) : place;
    if (key === undefined) {
      throw new Fault(
        "bad_subscript",
        token.at,
        'A subscript is text in quotes or a whole number from 0: ["name"], [0].',
      );
    }
    this.next += 1;
    this.close("]", open);
    return key;
  }

  private refuseCall(): void {
    const token = this.peek();
    if (token.kind === "symbol" && token.text === "(") throw callNotAllowed(token.at);
  }

  private nested<T>(token: Token, read: () => T): T {
    this.depth += 1;
    if (this.depth > maxDepth) throw new Fault("too_deep", token.at, `Nested more than ${maxDepth} levels deep.`);
    const value = read();
    this.depth -= 1;
    return value;
  }

  private close(symbol: string, open: Token): void {
    const token = this.peek();
    if (this.takeSymbol(symbol)) return;
    throw token.kind === "end" ? notClosed(symbol, open) : this.unexpectedRest(token);
  }

  private expectedValue(token: Token): Fault {
    if (token.kind === "end") {
      return new Fault("expected_value", token.at, "The condition ends where a value is expected.");
    }
    return new Fault("expected_value", token.at, `A value is expected before ${quoted(token)}.`);
  }

  private unexpectedRest(token: Token): Fault {
    const meant = token.kind === "name" ? suggestion(token.text, keywords) : undefined;
    const hint =
      meant === undefined
        ? `An operator such as "and" or "==" is expected before ${quoted(token)}.`
        : `Did you mean "${meant}"?`;
    return new Fault("expected_end", token.at, hint);
  }

  private unknownRoot(token: Token): Fault {
    const { text, at } = token;
    if (keywords.some((word) => word === text)) return this.expectedValue(token);
    if (isForbiddenName(text)) return new Fault("forbidden_name", at, `The name "${text}" is not allowed.`);
    const meant = suggestion(text, [...roots, ...keywords]);
    if (meant !== undefined) return new Fault("unknown_root", at, `Did you mean "${meant}"?`);
    const shown = text.length > 40 ? "name" : text;
    return new Fault("unknown_root", at, `Arguments are written param.${shown}, values of the run context.${shown}.`);
  }

  private peek(): Token {
    const token = this.tokens[this.next] ?? this.tokens.at(-1);
    if (token === undefined) throw new Error("a token list ends with its end token");
    return token;
  }

  private atWord(word: string): boolean {
    const { kind, text } = this.peek();
    return kind === "name" && text === word;
  }

  private takeWord(word: string): boolean {
    if (!this.atWord(word)) return false;
    this.next += 1;
    return true;
  }

  private takeSymbol(symbol: string): boolean {
    const { kind, text } = this.peek();
    if (kind !== "symbol" || text !== symbol) return false;
    this.next += 1;
    return true;
  }
}

const quoted = ({ text }: Token): string => (text.length > 40 ? `"${text.slice(0, 40)}..."` : `"${text}"`);

const notClosed = (symbol: string, open: Token): Fault =>
  new Fault("not_closed", open.at, `There is no "${symbol}" for this "${open.text}".`);

const callNotAllowed = (at: number): Fault => new Fault("call_not_allowed", at, "Functions cannot be called here.");

const allowedName = (name: string, at: number): string => {
  if (!isForbiddenName(name)) return name;
  throw new Fault("forbidden_name", at, "Names that begin with an underscore or that objects inherit are not allowed.");
};
