import { CsvFault, readRecords } from "./records.ts";
import { isNumberLike } from "./values.ts";

/** Records looked at to find the delimiter. */
const SAMPLE_RECORDS = 200;
const SAMPLE_CHARS = 400_000;
/** Share of the sample that has to have as many fields as most of it. */
const CONSISTENT = 0.95;

export interface Found {
  readonly delimiter: string;
  /** Where the records begin: behind a first line `sep=;`, as spreadsheets write it. */
  readonly from: number;
}

/** The delimiter of a text file, by what splits its beginning evenly (UPL-1). */
export const findDelimiter = (text: string, tabFirst: boolean): Found => {
  const told = /^sep=([^\r\n])(?:\r\n|\r|\n)/i.exec(text);
  if (told?.[1] !== undefined) return { delimiter: told[1], from: told[0].length };
  const sample = text.slice(0, SAMPLE_CHARS);
  const whole = sample.length === text.length;
  const seen = (tabFirst ? ["\t", ";", ",", "|"] : [";", ",", "\t", "|"]).map((delimiter) => ({
    delimiter,
    ...evenness(sample, delimiter, whole),
  }));
  const even = seen.filter(({ width, share }) => width > 1 && share >= CONSISTENT);
  const [first, ...others] = even;
  if (first === undefined) {
    // Nothing splits evenly: the one that splits most, so that the fault names the record that differs.
    const most = seen.toSorted((a, b) => b.share * Math.min(b.width - 1, 1) - a.share * Math.min(a.width - 1, 1))[0];
    return { delimiter: most !== undefined && most.width > 1 ? most.delimiter : ",", from: 0 };
  }
  // "1,5;2,5" splits evenly at both: commas inside of numbers separate nothing.
  if (first.delimiter === ";" && others.some(({ delimiter }) => delimiter === ",") && first.commasInNumbers)
    return { delimiter: ";", from: 0 };
  const widest = even.toSorted((a, b) => b.width - a.width)[0];
  return { delimiter: widest?.delimiter ?? ",", from: 0 };
};

const evenness = (
  sample: string,
  delimiter: string,
  whole: boolean,
): { readonly width: number; readonly share: number; readonly commasInNumbers: boolean } => {
  const widths: number[] = [];
  let commasInNumbers = true;
  try {
    readRecords(sample, delimiter, ({ fields, quoted }) => {
      widths.push(fields.length);
      for (const [n, field] of fields.entries())
        if (quoted[n] === false && field.includes(",") && !isNumberLike(field.trim())) commasInNumbers = false;
      return widths.length < SAMPLE_RECORDS;
    });
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
  }
  // The end of the sample may lie in the middle of a record.
  if (!whole && widths.length < SAMPLE_RECORDS) widths.pop();
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  const [width = 0, count = 0] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  return { width, share: widths.length === 0 ? 0 : count / widths.length, commasInNumbers };
};
