import type { UploadColumn } from "@aiw/contract/uploads";
import {
  digitsOf,
  FORMS,
  hasLeadingZero,
  isComma,
  isDouble,
  isInteger,
  isPoint,
  plainNumber,
  type NumberStyle,
} from "./values.ts";

type Form = keyof typeof FORMS;
const FORM_TYPES: Readonly<Record<Form, string>> = {
  isoDate: "DATE",
  dotDate: "DATE",
  dayFirst: "DATE",
  monthFirst: "DATE",
  isoTime: "TIMESTAMP",
  dotTime: "TIMESTAMP",
  zonedTime: "TIMESTAMP WITH TIME ZONE",
  boolean: "BOOLEAN",
};

const MAX_DIGITS = 38;
const BIGINT_DIGITS = 18;
const EXAMPLES = 3;
const EXAMPLE_CHARS = 60;
/** A column that is this much of one kind is told what kept it from being it. */
const MOSTLY = 0.5;

/** Values that do not fit, after which a kind is given up that most of them do not fit. */
const ENOUGH_MISSES = 200;

/** A kind a column could be: how many of its values fit, and the first that does not. */
class Candidate {
  fits = 0;
  fault: { readonly line: number; readonly value: string } | null = null;
  /** Most digits before and behind the point. */
  whole = 0;
  scale = 0;
  private misses = 0;
  /** Neither all nor most of the values fit: not worth another look. */
  get isOut(): boolean {
    return this.misses > ENOUGH_MISSES && this.misses > this.fits;
  }
  add(fit: boolean, line: number, value: string): void {
    if (fit) this.fits += 1;
    else {
      this.misses += 1;
      this.fault ??= { line, value };
    }
  }
}

/** What a column turned out to be: its type, and how a field becomes the text that is cast to it. */
export interface ColumnPlan {
  readonly type: string;
  /** Null: nothing stands there. */
  readonly convert: (field: string, quoted: boolean) => string | null;
  readonly column: UploadColumn;
}

/** Looks at every value of one column (M16: the whole file, not a sample). */
export class ColumnWatch {
  readonly name: string;
  private values = 0;
  private nulls = 0;
  private zero: { readonly line: number; readonly value: string } | null = null;
  private readonly examples: string[] = [];
  private readonly forms = new Map<Form, Candidate>();
  private readonly numbers = {
    integer: new Candidate(),
    point: new Candidate(),
    comma: new Candidate(),
    double: new Candidate(),
  };

  constructor(name: string) {
    this.name = name;
    for (const form of Object.keys(FORMS) as Form[]) this.forms.set(form, new Candidate());
  }

  add(field: string, quoted: boolean, line: number): void {
    const value = field.trim();
    if (value === "") {
      this.nulls += quoted ? 0 : 1;
      return;
    }
    this.values += 1;
    if (this.examples.length < EXAMPLES && !this.examples.includes(field)) this.examples.push(field);
    for (const [form, candidate] of this.forms)
      if (!candidate.isOut) candidate.add(FORMS[form](value) !== null, line, value);
    const { integer, point, comma, double } = this.numbers;
    if (this.zero === null && hasLeadingZero(value)) this.zero = { line, value };
    if (!integer.isOut) integer.add(isInteger(value), line, value);
    if (!point.isOut) this.addNumber(point, isPoint(value), "point", line, value);
    if (!comma.isOut) this.addNumber(comma, isComma(value), "comma", line, value);
    if (!double.isOut) double.add(isDouble(value) || (isPoint(value) && fitsDouble(value)), line, value);
  }

  private addNumber(candidate: Candidate, fit: boolean, style: NumberStyle, line: number, value: string): void {
    candidate.add(fit, line, value);
    if (!fit) return;
    const { whole, scale } = digitsOf(plainNumber(value, style));
    candidate.whole = Math.max(candidate.whole, whole);
    candidate.scale = Math.max(candidate.scale, scale);
  }

  private all(candidate: Candidate): boolean {
    return this.values > 0 && candidate.fits === this.values;
  }

  /** The style its numbers can only have; null when both or none are possible. */
  get style(): NumberStyle | null {
    const { point, comma } = this.numbers;
    if (this.all(point) === this.all(comma)) return null;
    return this.all(point) ? "point" : "comma";
  }

  /** @param style what the rest of the file says numbers are written like; null when it says nothing */
  plan(style: NumberStyle | null): ColumnPlan {
    const { integer, point, comma, double } = this.numbers;
    for (const [form, candidate] of this.forms) {
      if (!this.all(candidate)) continue;
      const other = form === "dayFirst" ? this.forms.get("monthFirst") : undefined;
      if (other !== undefined && this.all(other)) return this.text("ambiguous");
      return this.typed(FORM_TYPES[form], FORMS[form]);
    }
    if (this.all(integer)) return this.number(point, "point");
    const isBoth = this.all(point) && this.all(comma);
    if (isBoth) {
      if (style === null) return this.text("ambiguous");
      return this.number(style === "point" ? point : comma, style);
    }
    if (this.all(point)) return this.number(point, "point");
    if (this.all(comma)) return this.number(comma, "comma");
    if (this.all(double)) return this.typed("DOUBLE", (value) => plainNumber(value, "point"));
    return this.text("mixed");
  }

  private number(candidate: Candidate, style: NumberStyle): ColumnPlan {
    const { whole, scale } = candidate;
    if (whole + scale > MAX_DIGITS) return this.text("too_long");
    const convert = (value: string): string => plainNumber(value, style);
    if (scale === 0 && whole <= BIGINT_DIGITS) return this.typed("BIGINT", convert);
    const precision = Math.min(MAX_DIGITS, Math.max(BIGINT_DIGITS, whole + scale));
    return this.typed(`DECIMAL(${precision},${scale})`, convert);
  }

  private typed(type: string, convert: (value: string) => string | null): ColumnPlan {
    return {
      type,
      convert: (field) => {
        const value = field.trim();
        return value === "" ? null : convert(value);
      },
      column: this.column(type, null),
    };
  }

  private text(why: NonNullable<UploadColumn["note"]>["why"]): ColumnPlan {
    return {
      type: "VARCHAR",
      convert: (field, quoted) => (field === "" && !quoted ? null : field),
      column: this.column("VARCHAR", this.noteOf(why)),
    };
  }

  private noteOf(why: NonNullable<UploadColumn["note"]>["why"]): UploadColumn["note"] {
    const shown = (at: { line: number; value: string } | null, reason = why): UploadColumn["note"] =>
      at === null ? null : { why: reason, line: at.line, value: at.value.slice(0, EXAMPLE_CHARS).toWellFormed() };
    if (this.values === 0) return null;
    if (why !== "mixed") return shown({ line: 0, value: this.examples[0] ?? "" });
    if (this.zero !== null && this.zero.line > 0 && this.numbers.integer.fits > 0)
      return shown(this.zero, "leading_zeros");
    const candidates = [...this.forms.values(), ...Object.values(this.numbers)];
    const best = candidates.toSorted((a, b) => b.fits - a.fits)[0];
    return best !== undefined && best.fits / this.values >= MOSTLY ? shown(best.fault) : null;
  }

  private column(type: string, note: UploadColumn["note"]): UploadColumn {
    const examples = this.examples.map((value) => value.slice(0, EXAMPLE_CHARS).toWellFormed());
    return { name: this.name, type, examples, nulls: this.nulls, note };
  }
}

const fitsDouble = (value: string): boolean => value.replace(/\D/g, "").replace(/^0+/, "").length <= 15;

/** What stands above the columns: the first record, when it reads like names and not like values. */
export const isHeader = (fields: readonly string[]): boolean => {
  const names = fields.map((field) => field.trim());
  const isValue = (text: string): boolean =>
    isPoint(text) || isComma(text) || isDouble(text) || Object.values(FORMS).some((form) => form(text) !== null);
  return names.some((name) => name !== "") && !names.some((name) => name !== "" && isValue(name));
};

const MAX_NAME = 63;

/** Names of columns: as they stand, without hidden characters; an empty one gets its number, a second one a number behind. */
export const columnNames = (fields: readonly string[], header: boolean): string[] => {
  const taken = new Set<string>();
  return fields.map((field, n) => {
    const clean = header
      ? field
          .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
          .trim()
          .slice(0, MAX_NAME)
          .toWellFormed()
      : "";
    const base = clean === "" ? `column_${n + 1}` : clean;
    let name = base;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${base}_${count}`;
    taken.add(name.toLowerCase());
    return name;
  });
};
