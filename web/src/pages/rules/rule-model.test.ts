import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { ApiProblem } from "../../data/client.ts";
import { de } from "../../i18n/de/rules.ts";
import { setLocale } from "../../i18n/locale.ts";
import { bodyOf, draftOf, EMPTY, patternsOf, ruleFaults, warningText } from "./rule-model.ts";

beforeEach(() => setLocale("en"));

const problem = (code: "condition_invalid" | "bad_request", fields: Record<string, string>, params = {}): ApiProblem =>
  new ApiProblem(code, 400, { fields, params });

test("POL-7 a condition that cannot be read is worded at its field with place and what was meant, in both languages", () => {
  const found = problem(
    "condition_invalid",
    { condition: "unknown_root" },
    { at: 0, line: 1, column: 1, hint: 'Did you mean "param"? A name begins so.' },
  );
  expect(ruleFaults(found)).toEqual({
    condition: "Line 1, column 1: A name begins with param. or context. Perhaps param is meant.",
  });
  setLocale("de");
  expect(ruleFaults(found).condition).toBe(
    "Zeile 1, Spalte 1: Ein Name beginnt mit param. oder context. Gemeint ist vielleicht param.",
  );
});

test("POL-7 every problem of a condition has words", () => {
  const source = readFileSync(
    new URL("../../../../packages/policy/src/condition/problems.ts", import.meta.url),
    "utf8",
  );
  const union = /export type ConditionProblem =([\s\S]*?);/.exec(source)?.[1] ?? "";
  const codes = [...union.matchAll(/"(\w+)"/g)].map(([, code]) => code ?? "");
  expect(codes.length).toBeGreaterThan(15);
  expect(Object.keys(de.condition)).toEqual(expect.arrayContaining(codes));
});

test("POL-3 faults of other fields are worded; of a rule that is tried as well", () => {
  expect(ruleFaults(problem("bad_request", { pattern: "too_small" }))).toEqual({ pattern: "Please fill this in." });
  expect(ruleFaults(problem("bad_request", { "draft.pattern": "unknown" })).pattern).toContain("No tool");
  expect(ruleFaults(problem("bad_request", { sourceId: "unknown" })).sourceId).toContain("not connected");
  expect(ruleFaults(problem("bad_request", { args: "invalid" }))).toEqual({});
});

test("POL-7 only a rule that asks is sent with a condition and with who decides", () => {
  const draft = {
    ...EMPTY,
    pattern: " git ",
    condition: "  ",
    approvalLevel: "global_approver",
    fourEyes: true,
  } as const;
  expect(bodyOf(draft)).toMatchObject({ pattern: "git", condition: null, approvalLevel: "global_approver" });
  expect(bodyOf({ ...draft, condition: " param.a > 1 " })).toMatchObject({ condition: "param.a > 1" });
  expect(bodyOf({ ...draft, decision: "deny", condition: "param.a > 1" })).toMatchObject({
    condition: null,
    approvalLevel: null,
    fourEyes: null,
  });
});

test("a rule that has no name of its own is edited without one", () => {
  const rule = {
    id: "1",
    level: "workspace",
    sourceId: null,
    sourceName: null,
    pattern: "git",
    decision: "deny",
    condition: null,
    approvalLevel: null,
    fourEyes: null,
    label: "git",
    version: 1,
    builtIn: false,
    replaced: false,
    mayChange: true,
    warnings: [],
    changedBy: null,
    changedAt: null,
  } as const;
  expect(draftOf({ ...rule, warnings: [] })).toMatchObject({ label: "", pattern: "git", condition: "" });
  expect(draftOf({ ...rule, warnings: [], label: "Freeze" }).label).toBe("Freeze");
});

test("POL-7 a rule without effect says what decides instead; a reason of a later version is left out", () => {
  expect(warningText({ code: "no_effect", because: "class_write_external" })).toBe(
    "No effect: something else always decides. Writes to the outside need an approval here anyway.",
  );
  expect(warningText({ code: "no_effect", because: "weather" })).toBe("No effect: something else always decides.");
  expect(warningText({ code: "unknown_argument", text: "param.pth" })).toContain("param.pth");
});

test("POL-3 what can be named: everything, groups, tools", () => {
  expect(patternsOf(["git.read", "git.propose", "mail.send"])).toEqual([
    "*",
    "git",
    "mail",
    "git.propose",
    "git.read",
    "mail.send",
  ]);
});
