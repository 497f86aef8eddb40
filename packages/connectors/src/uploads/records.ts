import type { UploadFault } from "@aiw/contract/uploads";

/** One record of a CSV file. */
export interface CsvRecord {
  readonly fields: readonly string[];
  /** Whether the field stood in quotes: then an empty one is an empty text and not "nothing". */
  readonly quoted: readonly boolean[];
  /** The line it begins in, counted from 1. */
  readonly line: number;
}

/** Characters of one field. */
const MAX_FIELD = 1_000_000;
const MAX_FIELDS = 1_000;

const QUOTE = 34;
const LF = 10;
const CR = 13;

/** A file that cannot be read as it stands; nothing is guessed. */
export class CsvFault extends Error {
  override readonly name = "CsvFault";
  readonly fault: UploadFault;
  constructor(fault: UploadFault) {
    super(fault.code);
    this.fault = fault;
  }
}

/**
 * Reads records (RFC 4180, any line ending, quotes doubled inside quotes) and gives each to `take` until it says false.
 * Empty lines are left out.
 * @throws CsvFault with line and column: an unclosed quote, text behind a closing one, a field or a record beyond all measure
 */
export const readRecords = (text: string, delimiter: string, take: (record: CsvRecord) => boolean): void => {
  const separator = delimiter.charCodeAt(0);
  const end = text.length;
  let at = 0;
  let line = 1;
  while (at < end) {
    const begin = line;
    const fields: string[] = [];
    const quoted: boolean[] = [];
    for (;;) {
      const column = fields.length + 1;
      if (column > MAX_FIELDS) throw new CsvFault({ code: "upload_too_many_columns", line: begin });
      let value: string;
      if (text.charCodeAt(at) === QUOTE) {
        const opened = line;
        let from = at + 1;
        value = "";
        for (;;) {
          const close = text.indexOf('"', from);
          if (close < 0) throw new CsvFault({ code: "upload_unclosed_quote", line: opened, column });
          value += text.slice(from, close);
          if (text.charCodeAt(close + 1) !== QUOTE) {
            at = close + 1;
            break;
          }
          value += '"';
          from = close + 2;
        }
        line += lineEnds(value);
        const next = text.charCodeAt(at);
        if (at < end && next !== separator && next !== LF && next !== CR)
          throw new CsvFault({ code: "upload_stray_quote", line, column });
        quoted.push(true);
      } else {
        const from = at;
        for (; at < end; at += 1) {
          const code = text.charCodeAt(at);
          if (code === separator || code === LF || code === CR) break;
        }
        value = text.slice(from, at);
        quoted.push(false);
      }
      if (value.length > MAX_FIELD) throw new CsvFault({ code: "upload_value_too_long", line: begin, column });
      fields.push(value);
      if (at >= end || text.charCodeAt(at) !== separator) break;
      at += 1;
      // A delimiter as the very last character: one more, empty field.
      if (at >= end) {
        fields.push("");
        quoted.push(false);
      }
      if (at >= end) break;
    }
    if (at < end) {
      at += text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1;
      line += 1;
    }
    const isEmpty = fields.length === 1 && fields[0] === "" && quoted[0] === false;
    if (!isEmpty && !take({ fields, quoted, line: begin })) return;
  }
};

const lineEnds = (value: string): number => {
  let count = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code === LF || (code === CR && value.charCodeAt(at + 1) !== LF)) count += 1;
  }
  return count;
};
