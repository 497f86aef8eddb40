/** Why a text is no condition. Stable: the screens word them. */
export type ConditionProblem =
  | "empty"
  | "too_long"
  | "too_deep"
  | "bad_text"
  | "hidden_character"
  | "unexpected_character"
  | "unknown_operator"
  | "bad_string"
  | "bad_escape"
  | "bad_number"
  | "unknown_root"
  | "missing_name"
  | "forbidden_name"
  | "bad_subscript"
  | "bad_list"
  | "call_not_allowed"
  | "chained_comparison"
  | "expected_value"
  | "expected_end"
  | "not_closed"
  /** Only rules that ask (`approve`) may carry a condition. */
  | "condition_needs_approve";

export interface ConditionError {
  readonly code: ConditionProblem;
  /** Offset in UTF-16 code units, from 0. */
  readonly at: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units, as editors count. */
  readonly column: number;
  /** One English sentence: what to write instead. */
  readonly hint: string;
}

/** Thrown inside the reader only; `parseCondition` turns it into a result. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: ConditionProblem;
  readonly at: number;
  constructor(code: ConditionProblem, at: number, hint: string) {
    super(hint);
    this.code = code;
    this.at = at;
  }
}

/** The error with its place in the text. A line ends with LF, CR LF or CR. */
export const errorAt = (text: string, code: ConditionProblem, at: number, hint: string): ConditionError => {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return { code, at, line: lines.length, column: (lines.at(-1) ?? "").length + 1, hint };
};
