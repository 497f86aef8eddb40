import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import type { Path, Scalar } from "./ast.ts";

/** What a condition may look at. Only own members are ever read, so the objects may have any prototype. */
export interface ConditionValues {
  /** The call's arguments, as they were frozen. */
  readonly param: JsonObject;
  /** Built with `conditionContext`. */
  readonly context: JsonObject;
}

/** Why a condition has no answer. Stable: stored with the call and worded by the screens. */
export type EvaluationError =
  | "missing_value"
  | "type_mismatch"
  | "division_by_zero"
  | "unsafe_number"
  | "list_too_long";

export type ValueType = "null" | "boolean" | "number" | "string" | "list" | "object" | "other";

/** `other`: what JSON does not have, and numbers without a finite value. */
export const typeOf = (value: unknown): ValueType => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  const type = typeof value;
  switch (type) {
    case "boolean":
    case "string":
    case "object":
      return type;
    case "number":
      return Number.isFinite(value) ? type : "other";
    default:
      return "other";
  }
};

export const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

const isObject = (value: JsonValue): value is JsonObject => typeOf(value) === "object";

export type Found = { readonly value: JsonValue } | { readonly fault: "missing_value" | "type_mismatch" };

/** The value at the path, by own members alone. A name looks into objects only, a number into lists only. */
export const lookUp = ({ root, steps }: Path, values: ConditionValues): Found => {
  let value: JsonValue = values[root];
  for (const step of steps) {
    const fits = typeof step === "number" ? isList(value) : isObject(value);
    if (!fits) return { fault: "type_mismatch" };
    const next = ownMember(value, step);
    if (next === undefined) return { fault: "missing_value" };
    value = next;
  }
  return { value };
};

const ownMember = (container: JsonValue, step: string | number): JsonValue | undefined => {
  if (typeof step === "number")
    return isList(container) && Object.hasOwn(container, step) ? container[step] : undefined;
  return isObject(container) && Object.hasOwn(container, step) ? container[step] : undefined;
};

/** A value a condition looked at, short enough to be stored and shown with the call. */
export interface Read {
  /** As it stands in the condition: `param.order.amount`. */
  readonly path: string;
  readonly type: ValueType | "missing" | "unreachable";
  /** Absent where there is nothing to show. Text of at most 200 characters, lists of at most 20 entries. */
  readonly value?: Scalar | readonly Scalar[];
  /** How many characters (UTF-16 code units) or entries are not shown. Absent: none. */
  readonly cut?: number;
}

const shownCharacters = 200;
const shownEntries = 20;

export const readOf = (path: string, found: Found): Read => {
  if ("fault" in found) return { path, type: found.fault === "missing_value" ? "missing" : "unreachable" };
  const { value } = found;
  const type = typeOf(value);
  if (typeof value === "string") {
    const [shown, cut] = shortened(value);
    return { path, type, value: shown, ...(cut === 0 ? {} : { cut }) };
  }
  if (isList(value)) {
    const entries = value.slice(0, shownEntries).flatMap((entry) => (isScalar(entry) ? [scalarShown(entry)] : []));
    const cut = value.length - entries.length;
    return { path, type, value: entries, ...(cut === 0 ? {} : { cut }) };
  }
  return isScalar(value) ? { path, type, value: scalarShown(value) } : { path, type };
};

const isScalar = (value: JsonValue): value is Scalar => ["null", "boolean", "number", "string"].includes(typeOf(value));

const scalarShown = (value: Scalar): Scalar => {
  if (value === 0) return 0; // -0 is the same number
  if (typeof value !== "string") return value;
  const [shown, cut] = shortened(value);
  return cut === 0 ? shown : `${shown}… (+${cut})`;
};

/** Cut between characters, never inside one: the text, and how much is left out. Looks at the beginning only. */
const shortened = (text: string): readonly [string, number] => {
  let characters = 0;
  let end = 0;
  for (const character of text) {
    if (characters === shownCharacters) return [text.slice(0, end), text.length - end];
    characters += 1;
    end += character.length;
  }
  return [text, 0];
};
