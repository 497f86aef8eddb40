import type { JsonValue } from "@aiw/contract/tools";
import type { CompareOperator, Comparison, Condition } from "./ast.ts";
import { add, divide, type Exact, exactly, multiply, order, subtract } from "./exact.ts";
import { printCondition, printPath } from "./print.ts";
import { type ConditionValues, type EvaluationError, isList, lookUp, type Read, readOf, typeOf } from "./values.ts";

/** One comparison or truth test that was needed for the answer, with the values it looked at. */
export interface TraceStep {
  readonly text: string;
  readonly outcome: Outcome;
  readonly errorCode?: EvaluationError;
  readonly reads: readonly Read[];
}

export type Outcome = "true" | "false" | "error";

export interface Evaluation {
  readonly outcome: Outcome;
  /** Set where the outcome is `error`. */
  readonly errorCode?: EvaluationError;
  /** In the order of evaluation. What was not needed is not in it. JSON as it stands. */
  readonly trace: readonly TraceStep[];
}

/**
 * Answers a condition (POL-7). Types are strict, nothing is converted: `"5"` is not `5`, a truth test takes true and false
 * only, order is for numbers, equality for two values of one type, `in` for a value and a list of its type. `== null` and
 * `is null` ask whether a value that is there is null; `is` otherwise reads as `==`. Arithmetic is exact.
 *
 * From left to right: `and` ends at the first false, `or` at the first true, and both at the first error, so a missing
 * value or a wrong type makes the whole an error wherever it was needed. Never throws.
 */
export const evaluate = (condition: Condition, values: ConditionValues): Evaluation => {
  const trace: TraceStep[] = [];
  const answer = truth(condition, values, trace);
  return "error" in answer
    ? { outcome: "error", errorCode: answer.error, trace }
    : { outcome: outcomeOf(answer.value), trace };
};

/** A value, or why there is none. */
type Result<T> = { readonly value: T } | { readonly error: EvaluationError };

const outcomeOf = (value: boolean): Outcome => (value ? "true" : "false");
const mismatch = { error: "type_mismatch" } as const;

const truth = (condition: Condition, values: ConditionValues, trace: TraceStep[]): Result<boolean> => {
  switch (condition.kind) {
    case "and":
    case "or": {
      const ending = condition.kind === "or";
      for (const part of condition.parts) {
        const answer = truth(part, values, trace);
        if ("error" in answer || answer.value === ending) return answer;
      }
      return { value: !ending };
    }
    case "not": {
      const answer = truth(condition.part, values, trace);
      return "error" in answer ? answer : { value: !answer.value };
    }
    default:
      return leaf(condition, values, trace);
  }
};

/** A comparison, or a value that has to be true or false by itself. */
const leaf = (condition: Condition, values: ConditionValues, trace: TraceStep[]): Result<boolean> => {
  const reads: Read[] = [];
  const scope: Scope = { values, reads, trace };
  const answer = condition.kind === "compare" ? compare(condition, scope) : truthTest(condition, scope);
  const text = printCondition(condition);
  trace.push(
    "error" in answer
      ? { text, outcome: "error", errorCode: answer.error, reads }
      : { text, outcome: outcomeOf(answer.value), reads },
  );
  return answer;
};

interface Scope {
  readonly values: ConditionValues;
  readonly reads: Read[];
  readonly trace: TraceStep[];
}

type Operand =
  | { readonly type: "number"; readonly exact: Exact }
  | { readonly type: "other"; readonly json: JsonValue };

const truthTest = (condition: Condition, scope: Scope): Result<boolean> => {
  const operand = operandOf(condition, scope);
  if ("error" in operand) return operand;
  const { value } = operand;
  return value.type === "other" && typeof value.json === "boolean" ? { value: value.json } : mismatch;
};

const operandOf = (condition: Condition, scope: Scope): Result<Operand> => {
  switch (condition.kind) {
    case "literal":
      return operandFrom(condition.value);
    case "list":
      return operandFrom(condition.items);
    case "path": {
      const found = lookUp(condition, scope.values);
      scope.reads.push(readOf(printPath(condition), found));
      return "fault" in found ? { error: found.fault } : operandFrom(found.value);
    }
    case "arithmetic":
      return calculate(condition, scope);
    case "and":
    case "or":
    case "not":
    case "compare": {
      const answer = truth(condition, scope.values, scope.trace);
      return "error" in answer ? answer : operandFrom(answer.value);
    }
  }
};

const operandFrom = (json: JsonValue): Result<Operand> => {
  if (typeof json !== "number") return { value: { type: "other", json } };
  if (!Number.isFinite(json)) return mismatch;
  // The written digits are lost already; the double is some other number.
  if (Number.isInteger(json) && !Number.isSafeInteger(json)) return { error: "unsafe_number" };
  return { value: { type: "number", exact: exactly(json) } };
};

const calculate = (condition: Extract<Condition, { kind: "arithmetic" }>, scope: Scope): Result<Operand> => {
  const left = operandOf(condition.left, scope);
  if ("error" in left) return left;
  const right = operandOf(condition.right, scope);
  if ("error" in right) return right;
  if (left.value.type !== "number" || right.value.type !== "number") return mismatch;
  const exact = operations[condition.operator](left.value.exact, right.value.exact);
  return exact === undefined ? { error: "division_by_zero" } : { value: { type: "number", exact } };
};

const operations = { "+": add, "-": subtract, "*": multiply, "/": divide } as const;

const compare = (comparison: Comparison, scope: Scope): Result<boolean> => {
  const left = operandOf(comparison.left, scope);
  if ("error" in left) return left;
  const right = operandOf(comparison.right, scope);
  if ("error" in right) return right;
  const { operator } = comparison;
  switch (operator) {
    case "in":
      return isIn(left.value, right.value, comparison.right.kind === "list");
    case "not in":
      return opposite(isIn(left.value, right.value, comparison.right.kind === "list"));
    case "==":
    case "is":
      return equal(left.value, right.value, asksForNull(comparison));
    case "!=":
    case "is not":
      return opposite(equal(left.value, right.value, asksForNull(comparison)));
    default:
      return ordered(operator, left.value, right.value);
  }
};

const opposite = (answer: Result<boolean>): Result<boolean> => ("error" in answer ? answer : { value: !answer.value });

const asksForNull = ({ left, right }: Comparison): boolean =>
  [left, right].some((side) => side.kind === "literal" && side.value === null);

const typeName = (operand: Operand): string => (operand.type === "number" ? "number" : typeOf(operand.json));

const equal = (left: Operand, right: Operand, asksForNull: boolean): Result<boolean> => {
  if (left.type === "number" && right.type === "number") return { value: order(left.exact, right.exact) === 0 };
  const [leftType, rightType] = [typeName(left), typeName(right)];
  if (asksForNull) return { value: leftType === rightType };
  if (leftType !== rightType || left.type === "number" || right.type === "number") return mismatch;
  return ["null", "boolean", "string"].includes(leftType) ? { value: left.json === right.json } : mismatch;
};

const ordered = (operator: CompareOperator, left: Operand, right: Operand): Result<boolean> => {
  if (left.type !== "number" || right.type !== "number") return mismatch;
  const difference = order(left.exact, right.exact);
  switch (operator) {
    case "<":
      return { value: difference < 0 };
    case "<=":
      return { value: difference <= 0 };
    case ">":
      return { value: difference > 0 };
    default:
      return { value: difference >= 0 };
  }
};

/** Longer lists are for a person: what one condition costs stays bounded. */
const maxListEntries = 1000;

/**
 * Every entry of a list that came with the call must have the value's type. A list in the condition may mix types on
 * purpose; there the value's type must occur. An empty list holds nothing.
 */
const isIn = (value: Operand, list: Operand, written: boolean): Result<boolean> => {
  if (list.type === "number" || !isList(list.json)) return mismatch;
  if (list.json.length > maxListEntries) return { error: "list_too_long" };
  if (!["null", "boolean", "number", "string"].includes(typeName(value))) return mismatch;
  let comparable = 0;
  let found = false;
  for (const json of list.json) {
    const entry = operandFrom(json);
    if ("error" in entry) return entry;
    const same = equal(value, entry.value, false);
    if ("error" in same) continue;
    comparable += 1;
    found ||= same.value;
  }
  const entries = list.json.length;
  const fits = entries === 0 || (written ? comparable > 0 : comparable === entries);
  return fits ? { value: found } : mismatch;
};
