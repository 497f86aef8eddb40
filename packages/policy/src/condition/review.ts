import type { JsonObject } from "@aiw/contract/tools";
import type { Condition, Path } from "./ast.ts";
import { suggestion } from "./names.ts";
import { printCondition, printPath } from "./print.ts";

/** Something that reads as a condition but cannot have been meant. Worth a warning when it is saved. */
export interface ConditionWarning {
  /**
   * `never_evaluates`: of the wrong type whatever the values are, so a person is always asked. `constant`: the same for
   * every call. `unknown_argument`: the tool has no argument of this name.
   */
  readonly code: "never_evaluates" | "constant" | "unknown_argument";
  /** The part of the condition that is meant. */
  readonly text: string;
  /** One English sentence. */
  readonly hint: string;
}

/** Every path in the condition, each once, in the order of the text. */
export const conditionPaths = (condition: Condition): readonly Path[] => {
  const found = new Map(pathsIn(condition).map((path) => [printPath(path), path]));
  return [...found.values()];
};

const pathsIn = (condition: Condition): readonly Path[] => {
  switch (condition.kind) {
    case "path":
      return [condition];
    case "literal":
    case "list":
      return [];
    case "and":
    case "or":
      return condition.parts.flatMap(pathsIn);
    case "not":
      return pathsIn(condition.part);
    case "compare":
    case "arithmetic":
      return [...pathsIn(condition.left), ...pathsIn(condition.right)];
  }
};

/**
 * Looks for mistakes that the grammar allows. `parameters`: the tool's JSON Schema, where the rule is for one tool; names
 * are compared only where the schema closes its list of properties.
 */
export const reviewCondition = (condition: Condition, parameters?: JsonObject): readonly ConditionWarning[] => {
  const constant: readonly ConditionWarning[] =
    pathsIn(condition).length > 0
      ? []
      : [{ code: "constant", text: printCondition(condition), hint: "This is the same for every call." }];
  const unknown = parameters === undefined ? [] : unknownArguments(condition, parameters);
  return [...constant, ...mistyped(condition, "boolean"), ...unknown];
};

const unknownArguments = (condition: Condition, parameters: JsonObject): readonly ConditionWarning[] => {
  const properties = parameters["properties"];
  if (parameters["additionalProperties"] !== false || typeof properties !== "object" || properties === null) return [];
  const names = Object.keys(properties);
  return conditionPaths(condition).flatMap((path) => {
    const [name] = path.steps;
    if (path.root !== "param" || typeof name !== "string" || names.includes(name)) return [];
    const meant = suggestion(name, names);
    const hint = meant === undefined ? "The tool has no such argument." : `Did you mean "param.${meant}"?`;
    return [{ code: "unknown_argument" as const, text: printPath(path), hint }];
  });
};

type Type = "boolean" | "number" | "string" | "null" | "list" | "unknown";

const typeIn = (condition: Condition): Type => {
  switch (condition.kind) {
    case "path":
      return "unknown";
    case "literal":
      return condition.value === null ? "null" : literalType(condition.value);
    case "list":
      return "list";
    case "arithmetic":
      return "number";
    default:
      return "boolean";
  }
};

const literalType = (value: string | number | boolean): Type => {
  if (typeof value === "boolean") return "boolean";
  return typeof value === "number" ? "number" : "string";
};

const mistyped = (condition: Condition, wanted: "boolean" | "number" | "any"): readonly ConditionWarning[] => {
  const type = typeIn(condition);
  if (wanted !== "any" && type !== "unknown" && type !== wanted) {
    const hint = wanted === "number" ? "A number is needed here." : "Compare this with something.";
    return [{ code: "never_evaluates", text: printCondition(condition), hint }];
  }
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.parts.flatMap((part) => mistyped(part, "boolean"));
    case "not":
      return mistyped(condition.part, "boolean");
    case "arithmetic":
      return [...mistyped(condition.left, "number"), ...mistyped(condition.right, "number")];
    case "compare":
      return mistypedComparison(condition);
    default:
      return [];
  }
};

const mistypedComparison = (comparison: Extract<Condition, { kind: "compare" }>): readonly ConditionWarning[] => {
  const { operator, left, right } = comparison;
  const warn = (hint: string): readonly ConditionWarning[] => [
    { code: "never_evaluates", text: printCondition(comparison), hint },
  ];
  switch (operator) {
    case "<":
    case "<=":
    case ">":
    case ">=":
      return [...mistyped(left, "number"), ...mistyped(right, "number")];
    case "in":
    case "not in": {
      if (typeIn(left) === "list") return warn("A list cannot be looked for in a list.");
      if (!["list", "unknown"].includes(typeIn(right))) return warn('A list follows "in": ["a", "b"].');
      break;
    }
    default: {
      const types = [typeIn(left), typeIn(right)];
      if (types.includes("list")) return warn('Lists cannot be compared; use "in".');
      const known = new Set(types.filter((type) => type !== "unknown"));
      if (known.size === 2 && !known.has("null")) return warn("Values of different types are never compared.");
    }
  }
  return [...mistyped(left, "any"), ...mistyped(right, "any")];
};
