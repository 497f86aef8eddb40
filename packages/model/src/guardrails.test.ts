import { DEFAULT_GUARDRAILS, type GuardrailRule } from "@aiw/contract/guardrails";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readFault } from "./fault.ts";
import { classify } from "./guardrails.ts";

const fault = (body: unknown, status?: number, midStream = false) =>
  readFault({ status, rawBody: JSON.stringify(body), midStream });

test("GW-4 all conditions of a rule must hold, and a rule without conditions never matches", () => {
  const rule: GuardrailRule = {
    name: "strict",
    when: { status: [400], code: ["blocked"], messageIncludes: ["Policy", "seven"] },
  };
  const body = { error: { code: "Blocked", message: "policy number SEVEN" } };
  expect(classify(fault(body, 400), [rule])).toMatchObject({ rule: "strict", code: "Blocked", direction: "request" });
  expect(classify(fault(body, 403), [rule])).toBeNull();
  expect(classify(fault({ error: { code: "blocked", message: "policy" } }, 400), [rule])).toBeNull();
  expect(classify(fault(body, 400), [{ name: "empty", when: {} }])).toBeNull();
});

test("GW-4 the first rule wins, its words are shown, and a begun answer counts as stopped answer", () => {
  const rules: GuardrailRule[] = [
    { name: "first", when: { code: ["x1"] }, userText: "Ask the data protection officer." },
    { name: "second", when: { code: ["x1"] }, direction: "request" },
  ];
  expect(classify(fault({ error: { code: "x1", message: "raw" } }, undefined, true), rules)).toEqual({
    rule: "first",
    code: "x1",
    direction: "response",
    text: "Ask the data protection officer.",
  });
});

test("GW-4 a path into the body looks at own fields only", () => {
  const rule = (bodyHas: string): GuardrailRule => ({ name: "path", when: { bodyHas } });
  expect(classify(fault({ a: { b: 0 } }), [rule("a.b")])).not.toBeNull();
  expect(classify(fault({ a: { b: null } }), [rule("a.b")])).toBeNull();
  expect(classify(fault({ a: 1 }), [rule("a.constructor"), rule("toString"), rule("__proto__.x")])).toBeNull();
});

test("RUN-13 plain failures are no guardrail hits", () => {
  for (const body of [
    { error: { code: "rate_limit_exceeded", message: "Too many" } },
    { error: { message: "bad request" } },
    {},
    null,
    [],
    "x",
  ]) {
    for (const status of [400, 401, 404, 429, 500, 502])
      expect(classify(fault(body, status), DEFAULT_GUARDRAILS)).toBeNull();
  }
});

test("RUN-12 any body whatever is read without an exception", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (rawBody) => {
      const read = readFault({ status: 400, rawBody });
      expect(typeof read.message).toBe("string");
      expect(() => classify(read, DEFAULT_GUARDRAILS)).not.toThrow();
    }),
  );
});
