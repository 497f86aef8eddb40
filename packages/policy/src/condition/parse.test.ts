import { describe, expect, test } from "vitest";
import { parseCondition } from "./parse.ts";
import { printCondition } from "./print.ts";
import type { ConditionProblem } from "./problems.ts";

const read = (text: string): string => {
  const parsed = parseCondition(text);
  return parsed.ok ? printCondition(parsed.ast) : `${parsed.errors[0]?.code ?? ""}: ${parsed.errors[0]?.hint ?? ""}`;
};
const faultOf = (text: string): ConditionProblem | "accepted" => {
  const parsed = parseCondition(text);
  return parsed.ok ? "accepted" : (parsed.errors[0]?.code ?? "accepted");
};

describe("what a condition may say (POL-7)", () => {
  test.each([
    // text, as it is understood
    ["param.amount > 50 and not context.is_admin", "param.amount > 50 and not context.is_admin"],
    ["param.count>100", "param.count > 100"],
    ["param.a", "param.a"],
    ["true", "true"],
    ["param.a or param.b and param.c", "param.a or param.b and param.c"],
    ["(param.a or param.b) and param.c", "(param.a or param.b) and param.c"],
    ["not param.a and param.b", "not param.a and param.b"],
    ["not (param.a and param.b)", "not (param.a and param.b)"],
    ["not param.a == true", "not param.a == true"],
    ["(not param.a) == true", "(not param.a) == true"],
    ["param.a + 1 * 2 > 3", "param.a + 1 * 2 > 3"],
    ["(param.a + 1) * 2 > 3", "(param.a + 1) * 2 > 3"],
    ["param.a - (1 - 2) > 3", "param.a - (1 - 2) > 3"],
    ["(param.a - 1) - 2 > 3", "param.a - 1 - 2 > 3"],
    ["param.a / 2 / 2 == 1", "param.a / 2 / 2 == 1"],
    ["param.a -5 > -  5", "param.a - 5 > -5"],
    ["param.a --5 > 0", "param.a - -5 > 0"],
    ["param.a == -0", "param.a == 0"],
    ["param.a == 1.50", "param.a == 1.5"],
    ["param.a == 1e3", "param.a == 1000"],
    ["param.a == 1E-7", "param.a == 1e-7"],
    ["param.a in ['x', \"y\",1,true,null]", 'param.a in ["x", "y", 1, true, null]'],
    ["param.a not   in []", "param.a not in []"],
    ["param.a is null", "param.a is null"],
    ["param.a is not null", "param.a is not null"],
    ["param.a.b[0]['c d'].e[12]", 'param.a.b[0]["c d"].e[12]'],
    ["param['plain']", "param.plain"],
    ["param.in.not.is.true", "param.in.not.is.true"],
    ["param.param.context == 'x'", 'param.param.context == "x"'],
    ["param['Straße €'] == 'Köln'", 'param["Straße €"] == "Köln"'],
    ["param.a == 'it\\'s \\\\ \\\"x\\\"\\n\\t'", 'param.a == "it\'s \\\\ \\"x\\"\\n\\t"'],
    ['param.a == "👨‍👩‍👧"', 'param.a == "👨‍👩‍👧"'],
    ["param.a\n  and\r\n\tparam.b", "param.a and param.b"],
    ["((((param.a))))", "param.a"],
    ["(param.a > 5) == true", "(param.a > 5) == true"],
    ["'text' == param.a", '"text" == param.a'],
  ])("%s", (text, understood) => {
    expect(read(text)).toBe(understood);
    expect(read(understood)).toBe(understood);
  });
});

describe("what is refused when it is saved (POL-7, AGT-2, N71)", () => {
  test.each<[string, ConditionProblem]>([
    ["", "empty"],
    [" \n\t", "empty"],
    // names that objects inherit, and the ways to reach them
    ["constructor", "forbidden_name"],
    ["__proto__", "forbidden_name"],
    ["param.constructor", "forbidden_name"],
    ["param.__proto__", "forbidden_name"],
    ["param.__proto__.is_admin", "forbidden_name"],
    ['param["__proto__"]', "forbidden_name"],
    ["param['constructor']['constructor']", "forbidden_name"],
    ['param["prototype"] == 1', "forbidden_name"],
    ["param.toString", "forbidden_name"],
    ["param.valueOf == 1", "forbidden_name"],
    ["context.hasOwnProperty", "forbidden_name"],
    ["param.__defineGetter__", "forbidden_name"],
    ["param._secret", "forbidden_name"],
    ["param.a._b", "forbidden_name"],
    ['param["_secret"]', "forbidden_name"],
    ["_param.a", "forbidden_name"],
    ['param["\\u005f\\u005fproto\\u005f\\u005f"]', "bad_escape"],
    ['param["\\x5f_proto__"]', "bad_escape"],
    ["param.\\u0061", "unexpected_character"],
    ["p\\u0061ram.a", "unexpected_character"],
    // other roots
    ["this", "unknown_root"],
    ["this.a", "unknown_root"],
    ["globalThis.process", "unknown_root"],
    ["process.env.HOME == 'x'", "unknown_root"],
    ["window", "unknown_root"],
    ["params.amount > 50", "unknown_root"],
    ["amount > 50", "unknown_root"],
    ["Param.amount > 50", "unknown_root"],
    ["contxt.is_admin", "unknown_root"],
    ["param.a == NaN", "unknown_root"],
    ["param.a == Infinity", "unknown_root"],
    ["param.a == undefined", "unknown_root"],
    ["param.a == None", "unknown_root"],
    ["param.a == True", "unknown_root"],
    ["param", "missing_name"],
    ["context == null", "missing_name"],
    ["param.", "missing_name"],
    ["param..a", "missing_name"],
    ["param.5", "missing_name"],
    // calls and code
    ["len(param.a) > 5", "call_not_allowed"],
    ["param.a.lower() == 'x'", "call_not_allowed"],
    ["param.a.toLowerCase()", "call_not_allowed"],
    ["param(1)", "call_not_allowed"],
    ["(param.a)(1)", "call_not_allowed"],
    ["'x'('y')", "call_not_allowed"],
    ["eval('1')", "call_not_allowed"],
    ["Function('return 1')()", "call_not_allowed"],
    ["import('fs')", "call_not_allowed"],
    ["require('fs')", "call_not_allowed"],
    ["new Date() > param.a", "unknown_root"],
    ["`${param.a}` == 'x'", "unknown_operator"],
    ["param.a == `x`", "unknown_operator"],
    ["param[`a`]", "unknown_operator"],
    ["param.a = 5", "unknown_operator"],
    ["param.a := 5", "unexpected_character"],
    ["param.a += 5", "unknown_operator"],
    ["param.a++", "expected_value"],
    ["param.a; param.b", "unknown_operator"],
    ["param.a, param.b", "expected_end"],
    ["param.a ? 1 : 2", "unknown_operator"],
    ["param?.a", "unknown_operator"],
    ["param.a ?? true", "unknown_operator"],
    ["param.a if param.b else param.c", "expected_end"],
    ["lambda: true", "unexpected_character"],
    ["[x for x in param.a]", "bad_list"],
    ["{'a': 1} == param.a", "unknown_operator"],
    ["param.a == /x/", "expected_value"],
    ["param.a =~ 'x'", "unknown_operator"],
    ["param.a ** 2 > 4", "unknown_operator"],
    ["param.a % 2 == 0", "unknown_operator"],
    ["param.a & 1", "unknown_operator"],
    ["~param.a", "unexpected_character"],
    ["@param.a", "unexpected_character"],
    ["$param.a", "unexpected_character"],
    ["param.a$b", "unexpected_character"],
    // spellings of other languages
    ["param.a === 5", "unknown_operator"],
    ["param.a !== 5", "unknown_operator"],
    ["param.a <> 5", "unknown_operator"],
    ["param.a => 5", "unknown_operator"],
    ["param.a =< 5", "unknown_operator"],
    ["param.a && param.b", "unknown_operator"],
    ["param.a || param.b", "unknown_operator"],
    ["!param.a", "unknown_operator"],
    ["param.a AND param.b", "expected_end"],
    ["param.a adn param.b", "expected_end"],
    ["NOT param.a", "unknown_root"],
    ["param.a is in [1]", "expected_value"],
    // comments
    ["param.a # comment", "unknown_operator"],
    ["param.a // comment", "unknown_operator"],
    ["param.a /* comment */", "unknown_operator"],
    ["param.a -- comment", "unknown_operator"],
    // text
    ["param.a == 'x", "bad_string"],
    ["param.a == 'x\"", "bad_string"],
    ["param.a == 'x\ny'", "bad_string"],
    ["param.a == '\\q'", "bad_escape"],
    ["param.a == '\\", "bad_escape"],
    ["param.a == 'x\u202ey'", "hidden_character"],
    ["param.a == 'x\u200by'", "hidden_character"],
    ["param.a == 'x\u00a0y'", "hidden_character"],
    ["param.a == 'x\u0000y'", "hidden_character"],
    ["param['a\u200d']", "hidden_character"],
    ["param.a == '\ud800'", "bad_text"],
    ["param.a == “x”", "unexpected_character"],
    ["param.a\u00a0== 1", "unexpected_character"],
    ["param.a\u200b == 1", "unexpected_character"],
    ["param.größe > 1", "unexpected_character"],
    ["p\u0430ram.a", "unexpected_character"],
    ["\ufeffparam.a", "unexpected_character"],
    ["param.a ≥ 5", "unexpected_character"],
    // numbers
    ["param.a > 007", "bad_number"],
    ["param.a > 0x1f", "bad_number"],
    ["param.a > 1_000", "bad_number"],
    ["param.a > 1.", "bad_number"],
    ["param.a > .5", "expected_value"],
    ["param.a > 5kg", "bad_number"],
    ["param.a > 1.2.3", "bad_number"],
    ["param.a > 10n", "bad_number"],
    ["param.a > 1e400", "bad_number"],
    ["param.a > 9007199254740993", "bad_number"],
    ["param.a > 0.1000000000000000055", "bad_number"],
    ["param.a > -param.b", "expected_value"],
    ["param.a > - -5", "expected_value"],
    ["+5 > param.a", "expected_value"],
    // shapes
    ["param.a >", "expected_value"],
    ["> 5", "expected_value"],
    ["param.a and", "expected_value"],
    ["and param.a", "expected_value"],
    ["not", "expected_value"],
    ["param.a not param.b", "expected_end"],
    ["param.a == not param.b", "expected_value"],
    ["param.a param.b", "expected_end"],
    ["1 < param.a < 5", "chained_comparison"],
    ["param.a == param.b == param.c", "chained_comparison"],
    ["param.a in [1] in [2]", "chained_comparison"],
    ["(param.a", "not_closed"],
    ["param.a)", "expected_end"],
    ["()", "expected_value"],
    ["param.a in [1, 2", "not_closed"],
    ["param.a in [1,", "not_closed"],
    ["param.a in [1, ]", "bad_list"],
    ["param.a in [param.b]", "bad_list"],
    ["param.a in [[1]]", "bad_list"],
    ["param.a in [1 + 2]", "expected_end"],
    ["param.a in (1, 2)", "expected_end"],
    ["param[", "bad_subscript"],
    ["param[]", "bad_subscript"],
    ["param[param.b]", "bad_subscript"],
    ["param.a[-1]", "bad_subscript"],
    ["param.a[1.5]", "bad_subscript"],
    ["param.a[1e2]", "bad_subscript"],
    ["param.a[0:2]", "unexpected_character"],
    ["param.a['b'", "not_closed"],
    ["param.a[true]", "bad_subscript"],
    ["'abc'[0] == 'a'", "expected_end"],
  ])("%j: %s", (text, code) => {
    expect(faultOf(text)).toBe(code);
  });

  test("parentheses, not and their mixture are bounded in depth, and a megabyte is not read", () => {
    const deep = (times: number, open: string, close = ""): string =>
      `${open.repeat(times)}param.a${close.repeat(times)}`;
    expect(faultOf(deep(32, "(", ")"))).toBe("accepted");
    expect(faultOf(deep(33, "(", ")"))).toBe("too_deep");
    expect(faultOf(deep(32, "not "))).toBe("accepted");
    expect(faultOf(deep(33, "not "))).toBe("too_deep");
    expect(faultOf(deep(17, "not (", ")"))).toBe("too_deep");
    expect(faultOf(deep(900, "(", ")"))).toBe("too_deep");
    expect(faultOf(deep(10_000, "(", ")"))).toBe("too_long");
    expect(faultOf("(".repeat(10_000))).toBe("too_long");
    expect(faultOf("x".repeat(1024 * 1024))).toBe("too_long");
    expect(faultOf("[".repeat(2000))).toBe("bad_list");
  });

  test("2,000 characters are allowed, one more is not; characters, not code units", () => {
    const of = (length: number, letter: string): string =>
      `param.a == "${letter.repeat(length - 'param.a == ""'.length)}"`;
    expect(faultOf(of(2000, "x"))).toBe("accepted");
    expect(faultOf(of(2001, "x"))).toBe("too_long");
    expect(faultOf(of(2000, "𝄞"))).toBe("accepted");
    expect(faultOf(of(2001, "𝄞"))).toBe("too_long");
  });
});

describe("where and how to mend it (AGT-2)", () => {
  test.each([
    // text, line, column, what the hint says
    ["params.amount > 50", 1, 1, 'Did you mean "param"?'],
    ["param.a and\n  contxt.b", 2, 3, 'Did you mean "context"?'],
    ["param.a and\r\nctx.b", 2, 1, 'Did you mean "context"?'],
    ["parma.a", 1, 1, 'Did you mean "param"?'],
    ["amount > 50", 1, 1, "param.amount"],
    ["x > 50", 1, 1, "param.x"],
    ["param.a == True", 1, 12, 'Did you mean "true"?'],
    ["param.a == None", 1, 12, 'Did you mean "null"?'],
    ["param.a AND param.b", 1, 9, 'Did you mean "and"?'],
    ["param.a adn param.b", 1, 9, 'Did you mean "and"?'],
    ["param.a = 5", 1, 9, "=="],
    ["param.a && param.b", 1, 9, "and"],
    ["param.größe > 1", 1, 9, "subscript"],
    ["param.a == '👍' and x", 1, 21, "param.x"],
    ["param.a ==\n\n", 3, 1, "ends where a value"],
    ["(param.a", 1, 1, '")"'],
  ])("%j", (text, line, column, hint) => {
    const parsed = parseCondition(text);
    expect(parsed).toMatchObject({ ok: false, errors: [{ line, column, hint: expect.stringContaining(hint) }] });
    if (!parsed.ok) expect(text.slice(0, parsed.errors[0]?.at).split(/\r\n|\n/)).toHaveLength(line);
  });
});
