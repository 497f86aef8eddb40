import type { Condition, Path, Scalar } from "./ast.ts";

const bindings = { or: 1, and: 2, not: 3, compare: 4, sum: 5, product: 6, operand: 7 } as const;

/** The condition as text, in one spelling. Read again it gives the same tree. */
export const printCondition = (condition: Condition): string => {
  switch (condition.kind) {
    case "or":
    case "and":
      return condition.parts.map((part) => within(part, bindings[condition.kind] + 1)).join(` ${condition.kind} `);
    case "not":
      return `not ${within(condition.part, bindings.not)}`;
    case "compare": {
      const { left, operator, right } = condition;
      return `${within(left, bindings.sum)} ${operator} ${within(right, bindings.sum)}`;
    }
    case "arithmetic": {
      const { left, operator, right } = condition;
      return `${within(left, bindingOf(condition))} ${operator} ${within(right, bindingOf(condition) + 1)}`;
    }
    case "path":
      return printPath(condition);
    case "literal":
      return printScalar(condition.value);
    case "list":
      return `[${condition.items.map(printScalar).join(", ")}]`;
  }
};

export const printPath = ({ root, steps }: Path): string =>
  `${root}${steps
    .map((step) => {
      if (typeof step === "number") return `[${step}]`;
      return /^[A-Za-z][A-Za-z0-9_]*$/.test(step) ? `.${step}` : `[${printScalar(step)}]`;
    })
    .join("")}`;

const within = (part: Condition, least: number): string =>
  bindingOf(part) >= least ? printCondition(part) : `(${printCondition(part)})`;

const bindingOf = (condition: Condition): number => {
  switch (condition.kind) {
    case "or":
    case "and":
    case "not":
    case "compare":
      return bindings[condition.kind];
    case "arithmetic":
      return condition.operator === "+" || condition.operator === "-" ? bindings.sum : bindings.product;
    case "path":
    case "literal":
    case "list":
      return bindings.operand;
  }
};

const printScalar = (value: Scalar): string => {
  if (typeof value !== "string") return String(value);
  const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return `"${escaped}"`;
};
