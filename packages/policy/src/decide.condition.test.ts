import type { JsonObject, PolicyDecision, PolicyLevel, RiskClass, StagingDecision } from "@aiw/contract/tools";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCondition } from "./condition.ts";
import { conditionEffect, conditionHasEffect } from "./condition-effect.ts";
import {
  decide,
  type PolicyInput,
  type PolicyRule,
  type PolicyTool,
  type RuleSet,
  tightened,
  type Verdict,
} from "./decide.ts";

const tool = (id: string, riskClass: RiskClass, more: Partial<PolicyTool> = {}): PolicyTool => {
  const [group = "", action = ""] = id.split(".");
  return { id, group, action, riskClass, level: "workspace_admin", fourEyes: false, ...more };
};
const refund = tool("orders.refund", "write_external", { classifiedDecision: "allow" });
const rule = (pattern: string, condition?: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  id: `r:${pattern}:${condition ?? ""}`,
  pattern,
  decision: "approve",
  label: pattern,
  version: 1,
  ...(condition === undefined ? {} : { condition }),
  ...more,
});
const set = (level: PolicyLevel, ...rules: PolicyRule[]): RuleSet => ({ level, rules });
const inputOf = (ruleSets: readonly RuleSet[], more: Partial<PolicyInput> = {}): PolicyInput => ({
  tool: refund,
  ruleSets,
  writePolicy: "risk_based",
  chatMode: "work",
  values: { param: { amount: 60 }, context: { is_admin: false } },
  ...more,
});
const judge = (ruleSets: readonly RuleSet[], more: Partial<PolicyInput> = {}): Verdict =>
  decide(inputOf(ruleSets, more));
const said = ({ decision, explanation }: Verdict): string => `${decision}: ${explanation.code}`;

const high = "param.amount > 50 and not context.is_admin";

describe("a rule with a condition (POL-7)", () => {
  test.each<[string, string, JsonObject, string]>([
    ["asks where it is true", high, { amount: 60 }, "require_approval: rule_condition_true"],
    ["asks nothing where it is false", high, { amount: 50 }, "allow: classified_allow"],
    ["asks where a value is missing", high, {}, "require_approval: rule_condition_error"],
    ["asks where a type is wrong", high, { amount: "60" }, "require_approval: rule_condition_error"],
    [
      "asks where the stored text is not readable",
      "params.amount > 50",
      { amount: 1 },
      "require_approval: rule_condition_error",
    ],
    ["asks where the stored text is empty", "", { amount: 1 }, "require_approval: rule_condition_error"],
  ])("%s", (_, condition, param, expected) => {
    const values = { param, context: { is_admin: false } };
    for (const level of ["platform", "workspace", "source", "agent"] as const) {
      expect(said(judge([set(level, rule("orders.refund", condition))], { values }))).toBe(expected);
    }
  });

  test("asks while there is no call yet, as when tools are offered", () => {
    const verdict = judge([set("agent", rule("orders.refund", high))], { values: undefined });
    expect(said(verdict)).toBe("require_approval: rule_condition_open");
    expect(verdict.explanation.condition).toEqual({ text: high, outcome: "open", trace: [], counterfactual: [] });
  });

  test("binds level and four eyes only where it asks", () => {
    const strict = rule("orders", "param.amount > 1000", { approvalLevel: "global_approver", fourEyes: true });
    const other = rule("orders.refund");
    const at = (amount: number): Verdict =>
      judge([set("workspace", strict), set("agent", other)], { values: { param: { amount }, context: {} } });
    expect(at(2000)).toMatchObject({ decision: "require_approval", level: "global_approver", fourEyes: true });
    expect(at(20)).toMatchObject({ decision: "require_approval", level: "workspace_admin", fourEyes: false });
    const values = { param: {}, context: {} };
    expect(judge([set("workspace", strict)], { values })).toMatchObject({ level: "global_approver", fourEyes: true });
  });

  test("that is false leaves the other levels their say, and the other rules of its own set none", () => {
    const small = { values: { param: { amount: 1 }, context: { is_admin: false } } };
    const own = rule("orders.refund", high);
    expect(judge([set("agent", own), set("workspace", rule("orders"))], small).decision).toBe("require_approval");
    expect(
      judge([set("agent", own), set("workspace", rule("*", undefined, { decision: "deny" }))], small).decision,
    ).toBe("deny");
    expect(judge([set("agent", own)], { ...small, writePolicy: "confirm_external" }).decision).toBe("require_approval");
    expect(judge([set("agent", own, rule("orders"))], small).decision).toBe("allow");
    expect(judge([{ ...set("agent", own), default: "approve" }], small).decision).toBe("allow");
    expect(judge([set("agent", own, rule("orders.refund", "param.amount < 5"))], small).decision).toBe(
      "require_approval",
    );
  });

  test("never replaces a built-in rule; an auto rule of the platform beside it does (POL-8)", () => {
    const mail = { tool: tool("Mail.send", "write_external", { classifiedDecision: "allow" }) };
    const small = { ...mail, values: { param: { amount: 1 }, context: { is_admin: false } } };
    const own = rule("Mail.send", high);
    const auto = rule("Mail.send", undefined, { decision: "auto" });
    expect(said(judge([set("platform", own)], small))).toBe("require_approval: rule_built_in");
    expect(said(judge([set("platform", own, auto)], small))).toBe("allow: classified_allow");
    expect(said(judge([set("platform", own, auto)], mail))).toBe("require_approval: rule_condition_true");
    expect(said(judge([set("workspace", own, auto)], small))).toBe("require_approval: rule_built_in");
  });

  test("never raises a destructive tool (POL-5)", () => {
    const remove = { tool: tool("FTP.delete", "destructive") };
    const raise = set("platform", rule("FTP.delete"));
    expect(judge([set("platform", rule("FTP.delete", high))], remove).decision).toBe("deny");
    expect(judge([set("platform", rule("FTP.delete", "param.gone"))], remove).decision).toBe("deny");
    expect(judge([raise], remove).decision).toBe("require_approval");
    expect(judge([raise, set("platform", rule("FTP.delete", high))], remove).decision).toBe("require_approval");
    expect(judge([set("platform", rule("FTP.delete"), rule("FTP.delete", high))], remove).decision).toBe(
      "require_approval",
    );
  });

  test("on a denial is not looked at, and on auto it asks: neither can be saved", () => {
    const small = { values: { param: { amount: 1 }, context: { is_admin: false } } };
    expect(said(judge([set("agent", rule("orders", high, { decision: "deny" }))], small))).toBe("deny: rule");
    const verdict = judge([set("agent", rule("orders", high, { decision: "auto" }))], small);
    expect(said(verdict)).toBe("require_approval: rule_condition_error");
    expect(verdict.explanation.params).toMatchObject({ errorCode: "not_allowed" });
  });

  test("is read by whatever the caller keeps parsed conditions in", () => {
    const asked: string[] = [];
    const parse: typeof parseCondition = (text) => {
      asked.push(text);
      return parseCondition(text);
    };
    expect(judge([set("agent", rule("orders", high))], { parse }).decision).toBe("require_approval");
    expect(asked).toEqual([high]);
  });

  test("a request ends when its condition has become true meanwhile, not when it became false (APR-3)", () => {
    const sets = [set("agent", rule("orders", "param.amount > context.limit"))];
    const at = (limit: number): Verdict => judge(sets, { values: { param: { amount: 60 }, context: { limit } } });
    expect(tightened(at(100), at(50))).toBe(true);
    expect(tightened(at(50), at(100))).toBe(false);
  });
});

describe("the stored explanation says why, and what would have made it automatic (POL-2, POL-7)", () => {
  test("with the trace, the rule, and the condition's text", () => {
    const verdict = judge([
      set("workspace", rule("orders.refund", high, { id: "w1", label: "Große Beträge", version: 3 })),
    ]);
    const condition = {
      text: high,
      outcome: "true",
      trace: [
        { text: "param.amount > 50", outcome: "true", reads: [{ path: "param.amount", type: "number", value: 60 }] },
        {
          text: "context.is_admin",
          outcome: "false",
          reads: [{ path: "context.is_admin", type: "boolean", value: false }],
        },
      ],
      counterfactual: [["param.amount <= 50"], ["context.is_admin"]],
    };
    expect(verdict.explanation).toMatchObject({
      code: "rule_condition_true",
      ruleId: "w1",
      atLevel: "workspace",
      params: { pattern: "orders.refund", label: "Große Beträge", version: 3, level: "workspace", condition: high },
      condition,
    });
    expect(verdict.explanation.steps.at(-1)?.condition).toEqual(condition);
    expect(JSON.parse(JSON.stringify(verdict))).toEqual(verdict);
  });

  test("also for a condition that was false, and for one without an answer", () => {
    const sets = [set("workspace", rule("orders.refund", high))];
    const silent = judge(sets, { values: { param: { amount: 1 }, context: {} } });
    expect(silent.explanation.steps.map(({ code }) => code)).toEqual(["classified_allow", "rule_condition_false"]);
    const failed = judge(sets, { values: { param: {}, context: {} } });
    expect(failed.explanation).toMatchObject({
      params: { errorCode: "missing_value" },
      condition: {
        outcome: "error",
        errorCode: "missing_value",
        trace: [{ reads: [{ path: "param.amount", type: "missing" }] }],
      },
    });
  });

  test("the model does not learn the condition: it could split the call", () => {
    expect(judge([set("workspace", rule("orders.refund", high))]).reason).toBe(
      "A person must approve this call: a rule at workspace level applies to calls such as this one.",
    );
  });
});

describe("a condition that changes nothing is noticed when it is saved (POL-7)", () => {
  const own = rule("orders.refund", high, { id: "own" });
  test.each<[string, readonly RuleSet[], Partial<PolicyInput>, string]>([
    ["alone", [set("agent", own)], {}, "has effect"],
    ["beside another condition", [set("agent", own), set("workspace", rule("orders", "param.x"))], {}, "has effect"],
    ["a stricter level always asks", [set("agent", own), set("workspace", rule("orders"))], {}, "rule at workspace"],
    [
      "a stricter level denies",
      [set("agent", own), set("platform", rule("*", undefined, { decision: "deny" }))],
      {},
      "rule at platform",
    ],
    ["a looser level asks", [set("platform", own), set("agent", rule("orders"))], {}, "rule at agent"],
    [
      "a default asks",
      [set("agent", own), { ...set("workspace"), default: "approve" }],
      {},
      "rule_default at workspace",
    ],
    [
      "the class asks",
      [set("agent", own)],
      { writePolicy: "confirm_external" },
      "class_write_external_always at classification",
    ],
    [
      "the built-in rule asks",
      [set("agent", { ...own, pattern: "Mail" })],
      { tool: tool("Mail.send", "read") },
      "rule_built_in at platform",
    ],
    ["an equal rule of its own set asks", [set("agent", own, rule("orders.refund"))], {}, "rule at agent"],
    [
      "only it asks a global approver",
      [set("agent", { ...own, approvalLevel: "global_approver" }), set("workspace", rule("orders"))],
      {},
      "has effect",
    ],
    [
      "only it asks for four eyes",
      [set("agent", { ...own, fourEyes: true }), set("workspace", rule("orders"))],
      {},
      "has effect",
    ],
    ["the rule names another tool", [set("agent", own)], { tool: tool("orders.list", "read") }, "does not speak"],
    [
      "a more specific rule of its set speaks",
      [set("agent", { ...own, pattern: "orders" }, rule("orders.refund"))],
      {},
      "does not speak",
    ],
  ])("%s", (_, sets, more, expected) => {
    const input = inputOf(sets, more);
    const effect = conditionEffect(input, "own");
    const word = effect.hasEffect
      ? "has effect"
      : effect.because === null
        ? "does not speak"
        : `${effect.because.code} at ${effect.because.atLevel}`;
    expect(word).toBe(expected);
    expect(conditionHasEffect(input, "own")).toBe(effect.hasEffect);
  });
});

describe("for every policy (properties)", () => {
  const level = fc.constantFrom<PolicyLevel>("platform", "workspace", "source", "agent");
  const pattern = fc.constantFrom("*", "Mail", "Mail.send", "FTP.delete", "Wiki.edit");
  const approvalLevel = fc.constantFrom("workspace_admin" as const, "global_approver" as const);
  const conditions = [
    "true",
    "false",
    "param.a",
    "param.a > 5",
    "param.a > 5 or context.b",
    "param.gone",
    "params.x",
    "",
  ];
  const conditional = fc.record({
    id: fc.uuid(),
    pattern,
    decision: fc.constant<StagingDecision>("approve"),
    condition: fc.constantFrom(...conditions),
    approvalLevel: fc.option(approvalLevel, { nil: undefined }),
    fourEyes: fc.option(fc.boolean(), { nil: undefined }),
    label: fc.constant("l"),
    version: fc.constant(1),
  });
  const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
    conditional,
    fc.tuple(conditional, fc.constantFrom<StagingDecision>("auto", "approve", "deny")).map(([made, decision]) => {
      const { condition: _, ...rest } = made;
      return { ...rest, decision };
    }),
  );
  const anySet = fc.record({
    level,
    rules: fc.array(anyRule, { maxLength: 3 }),
    default: fc.option(fc.constantFrom<StagingDecision>("auto", "approve", "deny"), { nil: undefined }),
  });
  const anyInput: fc.Arbitrary<PolicyInput> = fc.record({
    tool: fc
      .record({
        id: fc.constantFrom("Mail.send", "FTP.delete", "Wiki.edit"),
        riskClass: fc.constantFrom<RiskClass>("read", "write_internal", "write_external", "destructive"),
        classifiedDecision: fc.constantFrom<PolicyDecision | null>(null, "allow", "require_approval", "deny"),
        level: approvalLevel,
        fourEyes: fc.boolean(),
      })
      .map(({ id, riskClass, ...more }) => tool(id, riskClass, more)),
    writePolicy: fc.constantFrom("risk_based" as const, "confirm_external" as const),
    chatMode: fc.constantFrom("work" as const, "plan" as const),
    ruleSets: fc.array(anySet, { maxLength: 4 }),
    values: fc.option(
      fc.record({
        param: fc.record({ a: fc.constantFrom<JsonObject[string]>(1, 10, "10", true, null) }),
        context: fc.record({ b: fc.boolean() }),
      }),
      { nil: undefined },
    ),
  });
  const rank = (decision: PolicyDecision): number => ["allow", "require_approval", "deny"].indexOf(decision);
  const notLooser = (after: Verdict, before: Verdict): void => {
    expect(rank(after.decision)).toBeGreaterThanOrEqual(rank(before.decision));
    expect(before.level === "global_approver" && after.level === "workspace_admin").toBe(false);
    expect(before.fourEyes && !after.fourEyes).toBe(false);
  };
  const withSet = (input: PolicyInput, at: PolicyLevel, added: PolicyRule): PolicyInput => ({
    ...input,
    ruleSets: [...input.ruleSets, { level: at, rules: [added] }],
  });
  const runs = { numRuns: 2000 };

  test("adding rules with conditions as a set, at any level, never loosens", () => {
    fc.assert(
      fc.property(anyInput, level, fc.array(conditional, { maxLength: 3 }), (input, at, rules) => {
        notLooser(decide({ ...input, ruleSets: [...input.ruleSets, { level: at, rules }] }), decide(input));
      }),
      runs,
    );
  });

  test("in its own set a condition stands between asking nothing and always asking", () => {
    fc.assert(
      fc.property(anyInput, anySet, conditional, (input, host, added) => {
        const within = (...rules: PolicyRule[]): Verdict =>
          decide({ ...input, ruleSets: [...input.ruleSets, { ...host, rules: [...host.rules, ...rules] }] });
        const { condition: _, approvalLevel: __, fourEyes: ___, ...bare } = added;
        const { condition: ____, ...always } = added;
        const asking = within(added);
        // Platform rules also raise destructive tools, by `approve` alone: an `auto` beside it takes the raise back, a
        // condition neither raises nor takes back. And `approve` relaxes a built-in rule, which a condition does not.
        const platform = host.level === "platform";
        if (!platform || input.tool.riskClass !== "destructive")
          notLooser(asking, within({ ...bare, decision: "auto" }));
        if (!platform) notLooser(within(always), asking);
      }),
      runs,
    );
  });

  test("without an answer it asks as if there were no condition (N71)", () => {
    fc.assert(
      fc.property(anyInput, level, conditional, (input, at, added) => {
        fc.pre(at !== "platform");
        const { condition: _, ...always } = added;
        for (const condition of ["param.gone", "param.a > '5'", "not readable", ""]) {
          const failed = decide(withSet(input, at, { ...added, condition }));
          const asked = decide(withSet(input, at, always));
          expect([failed.decision, failed.level, failed.fourEyes]).toEqual([
            asked.decision,
            asked.level,
            asked.fourEyes,
          ]);
        }
      }),
      runs,
    );
  });

  test("values that are not known yet never make it looser than any values would", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        notLooser(decide({ ...input, values: undefined }), decide(input));
      }),
      runs,
    );
  });

  test("a condition said to have no effect has none, whatever the values", () => {
    let without = 0;
    fc.assert(
      fc.property(anyInput, level, conditional, (input, at, added) => {
        const own = withSet(input, at, { ...added, id: "own" });
        if (conditionHasEffect(own, "own")) return;
        without += 1;
        const given = (condition: string): Verdict => decide(withSet(input, at, { ...added, id: "own", condition }));
        const [asking, silent] = [given("true"), given("false")];
        expect(asking.decision).toBe(silent.decision);
        if (asking.decision === "require_approval")
          expect([asking.level, asking.fourEyes]).toEqual([silent.level, silent.fourEyes]);
      }),
      runs,
    );
    expect(without).toBeGreaterThan(200);
  });

  test("a condition said to have an effect has one where no other condition speaks", () => {
    fc.assert(
      fc.property(anyInput, level, conditional, (input, at, added) => {
        const silenced: PolicyInput = {
          ...input,
          ruleSets: input.ruleSets.map((entry) => ({
            ...entry,
            rules: entry.rules.map((item) => (item.condition === undefined ? item : { ...item, condition: "false" })),
          })),
          values: { param: {}, context: {} },
        };
        if (!conditionHasEffect(withSet(silenced, at, { ...added, id: "own" }), "own")) return;
        const given = (condition: string): unknown => {
          const { decision, level: asked, fourEyes } = decide(withSet(silenced, at, { ...added, condition }));
          return { decision, asked, fourEyes };
        };
        expect(given("true")).not.toEqual(given("false"));
      }),
      runs,
    );
  });
});
