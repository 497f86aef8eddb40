export type Scalar = string | number | boolean | null;

export type Root = "param" | "context";

export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in" | "is" | "is not";

export type ArithmeticOperator = "+" | "-" | "*" | "/";

/** `param.order["Betrag €"].lines[0]`. At least one step; a number is a place in a list, counted from 0. */
export interface Path {
  readonly kind: "path";
  readonly root: Root;
  readonly steps: readonly (string | number)[];
}

export interface Comparison {
  readonly kind: "compare";
  readonly operator: CompareOperator;
  readonly left: Condition;
  readonly right: Condition;
}

/**
 * A condition as a tree (POL-7). The grammar, loosest binding first:
 *
 *     condition  = and { "or" and }
 *     and        = not { "and" not }
 *     not        = "not" not | comparison
 *     comparison = sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in" | "is" [ "not" ] ) sum ]
 *     sum        = product { ( "+" | "-" ) product }
 *     product    = operand { ( "*" | "/" ) operand }
 *     operand    = literal | list | path | "(" condition ")"
 *     literal    = [ "-" ] number | string | "true" | "false" | "null"
 *     list       = "[" [ literal { "," literal } ] "]"
 *     path       = ( "param" | "context" ) step { step }
 *     step       = "." name | "[" ( string | whole number ) "]"
 */
export type Condition =
  /** At least two parts. */
  | { readonly kind: "and" | "or"; readonly parts: readonly Condition[] }
  | { readonly kind: "not"; readonly part: Condition }
  | Comparison
  | {
      readonly kind: "arithmetic";
      readonly operator: ArithmeticOperator;
      readonly left: Condition;
      readonly right: Condition;
    }
  | Path
  | { readonly kind: "literal"; readonly value: Scalar }
  | { readonly kind: "list"; readonly items: readonly Scalar[] };
