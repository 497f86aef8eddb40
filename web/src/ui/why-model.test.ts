import type { Explanation } from "@aiw/contract/explanation";
import { beforeEach, expect, test } from "vitest";
import { plainCondition } from "../i18n/condition.ts";
import { setLocale } from "../i18n/locale.ts";
import { explain } from "../i18n/policy.ts";
import { readText, wouldHaveRun } from "./why-model.ts";

beforeEach(() => setLocale("en"));

test.each([
  ["param.amount > 50 and not context.is_admin", "amount > 50 and not context.is_admin"],
  ['param.title == "param.x"', 'title == "param.x"'],
  ['param["to"] in ["a"]', 'param["to"] in ["a"]'],
  ['param.a == "\\"param.b" or param.c', 'a == "\\"param.b" or c'],
  ["", ""],
])("APR-1 %s is read as %s", (text, read) => {
  expect(plainCondition(text)).toBe(read);
});

const params = { label: "Large orders", pattern: "orders.create", level: "workspace", condition: "param.amount > 50" };

test("APR-1 the codes of conditions are worded with rule and condition, in both languages", () => {
  expect(explain({ code: "rule_condition_true", params })).toBe(
    "The rule “Large orders” (orders.create) at workspace level asks because: amount > 50",
  );
  expect(explain({ code: "rule_condition_error", params: { ...params, errorCode: "missing_value" } })).toContain(
    "a value is missing",
  );
  setLocale("de");
  expect(explain({ code: "rule_condition_true", params })).toBe(
    "Die Regel „Large orders“ (orders.create) auf Ebene Workspace fragt, weil gilt: amount > 50",
  );
  for (const code of ["rule_condition_false", "rule_condition_open"])
    expect(explain({ code, params })).toContain("amount > 50");
});

test("APR-1 values are shown as they are, and what is not shown is said", () => {
  expect(readText({ path: "param.amount", type: "number", value: 80 })).toBe("80");
  expect(readText({ path: "param.amount", type: "string", value: "80" })).toBe('"80"');
  expect(readText({ path: "param.amount", type: "missing" })).toBe("missing");
  expect(readText({ path: "param.text", type: "string", value: "abc", cut: 7 })).toBe('"abc" (+7 not shown)');
  expect(readText({ path: "param.order", type: "object" })).toBe("an object");
});

const step = (decision: "allow" | "require_approval", ruleId?: string) => ({
  code: "rule",
  params: {},
  atLevel: "workspace",
  decision,
  level: "workspace_admin" as const,
  fourEyes: false,
  ...(ruleId === undefined ? {} : { ruleId }),
});
const explanation = (...steps: readonly ReturnType<typeof step>[]): Explanation => ({
  code: "rule_condition_true",
  params,
  ruleId: "a",
  steps: [...steps],
});

test("APR-1 'would have run by itself' is said only where nothing else asked", () => {
  expect(wouldHaveRun(explanation(step("allow"), step("require_approval", "a")))).toBe(true);
  expect(wouldHaveRun(explanation(step("require_approval"), step("require_approval", "a")))).toBe(false);
  expect(wouldHaveRun(explanation(step("require_approval", "b"), step("require_approval", "a")))).toBe(false);
  expect(wouldHaveRun({ code: "rule_condition_true", params })).toBe(false);
});
