import type { JsonObject } from "@aiw/contract/tools";
import { describe, expect, test } from "vitest";
import { readArguments } from "../json.ts";
import { counterfactual } from "./counterfactual.ts";
import { evaluate, type Evaluation } from "./evaluate.ts";
import { parseCondition } from "./parse.ts";
import type { ConditionValues, EvaluationError } from "./values.ts";

const ast = (text: string) => {
  const parsed = parseCondition(text);
  if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.errors)}`);
  return parsed.ast;
};
const answer = (text: string, param: JsonObject = {}, context: JsonObject = {}): Evaluation =>
  evaluate(ast(text), { param, context });
const short = ({ outcome, errorCode }: Evaluation): string => errorCode ?? outcome;

const call: JsonObject = {
  amount: 60,
  half: 0.5,
  zero: 0,
  minus: -5,
  name: "Ada",
  empty: "",
  digits: "50",
  yes: true,
  no: false,
  nothing: null,
  list: ["a", "b"],
  numbers: [1, 2.5],
  mixed: ["a", 1],
  none: [],
  nested: [[1], { a: 1 }],
  order: { total: 12.5, "Betrag €": 7, lines: [{ qty: 2 }, { qty: 3 }] },
  date: "2026-05-01",
};
const context: JsonObject = { is_admin: false, roles: ["editor", "approver"], limit: 50, user_id: "u1" };

describe("answers (POL-7)", () => {
  test.each<[string, "true" | "false" | EvaluationError]>([
    // the specification's example and its parts
    ["param.amount > 50 and not context.is_admin", "true"],
    ["param.amount > 60 and not context.is_admin", "false"],
    // truth tests take true and false only
    ["param.yes", "true"],
    ["param.no", "false"],
    ["not param.no", "true"],
    ["param.amount", "type_mismatch"],
    ["param.zero", "type_mismatch"],
    ["param.name", "type_mismatch"],
    ["param.empty", "type_mismatch"],
    ["param.nothing", "type_mismatch"],
    ["param.list", "type_mismatch"],
    ["param.order", "type_mismatch"],
    ["not param.nothing", "type_mismatch"],
    ["param.amount and param.yes", "type_mismatch"],
    ["true", "true"],
    ["false", "false"],
    ["null", "type_mismatch"],
    ["5", "type_mismatch"],
    ["'x'", "type_mismatch"],
    ["[true]", "type_mismatch"],
    ["param.amount + 1", "type_mismatch"],
    // order is for numbers
    ["param.amount > 50", "true"],
    ["param.amount >= 60", "true"],
    ["param.amount < 60", "false"],
    ["param.amount <= 60", "true"],
    ["param.minus < 0", "true"],
    ['param.amount > "50"', "type_mismatch"],
    ["param.digits > 50", "type_mismatch"],
    ["param.digits > '5'", "type_mismatch"],
    ["param.name < 'B'", "type_mismatch"],
    ["param.date < '2027-01-01'", "type_mismatch"],
    ["param.date < 2027", "type_mismatch"],
    ["param.yes > 0", "type_mismatch"],
    ["param.nothing < 1", "type_mismatch"],
    ["param.list > [1]", "type_mismatch"],
    ["param.amount > param.digits", "type_mismatch"],
    ["param.amount > context.limit", "true"],
    // equality is for one type
    ["param.amount == 60", "true"],
    ["param.amount == 60.0", "true"],
    ["param.amount != 60", "false"],
    ["param.amount == '60'", "type_mismatch"],
    ["param.amount != '60'", "type_mismatch"],
    ["param.digits == 50", "type_mismatch"],
    ["param.digits == '50'", "true"],
    ["param.name == 'ada'", "false"],
    ["param.name == 'Ada'", "true"],
    ["param.empty == ''", "true"],
    ["param.yes == true", "true"],
    ["param.yes == 1", "type_mismatch"],
    ["param.yes == 'true'", "type_mismatch"],
    ["param.zero == false", "type_mismatch"],
    ["param.empty == false", "type_mismatch"],
    ["param.list == ['a', 'b']", "type_mismatch"],
    ["param.list == param.list", "type_mismatch"],
    ["param.none == []", "type_mismatch"],
    ["param.order == param.order", "type_mismatch"],
    ["param.order == 'x'", "type_mismatch"],
    ["param.date == '2026-05-01'", "true"],
    ["(param.amount > 5) == true", "true"],
    ["(param.amount > 5) == param.no", "false"],
    ["(param.amount > '5') == true", "type_mismatch"],
    ["(param.yes and param.gone) == true", "missing_value"],
    // null, asked for in so many words
    ["param.nothing == null", "true"],
    ["param.nothing is null", "true"],
    ["param.nothing is not null", "false"],
    ["param.amount == null", "false"],
    ["null != param.amount", "true"],
    ["param.zero is null", "false"],
    ["param.empty is null", "false"],
    ["param.list is null", "false"],
    ["param.order is not null", "true"],
    ["param.gone is null", "missing_value"],
    ["param.nothing == param.nothing", "true"],
    ["param.nothing == param.amount", "type_mismatch"],
    ["param.nothing == 0", "type_mismatch"],
    // `is` reads as ==
    ["param.yes is true", "true"],
    ["param.yes is not true", "false"],
    ["param.amount is 60", "true"],
    ["param.amount is '60'", "type_mismatch"],
    ["param.amount is not '60'", "type_mismatch"],
    ["param.nothing is true", "type_mismatch"],
    // in
    ["param.name in ['Ada', 'Bob']", "true"],
    ["param.name not in ['Ada', 'Bob']", "false"],
    ["param.name in []", "false"],
    ["param.name in ['ada']", "false"],
    ["param.name in [1, 2]", "type_mismatch"],
    ["param.name not in [1, 2]", "type_mismatch"],
    ["param.name in [1, 'Ada']", "true"],
    ["param.amount in [1, '60']", "false"],
    ["param.nothing in [null, 'x']", "true"],
    ["param.name in [null, 'x']", "false"],
    ["param.nothing in ['x']", "type_mismatch"],
    ["'approver' in context.roles", "true"],
    ["'admin' not in context.roles", "true"],
    ["1 in context.roles", "type_mismatch"],
    ["'a' in param.mixed", "type_mismatch"],
    ["'a' in param.none", "false"],
    ["2.5 in param.numbers", "true"],
    ["param.half * 5 in param.numbers", "true"],
    ["1 in param.nested", "type_mismatch"],
    ["param.list in param.nested", "type_mismatch"],
    ["param.order in ['x']", "type_mismatch"],
    ["'d' in param.name", "type_mismatch"],
    ["'total' in param.order", "type_mismatch"],
    ["'a' in param.nothing", "type_mismatch"],
    ["'a' in param.gone", "missing_value"],
    // paths: own members, names into objects, numbers into lists
    ["param.order.total == 12.5", "true"],
    ["param.order['Betrag €'] == 7", "true"],
    ["param.order.lines[1].qty == 3", "true"],
    ["param.order.lines[2].qty == 3", "missing_value"],
    ["param.order.lines.length == 2", "type_mismatch"],
    ["param.order[0] == 1", "type_mismatch"],
    ["param.list['0'] == 'a'", "type_mismatch"],
    ["param.list[0] == 'a'", "true"],
    ["param.name.length == 3", "type_mismatch"],
    ["param.name[0] == 'A'", "type_mismatch"],
    ["param.amount.toFixed == 1", "type_mismatch"],
    ["param.nothing.x == 1", "type_mismatch"],
    ["param.gone.x == 1", "missing_value"],
    ["param.gone", "missing_value"],
    ["not param.gone", "missing_value"],
    ["param.Amount > 5", "missing_value"],
    ["param['amount '] > 5", "missing_value"],
    ["context.amount > 5", "missing_value"],
    // arithmetic, exact
    ["param.amount * 2 - 20 == 100", "true"],
    ["param.amount / 7 * 7 == 60", "true"],
    ["0.1 + 0.2 == 0.3", "true"],
    ["param.half + 0.1 + 0.2 > 0.8", "false"],
    ["1.1 * 3 > 3.3", "false"],
    ["9007199254740991 + 2 > 9007199254740991 + 1", "true"],
    ["1e15 * 1e15 * 1e15 + 1 > 1e15 * 1e15 * 1e15", "true"],
    ["1e15 * 1e15 * 1e15 / 1e15 == 1e15 * 1e15", "true"],
    ["1 / 3 + 1 / 3 + 1 / 3 == 1", "true"],
    ["-6 / -4 == 1.5", "true"],
    ["6 / -4 < -1.4", "true"],
    ["2 - 3 - 4 == -5", "true"],
    ["2 - (3 - 4) == 3", "true"],
    ["1 + 2 * 3 == 7", "true"],
    ["param.amount / param.zero > 1", "division_by_zero"],
    ["param.amount / (param.half - 0.5) > 1", "division_by_zero"],
    ["param.name + 'x' == 'Adax'", "type_mismatch"],
    ["param.amount + '1' > 5", "type_mismatch"],
    ["param.digits * 1 > 5", "type_mismatch"],
    ["param.yes + 1 == 2", "type_mismatch"],
    ["param.nothing + 1 == 1", "type_mismatch"],
    ["param.amount + param.gone > 1", "missing_value"],
    // from left to right, ended by the first answer or error
    ["param.amount > 100 and param.gone > 1", "false"],
    ["param.amount > 50 and param.gone > 1", "missing_value"],
    ["param.gone > 1 and param.amount > 100", "missing_value"],
    ["param.amount > 50 or param.gone > 1", "true"],
    ["param.amount > 100 or param.gone > 1", "missing_value"],
    ["param.gone > 1 or param.amount > 50", "missing_value"],
    ["param.name > 1 or param.yes", "type_mismatch"],
    ["not (param.gone > 1 or param.yes)", "missing_value"],
    ["param.no and param.gone or param.yes", "true"],
    ["param.yes or param.no and param.gone", "true"],
    ["not param.yes or param.yes", "true"],
    ["not (param.yes or param.no)", "false"],
  ])("%s: %s", (text, outcome) => {
    expect(short(answer(text, call, context))).toBe(outcome);
  });

  test.each<[string, unknown, "true" | EvaluationError]>([
    ["NaN", Number.NaN, "type_mismatch"],
    ["infinity", Number.POSITIVE_INFINITY, "type_mismatch"],
    ["a whole number whose digits are lost", 2 ** 53, "unsafe_number"],
    ["undefined", undefined, "missing_value"],
    ["a big integer", 60n, "type_mismatch"],
    ["a date", new Date(0), "type_mismatch"],
    ["a boxed number", Object(60), "type_mismatch"],
  ])("what JSON does not have is no value to compare: %s (N71)", (_, value, outcome) => {
    const param = { a: value, list: [value] } as JsonObject;
    expect(short(answer("param.a > 50", param))).toBe(outcome);
    expect(short(answer("param.a == param.a", param))).toBe(outcome);
    expect(answer("param.a", param).outcome).toBe("error");
    expect(answer("60 in param.list", param).outcome).toBe("error");
  });

  test("nothing inherited is ever seen, whatever the values were made from (M3, N43)", () => {
    const inheriting: JsonObject = Object.assign(Object.create({ is_admin: true }), { a: 1 });
    expect(short(answer("context.is_admin", {}, inheriting))).toBe("missing_value");
    const parsed = JSON.parse('{"__proto__": {"is_admin": true}, "a": {"b": 1}}') as JsonObject;
    expect(short(answer("context.is_admin", {}, parsed))).toBe("missing_value");
    expect(short(answer("param.a.hasOwn == 1", parsed))).toBe("missing_value");
    expect(short(answer("param.list.at == 1", { list: [1] }))).toBe("type_mismatch");
    expect(short(answer("param.f.name == 'f'", { f: () => 1 } as unknown as JsonObject))).toBe("type_mismatch");
  });

  test("a list of more than 1,000 entries is for a person", () => {
    const param = { list: Array.from({ length: 1001 }, (_, index) => index) };
    expect(short(answer("1 in param.list", param))).toBe("list_too_long");
    expect(short(answer("1 in param.list", { list: param.list.slice(1) }))).toBe("true");
  });
});

describe("time is bounded by the text, not by the values (N71)", () => {
  const fill = (part: string, glue: string, around: (text: string) => string = (text) => text): string => {
    const times = Math.floor((1990 - around("").length) / (part.length + glue.length));
    return around(Array.from({ length: times }, () => part).join(glue));
  };
  const nested = Array.from({ length: 30 }).reduce<string>(
    (text, _, depth) => `(${text} ${depth % 2 === 0 ? "and" : "or"} param.n > ${depth})`,
    "param.s == 'x'",
  );
  test.each([
    ["products of tiny and huge numbers", fill("param.t", " * ", (text) => `${text} > 1`)],
    ["quotients", fill("param.t / param.h", " + ", (text) => `${text} > 1`)],
    ["lists", fill("param.t in param.l", " or ")],
    ["long text", fill("param.s == 'x'", " or ")],
    ["deep nesting", nested],
    ["many alternatives", fill("(param.n > 1 or param.n > 2)", " and ")],
    ["many choices", fill("(param.n > 1 and param.n > 2)", " or ")],
  ])("%s", (_, text) => {
    const values: ConditionValues = {
      param: {
        t: 1.234567890123456e-300,
        h: 1.234567890123456e300,
        n: 5,
        s: "y".repeat(1024 * 1024),
        l: Array.from({ length: 1000 }, (__, index) => index * 1e-300),
      },
      context: {},
    };
    const started = performance.now();
    const evaluation = evaluate(ast(text), values);
    const alternatives = counterfactual(ast(text), values);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(JSON.stringify([evaluation, alternatives]).length).toBeLessThan(400_000);
  });
});

describe("why am I asked (POL-7, APR-1)", () => {
  test("each comparison that was needed stands with the values it looked at, in order", () => {
    expect(answer("param.amount > context.limit and not context.is_admin", call, context).trace).toEqual([
      {
        text: "param.amount > context.limit",
        outcome: "true",
        reads: [
          { path: "param.amount", type: "number", value: 60 },
          { path: "context.limit", type: "number", value: 50 },
        ],
      },
      {
        text: "context.is_admin",
        outcome: "false",
        reads: [{ path: "context.is_admin", type: "boolean", value: false }],
      },
    ]);
  });

  test("what was missing or of the wrong type is named, and what was not needed is not there", () => {
    const [first, second, ...more] = answer("param.no or param.a.b > 1 or param.yes", { ...call, a: {} }).trace;
    expect(first?.outcome).toBe("false");
    expect(second).toEqual({
      text: "param.a.b > 1",
      outcome: "error",
      errorCode: "missing_value",
      reads: [{ path: "param.a.b", type: "missing" }],
    });
    expect(more).toEqual([]);
    expect(answer("param.name > 1", call).trace).toEqual([
      {
        text: "param.name > 1",
        outcome: "error",
        errorCode: "type_mismatch",
        reads: [{ path: "param.name", type: "string", value: "Ada" }],
      },
    ]);
    expect(answer("param.name.x == 1", call).trace[0]?.reads).toEqual([{ path: "param.name.x", type: "unreachable" }]);
    expect(answer("param.order == 1", call).trace[0]?.reads).toEqual([{ path: "param.order", type: "object" }]);
  });

  test("a value that reads like a fault is still a value", () => {
    expect(answer("param.a == 'missing'", { a: "missing" }).trace[0]?.reads).toEqual([
      { path: "param.a", type: "string", value: "missing" },
    ]);
  });

  test("long values are cut between characters, and say how much is not shown", () => {
    const param = { s: "👍".repeat(300), l: Array.from({ length: 50 }, (_, index) => `${index}`) };
    const [text] = answer("param.s == 'x'", param).trace;
    expect(text?.reads).toEqual([{ path: "param.s", type: "string", value: "👍".repeat(200), cut: 200 }]);
    const [list] = answer("'x' in param.l", param).trace;
    expect(list?.reads).toEqual([{ path: "param.l", type: "list", value: param.l.slice(0, 20), cut: 30 }]);
  });
});

describe("what would have made it automatic (POL-7, APR-1)", () => {
  const ways = (text: string, param: JsonObject = call): readonly string[] =>
    counterfactual(ast(text), { param, context }).map((way) => way.join(" & "));

  test.each<[string, readonly string[]]>([
    ["param.amount > 50", ["param.amount <= 50"]],
    ["param.amount >= 50", ["param.amount < 50"]],
    ["param.minus < 0", ["param.minus >= 0"]],
    ["param.minus <= 0", ["param.minus > 0"]],
    ["param.name == 'Ada'", ['param.name != "Ada"']],
    ["param.name != 'Bob'", ['param.name == "Bob"']],
    ["param.name in ['Ada']", ['param.name not in ["Ada"]']],
    ["param.name not in ['Bob']", ['param.name in ["Bob"]']],
    ["param.nothing is null", ["param.nothing is not null"]],
    ["param.amount is not null", ["param.amount is null"]],
    ["param.yes", ["not param.yes"]],
    ["not param.no", ["param.no"]],
    ["50 < param.amount * 2", ["50 >= param.amount * 2"]],
    ["param.amount > 50 and not context.is_admin", ["param.amount <= 50", "context.is_admin"]],
    ["param.amount > 50 or param.yes", ["param.amount <= 50 & not param.yes"]],
    ["param.amount > 50 or param.no", ["param.amount <= 50"]],
    ["param.amount > 50 and (param.yes or param.no)", ["param.amount <= 50", "not param.yes"]],
    ["not (param.amount <= 50 or param.no)", ["param.amount <= 50", "param.no"]],
    ["param.yes and param.yes", ["not param.yes"]],
    // what must stay is said where it speaks of a value that changes
    ["param.amount > 50 or param.amount < 10", ["param.amount <= 50 & param.amount >= 10"]],
    ["param.amount > 50 and param.amount < 70", ["param.amount <= 50", "param.amount >= 70 & param.amount > 50"]],
    ["param.amount > 50 and context.limit == 50", ["param.amount <= 50", "context.limit != 50"]],
    ["param.yes or not param.yes", []],
    ["true", []],
    ["1 < 2 and param.yes", ["not param.yes"]],
    // false already: nothing to change
    ["param.no", []],
    ["param.amount > 100", []],
    // without an answer: the value has to be there and to fit
    ["param.gone > 5", ["param.gone <= 5"]],
    ["param.gone > 5 and param.yes", ["param.gone <= 5", "param.gone > 5 & not param.yes"]],
    ["param.yes and param.gone > 5", ["not param.yes", "param.gone <= 5"]],
  ])("%s: %j", (text, expected) => {
    expect(ways(text)).toEqual(expected);
  });

  test("at most eight ways, the shortest first", () => {
    const found = counterfactual(
      ast("(param.a or param.b) and (param.c or param.d) and param.yes and param.amount == 60"),
      { param: { ...call, a: true, b: true, c: true, d: true }, context },
    );
    expect(found.map((way) => way.length)).toEqual([1, 1, 2, 2]);
    const many = Array.from({ length: 20 }, (_, index) => `param.k${index}`).join(" and ");
    const all = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, true]));
    expect(counterfactual(ast(many), { param: all, context })).toHaveLength(8);
  });
});

describe("the condition sees exactly what is executed (N72)", () => {
  const judged = (text: string, condition: string): string => {
    const read = readArguments(text);
    if (!read.ok) return read.code;
    const onFrozen = readArguments(read.canonical);
    if (!onFrozen.ok) throw new Error("frozen bytes are readable");
    const before = answer(condition, read.value);
    expect(answer(condition, onFrozen.value)).toEqual(before);
    expect(answer(condition, JSON.parse(read.canonical) as JsonObject)).toEqual(before);
    return short(before);
  };

  test.each([
    ["a duplicate key", '{"amount": 5000, "amount": 5}', "duplicate_key"],
    ["a duplicate key in other spelling", '{"amount": 5000, "\\u0061mount": 5}', "duplicate_key"],
    ["a number no double holds", '{"amount": 9007199254740993}', "unsafe_number"],
    ["more digits than a double keeps", '{"amount": 50.000000000000000001}', "unsafe_number"],
    ["a number beyond the range", '{"amount": 1e400}', "unsafe_number"],
    ["a key with a space", '{"amount ": 5000}', "missing_value"],
    ["a key of other case", '{"Amount": 5000}', "missing_value"],
    ["a key that looks alike", '{"\u0430mount": 5000}', "missing_value"],
    ["a key with a hidden character", '{"amount\u200b": 5000}', "missing_value"],
    ["an escaped key", '{"\\u0061mount": 5000}', "true"],
    ["an exponent", '{"amount": 5e3}', "true"],
    ["a fraction of nothing", '{"amount": 50.0}', "false"],
    ["minus zero", '{"amount": -0}', "false"],
    ["text", '{"amount": "5000"}', "type_mismatch"],
    ["a list", '{"amount": [5000]}', "type_mismatch"],
    ["null", '{"amount": null}', "type_mismatch"],
    ["a prototype", '{"__proto__": {"amount": 5000}}', "forbidden_key"],
    ["nothing", "{}", "missing_value"],
  ])("%s", (_, text, outcome) => {
    expect(judged(text, "param.amount > 50")).toBe(outcome);
  });

  test("two spellings of one letter are two keys", () => {
    expect(judged('{"gr\u00f6\u00dfe": 1}', 'param["gr\u00f6\u00dfe"] == 1')).toBe("true");
    expect(judged('{"gro\u0308\u00dfe": 1}', 'param["gr\u00f6\u00dfe"] == 1')).toBe("missing_value");
  });
});
