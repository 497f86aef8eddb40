import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalize, readArguments } from "../json.ts";
import type { CompareOperator, Condition, Scalar } from "./ast.ts";
import { counterfactual } from "./counterfactual.ts";
import { evaluate } from "./evaluate.ts";
import { exactly, order } from "./exact.ts";
import { parseCondition } from "./parse.ts";
import { printCondition } from "./print.ts";
import { conditionPaths, reviewCondition } from "./review.ts";
import type { ConditionValues } from "./values.ts";

const runs = { numRuns: 2000 };
const read = (text: string): Condition => {
  const parsed = parseCondition(text);
  if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.errors)}`);
  return parsed.ast;
};

const names = ["a", "b", "amount", "in", "or", "Betrag €", 'q"uote', "back\\slash", "line\nbreak", "lines"];
const scalar = fc.oneof(
  fc.constantFrom<Scalar>(true, false, null, "", "x", "60", 'a "quoted" \\ text', "two\nlines\ttab", "ä€𝄞"),
  fc.integer({ min: -100, max: 100 }),
  fc.constantFrom(0.1, 0.2, 0.3, 1.5, 1e-7, -2.25, 9007199254740991),
);
const path = fc.record({
  kind: fc.constant("path" as const),
  root: fc.constantFrom("param" as const, "context" as const),
  steps: fc.array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.nat(3) }), {
    minLength: 1,
    maxLength: 3,
  }),
});
const operators: readonly CompareOperator[] = ["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"];

/** Every shape the grammar has, sensible or not. */
const { condition } = fc.letrec<{ condition: Condition; operand: Condition }>((tie) => ({
  operand: fc.oneof(
    { maxDepth: 4, depthIdentifier: "condition" },
    fc.oneof(
      path,
      scalar.map((value): Condition => ({ kind: "literal", value })),
      fc.array(scalar, { maxLength: 3 }).map((items): Condition => ({ kind: "list", items })),
    ),
    fc.record({
      kind: fc.constant("arithmetic" as const),
      operator: fc.constantFrom("+" as const, "-" as const, "*" as const, "/" as const),
      left: tie("operand"),
      right: tie("operand"),
    }),
    tie("condition"),
  ),
  condition: fc.oneof(
    { maxDepth: 4, depthIdentifier: "condition" },
    fc.record({
      kind: fc.constant("compare" as const),
      operator: fc.constantFrom(...operators),
      left: tie("operand"),
      right: tie("operand"),
    }),
    path,
    fc.record({ kind: fc.constant("not" as const), part: tie("condition") }),
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      parts: fc.array(tie("condition"), { minLength: 2, maxLength: 3 }),
    }),
  ),
}));

const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 4 }),
  ),
})).value;
const object: fc.Arbitrary<JsonObject> = fc.dictionary(fc.constantFrom(...names), json, { maxKeys: 8 });
const values: fc.Arbitrary<ConditionValues> = fc.record({ param: object, context: object });

describe("for every condition (properties, POL-7)", () => {
  test("printed and read again it is the same tree and gives the same answer", () => {
    fc.assert(
      fc.property(condition, values, (tree, given) => {
        const text = printCondition(tree);
        fc.pre(text.length <= 2000);
        const again = read(text);
        expect(again).toEqual(tree);
        expect(printCondition(again)).toBe(text);
        expect(evaluate(again, given)).toEqual(evaluate(tree, given));
      }),
      runs,
    );
  });

  test("space between words changes nothing", () => {
    fc.assert(
      fc.property(condition, fc.constantFrom("\n", "\t", " \r\n "), (tree, space) => {
        const text = printCondition(tree);
        fc.pre(text.length <= 600 && !text.includes('"'));
        expect(read(text.replaceAll(" ", space))).toEqual(tree);
      }),
      runs,
    );
  });

  test("nothing ever throws: not reading, whatever the text, and not answering, whatever the values", () => {
    const words = fc.constantFrom(
      ..."param context . [ ] ( ) and or not in is == < + - * / ,".split(" "),
      ...`a "a" ' 1 0.1 null true \\ _x __proto__ = ! ü 👍`.split(" "),
      " ",
      "\n",
      "\ud800",
    );
    const text = fc.oneof(
      fc.array(words, { maxLength: 30 }).map((parts) => parts.join(" ")),
      fc.string({ unit: "binary" }),
    );
    const odd = fc.oneof(
      object,
      fc.object({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
    );
    fc.assert(
      fc.property(fc.oneof(text, condition.map(printCondition)), odd, odd, (source, param, context) => {
        const parsed = parseCondition(source);
        if (!parsed.ok) {
          expect(parsed.errors.length).toBeGreaterThan(0);
          for (const { at, line, column, hint } of parsed.errors) {
            expect(at >= 0 && at <= source.length && line >= 1 && column >= 1 && hint !== "").toBe(true);
          }
          return;
        }
        const given = { param, context } as ConditionValues;
        const evaluation = evaluate(parsed.ast, given);
        expect(["true", "false", "error"]).toContain(evaluation.outcome);
        expect(evaluation.errorCode !== undefined).toBe(evaluation.outcome === "error");
        reviewCondition(parsed.ast, param as JsonObject);
        counterfactual(parsed.ast, given);
      }),
      { numRuns: 5000 },
    );
  });

  test("the trace says what decided: its errors are the answer's, its values are the call's, it is stored as it is", () => {
    fc.assert(
      fc.property(condition, values, (tree, given) => {
        const { outcome, errorCode, trace } = evaluate(tree, given);
        expect(trace.length).toBeGreaterThan(0);
        expect(trace.at(-1)?.errorCode).toBe(errorCode);
        const failed = trace.filter((step) => step.outcome === "error");
        expect(failed.length > 0).toBe(outcome === "error");
        for (const step of trace) {
          expect(step.outcome).toBe(evaluate(read(step.text), given).outcome);
        }
        expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
      }),
      runs,
    );
  });

  test("a condition and its denial never both hold, and fail together", () => {
    fc.assert(
      fc.property(condition, values, (tree, given) => {
        const denied = evaluate({ kind: "not", part: tree }, given);
        const opposite = { true: "false", false: "true", error: "error" } as const;
        expect(denied.outcome).toBe(opposite[evaluate(tree, given).outcome]);
      }),
      runs,
    );
  });

  test("answered on the frozen bytes as on the arguments that were read (N72)", () => {
    fc.assert(
      fc.property(condition, object, object, (tree, param, context) => {
        const readFirst = readArguments(JSON.stringify(param));
        if (!readFirst.ok) return;
        expect(readFirst.canonical).toBe(canonicalize(param));
        const expected = evaluate(tree, { param, context });
        const frozen = readArguments(readFirst.canonical);
        if (!frozen.ok) throw new Error("frozen bytes are readable");
        expect(evaluate(tree, { param: readFirst.value, context })).toEqual(expected);
        expect(evaluate(tree, { param: frozen.value, context })).toEqual(expected);
        expect(evaluate(tree, { param: JSON.parse(readFirst.canonical) as JsonObject, context })).toEqual(expected);
      }),
      runs,
    );
  });

  test("whoever follows a way out is not asked: the condition is false then", () => {
    const flat = (value: fc.Arbitrary<Scalar>): fc.Arbitrary<JsonObject> =>
      fc.record({ a: value, b: value, c: value, d: value });
    const small = fc.constantFrom<Scalar>(0, 1, 2, true, false, "x", "y", null);
    const leaf = fc.oneof(
      fc.record({
        kind: fc.constant("compare" as const),
        operator: fc.constantFrom<CompareOperator>("==", "!=", "<", "<=", ">", ">=", "is", "is not"),
        left: fc
          .constantFrom("a", "b", "c", "d")
          .map((name): Condition => ({ kind: "path", root: "param", steps: [name] })),
        right: small.map((value): Condition => ({ kind: "literal", value })),
      }),
      fc.constantFrom("a", "b", "c", "d").map((name): Condition => ({ kind: "path", root: "param", steps: [name] })),
    );
    const { tree } = fc.letrec<{ tree: Condition }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ kind: fc.constant("not" as const), part: tie("tree") }),
        fc.record({
          kind: fc.constantFrom("and" as const, "or" as const),
          parts: fc.array(tie("tree"), { minLength: 2, maxLength: 3 }),
        }),
      ),
    }));
    let followed = 0;
    fc.assert(
      fc.property(
        tree,
        flat(small),
        fc.array(flat(small), { minLength: 30, maxLength: 30 }),
        (whole, param, others) => {
          const now = { param, context: {} };
          const ways = counterfactual(whole, now);
          if (evaluate(whole, now).outcome === "false") expect(ways).toEqual([]);
          for (const way of ways) {
            const needs = way.map(read);
            expect(needs.some((need) => evaluate(need, now).outcome !== "true")).toBe(true);
            const spoken = new Set(needs.flatMap(conditionPaths).map(({ steps }) => String(steps[0])));
            for (const other of others) {
              const changed = Object.entries(other).filter(([name]) => spoken.has(name));
              const then = { param: { ...param, ...Object.fromEntries(changed) }, context: {} };
              if (needs.some((need) => evaluate(need, then).outcome !== "true")) continue;
              followed += 1;
              expect(evaluate(whole, then).outcome).toBe("false");
            }
          }
        },
      ),
      { numRuns: 3000 },
    );
    expect(followed).toBeGreaterThan(1000);
  });

  test("decimals are ordered as their doubles are, and sums are exact", () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(Math.sign(order(exactly(a), exactly(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
      runs,
    );
    const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
    fc.assert(
      fc.property(cents, cents, (a, b) => {
        const given = { param: { a: a / 100, b: b / 100, sum: (a + b) / 100, product: (a * b) / 10_000 }, context: {} };
        expect(evaluate(read("param.a + param.b == param.sum and param.sum - param.b == param.a"), given).outcome).toBe(
          "true",
        );
        expect(evaluate(read("param.a * param.b == param.product"), given).outcome).toBe("true");
      }),
      runs,
    );
  });
});
