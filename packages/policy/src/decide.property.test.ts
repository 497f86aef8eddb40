import type { PolicyDecision, PolicyLevel, RiskClass, StagingDecision } from "@aiw/contract/tools";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, PLAN_TOOL_ID, type PolicyTool, type RuleSet } from "./decide.ts";

const tool = (id: string, more: Omit<PolicyTool, "id" | "group" | "action">): PolicyTool => {
  const [group = "", action = ""] = id.split(".");
  return { id, group, action, ...more };
};
const decisions: readonly PolicyDecision[] = ["allow", "require_approval", "deny"];
const rank = (decision: PolicyDecision): number => decisions.indexOf(decision);

describe("for every policy (properties)", () => {
  const level = fc.constantFrom<PolicyLevel>("platform", "workspace", "source", "agent");
  const staging = fc.constantFrom<StagingDecision>("auto", "approve", "deny");
  const approvalLevel = fc.constantFrom("workspace_admin" as const, "global_approver" as const);
  const anyRule = fc.record({
    id: fc.uuid(),
    pattern: fc.constantFrom("*", "Mail", "Mail.send", "FTP", "FTP.delete", "Mail.send.now", PLAN_TOOL_ID),
    decision: staging,
    approvalLevel: fc.option(approvalLevel, { nil: undefined }),
    fourEyes: fc.option(fc.boolean(), { nil: undefined }),
    label: fc.string({ maxLength: 3 }),
    version: fc.nat(3),
  });
  const anySet = fc.record({
    level,
    rules: fc.array(anyRule, { maxLength: 4 }),
    default: fc.option(staging, { nil: undefined }),
  });
  const anyTool = fc
    .record({
      id: fc.constantFrom("Mail.send", "FTP.delete", "Wiki.edit", PLAN_TOOL_ID),
      riskClass: fc.constantFrom<RiskClass | null>("read", "write_internal", "write_external", "destructive", null),
      classifiedDecision: fc.constantFrom<PolicyDecision | null>(null, ...decisions),
      level: approvalLevel,
      fourEyes: fc.boolean(),
    })
    .map(({ id, ...more }) => tool(id, more));
  const anyInput = fc.record({
    tool: anyTool,
    writePolicy: fc.constantFrom("risk_based" as const, "confirm_external" as const),
    chatMode: fc.constantFrom("work" as const, "plan" as const),
    ruleSets: fc.array(anySet, { maxLength: 5 }),
  });
  const runs = { numRuns: 2000 };

  test("a set at a lower level never loosens decision, level or four eyes (POL-3)", () => {
    fc.assert(
      fc.property(anyInput, anySet, (input, added) => {
        fc.pre(added.level !== "platform");
        const before = decide(input);
        const after = decide({ ...input, ruleSets: [...input.ruleSets, added] });
        expect(rank(after.decision)).toBeGreaterThanOrEqual(rank(before.decision));
        expect(before.level === "global_approver" && after.level === "workspace_admin").toBe(false);
        expect(before.fourEyes && !after.fourEyes).toBe(false);
      }),
      runs,
    );
  });

  test("a denial at any level denies", () => {
    fc.assert(
      fc.property(anyInput, level, (input, at) => {
        const denial: RuleSet = { level: at, rules: [], default: "deny" };
        expect(decide({ ...input, ruleSets: [...input.ruleSets, denial] }).decision).toBe("deny");
      }),
      runs,
    );
  });

  test("the order of levels and rules does not matter, not even for the explanation", () => {
    const shuffled = anyInput.chain((input) =>
      fc
        .tuple(fc.shuffledSubarray(input.ruleSets, { minLength: input.ruleSets.length }), fc.infiniteStream(fc.nat()))
        .map(([sets, stream]) => ({
          input,
          other: {
            ...input,
            ruleSets: sets.map((entry) => ({
              ...entry,
              rules: entry.rules
                .map((item) => ({ item, key: Number(stream.next().value) }))
                .sort((a, b) => a.key - b.key)
                .map(({ item }) => item),
            })),
          },
        })),
    );
    fc.assert(
      fc.property(shuffled, ({ input, other }) => {
        expect(decide(other)).toEqual(decide(input));
      }),
      runs,
    );
  });

  test("an unclassified tool is never allowed (POL-4)", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        expect(decide({ ...input, tool: { ...input.tool, riskClass: null } }).decision).toBe("deny");
      }),
      runs,
    );
  });

  test("mode B never lets an external write pass without a person (POL-5)", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const verdict = decide({
          ...input,
          writePolicy: "confirm_external",
          tool: { ...input.tool, riskClass: "write_external" },
        });
        expect(verdict.decision).not.toBe("allow");
      }),
      runs,
    );
  });

  test("POL-12 a tool whose effect depends on its arguments is judged by its class, its worst case: no argument and no condition on one makes a call pass that the class would not let pass", () => {
    const text = fc.constantFrom("select 1", "drop table orders", "rm -rf /", "--dry-run", "read", "");
    const args = fc.dictionary(
      fc.constantFrom("sql", "command", "action", "read_only"),
      fc.oneof(text, fc.boolean(), fc.nat(9)),
    );
    const condition = fc.constantFrom(
      'param.sql == "select 1"',
      "param.read_only",
      "not param.read_only",
      'param.command in ["read"]',
      "param.absent > 1",
    );
    const conditional = fc
      .tuple(level, anyRule, condition)
      .map(([at, rule, text]): RuleSet => ({ level: at, rules: [{ ...rule, decision: "approve", condition: text }] }));
    fc.assert(
      fc.property(anyInput, args, fc.array(conditional, { maxLength: 3 }), (input, param, added) => {
        // What cannot be undone may be opened by a platform's rule, for approval (POL-5): another property.
        fc.pre(input.tool.riskClass !== "destructive");
        const values = { param, context: {} };
        const worst = decide({ ...input, values });
        expect(decide({ ...input, values: { param: {}, context: {} } }).decision).toBe(worst.decision);
        const verdict = decide({ ...input, ruleSets: [...input.ruleSets, ...added], values });
        expect(rank(verdict.decision)).toBeGreaterThanOrEqual(rank(worst.decision));
      }),
      runs,
    );
    // A condition on an argument does say something: it asks where the class would not.
    const edit = tool("Wiki.edit", { riskClass: "write_internal", level: "workspace_admin", fourEyes: false });
    const asks = (readOnly: boolean): PolicyDecision =>
      decide({
        tool: edit,
        writePolicy: "risk_based",
        chatMode: "work",
        ruleSets: [
          {
            level: "workspace",
            rules: [
              { id: "r", pattern: "*", decision: "approve", label: "", version: 1, condition: "not param.read_only" },
            ],
          },
        ],
        values: { param: { read_only: readOnly }, context: {} },
      }).decision;
    expect([asks(true), asks(false)]).toEqual(["allow", "require_approval"]);
  });

  test("a destructive call is never allowed, and asked for only at a global approver (POL-5)", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const verdict = decide({ ...input, tool: { ...input.tool, riskClass: "destructive" } });
        expect(verdict.decision).not.toBe("allow");
        if (verdict.decision === "require_approval") expect(verdict.level).toBe("global_approver");
      }),
      runs,
    );
  });

  test("the deciding step asks for what the verdict says", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { decision, explanation, reason } = decide(input);
        const { code, ruleId, atLevel, steps } = explanation;
        const deciding = steps.filter(
          (step) => step.code === code && step.ruleId === ruleId && step.atLevel === atLevel,
        );
        expect(deciding.map((step) => step.decision)).toContain(decision);
        expect(steps.every((step) => rank(step.decision) <= rank(decision))).toBe(true);
        expect(reason).toMatch(/^[A-Z].*\.$/);
      }),
      runs,
    );
  });
});
