import type { JsonObject } from "@aiw/contract/tools";
import { describe, expect, test } from "vitest";
import { conditionContext, RESERVED_CONTEXT_NAMES } from "./context.ts";
import { parseCondition } from "./parse.ts";
import { printPath } from "./print.ts";
import { conditionPaths, reviewCondition } from "./review.ts";
import { checkRuleCondition } from "./rule-condition.ts";

const ast = (text: string) => {
  const parsed = parseCondition(text);
  if (!parsed.ok) throw new Error(text);
  return parsed.ast;
};

describe("warnings when a condition is saved (POL-7)", () => {
  test.each<[string, readonly string[]]>([
    ["param.amount > 50 and not context.is_admin", []],
    ["param.a in ['x'] or param.b is null or 'x' in context.roles", []],
    ["(param.a > 5) == param.b", []],
    ["null == param.a", []],
    ["true", ["constant"]],
    ["1 < 2", ["constant"]],
    ["5", ["constant", "never_evaluates"]],
    ['param.amount > "50"', ["never_evaluates"]],
    ["param.date < '2027-01-01'", ["never_evaluates"]],
    ["param.a > null", ["never_evaluates"]],
    ["param.a > (param.b or param.c)", ["never_evaluates"]],
    ["param.a + 1", ["never_evaluates"]],
    ["param.a and 'x'", ["never_evaluates"]],
    ["not 'x' or param.a", ["never_evaluates"]],
    ["param.a + 'x' == 'bx'", ["never_evaluates"]],
    ["param.a == [1]", ["never_evaluates"]],
    ["[1] in param.a", ["never_evaluates"]],
    ["param.a in 'abc'", ["never_evaluates"]],
    ["param.a + 1 == 'x'", ["never_evaluates"]],
    ["param.a + ('x' + 1) > 1", ["never_evaluates"]],
    ["(param.a and 5) == true", ["never_evaluates"]],
  ])("%s: %j", (text, codes) => {
    expect(reviewCondition(ast(text)).map(({ code }) => code)).toEqual(codes);
  });

  test("an argument the tool does not have is named, with the one that was probably meant", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { amount: { type: "number" }, email: { type: "string" } },
      additionalProperties: false,
    };
    expect(reviewCondition(ast("param.amuont > 5 and param.email == 'x' and context.amuont > 1"), schema)).toEqual([
      { code: "unknown_argument", text: "param.amuont", hint: 'Did you mean "param.amount"?' },
    ]);
    expect(reviewCondition(ast("param.other.x"), schema).map(({ hint }) => hint)).toEqual([
      "The tool has no such argument.",
    ]);
    const { additionalProperties: _, ...open } = schema;
    expect(reviewCondition(ast("param.other"), open)).toEqual([]);
    expect(reviewCondition(ast("param.other"), {})).toEqual([]);
  });

  test("paths are listed once", () => {
    const paths = conditionPaths(ast("param.a > 1 and (param.a + param.b.c[0] > 2 or context.x in [1])"));
    expect(paths.map(printPath)).toEqual(["param.a", "param.b.c[0]", "context.x"]);
  });

  test("only a rule that asks may have a condition", () => {
    const condition = "param.amount > 50";
    expect(checkRuleCondition({ decision: "approve", condition })).toMatchObject({ ok: true });
    for (const decision of ["deny", "auto"] as const) {
      expect(checkRuleCondition({ decision, condition })).toMatchObject({
        ok: false,
        errors: [{ code: "condition_needs_approve", line: 1, column: 1 }],
      });
    }
    expect(checkRuleCondition({ decision: "approve", condition: "amount > 50" })).toMatchObject({ ok: false });
  });
});

describe("the context of a condition (POL-7, AGT-4, M3)", () => {
  test("holds what the server set and what the caller supplied, and nothing it inherits", () => {
    const made = conditionContext({ is_admin: false, user_id: "u" }, { region: "eu" });
    expect(made).toEqual({ ok: true, context: { is_admin: false, user_id: "u", region: "eu" } });
    if (made.ok) expect([Object.getPrototypeOf(made.context), Object.isFrozen(made.context)]).toEqual([null, true]);
  });

  test.each(RESERVED_CONTEXT_NAMES)("a caller cannot set %s, in no spelling", (name) => {
    for (const spelling of [name, name.toUpperCase(), `${name} `, `\u200b${name}`, `\uff55${name}`.slice(1)]) {
      const made = conditionContext({}, { [spelling]: true });
      expect(made).toEqual({ ok: false, errors: [{ code: "reserved_name", name: spelling }] });
    }
  });

  test("full-width letters are no way around it", () => {
    expect(conditionContext({}, { ｉｓ＿ａｄｍｉｎ: true })).toMatchObject({ ok: false });
  });

  test("names that objects inherit or that begin with an underscore are refused", () => {
    const supplied = JSON.parse(
      '{"__proto__": {"is_admin": true}, "constructor": 1, "_x": 1, "fine": 1}',
    ) as JsonObject;
    const made = conditionContext({}, supplied);
    expect(made.ok ? [] : made.errors.map(({ name }) => name)).toEqual(["__proto__", "constructor", "_x"]);
    expect(made.ok ? [] : made.errors.every(({ code }) => code === "forbidden_name")).toBe(true);
  });
});
