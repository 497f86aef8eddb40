import fc from "fast-check";
import { expect, test } from "vitest";
import { readQueryResult, toCsv } from "./query-result-model.ts";

const HEAD = '{"columns":[{"name":"region","type":"VARCHAR"},{"name":"amount","type":"DECIMAL(18,2)"}]}';

test("UPL-2 the answer of a query is a table, numbers as they were written; a cut last line is left out", () => {
  expect(readQueryResult(`${HEAD}\n["North",1234.50]\n[null,-5]\n2 rows.`)).toEqual({
    columns: [
      { name: "region", type: "VARCHAR", numeric: false },
      { name: "amount", type: "DECIMAL(18,2)", numeric: true },
    ],
    rows: [
      ["North", "1234.50"],
      [null, "-5"],
    ],
  });
  expect(readQueryResult(`${HEAD}\n["North",1]\n["Sou`)?.rows).toEqual([["North", "1"]]);
  for (const text of ["", "error: no such table", "{}", "[1]", '{"columns":1}'])
    expect(readQueryResult(text)).toBeNull();
});

const csvOf = (value: string): string => {
  const text = toCsv({ columns: [{ name: "a", type: "VARCHAR", numeric: false }], rows: [[value]] });
  return text.slice("a\r\n".length, -2);
};

test("N63 a text that a spreadsheet would execute is neutralised, also behind quotes, blanks and in full width", () => {
  for (const start of [
    "=",
    "+",
    "-",
    "@",
    "\t=",
    "\r=",
    " =",
    '"=',
    "'=",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
    " \n@",
  ])
    expect([start, csvOf(`${start}cmd|' /C calc'!A0`).replace(/^"/, "").startsWith("'")]).toEqual([start, true]);
  expect(csvOf("plain")).toBe("plain");
  expect(csvOf('say "a", b')).toBe('"say ""a"", b"');
});

test("N63 numbers stay numbers by their type, also negative ones", () => {
  const result = readQueryResult(`${HEAD}\n["-1",-1.50]`);
  expect(result && toCsv(result)).toBe("region,amount\r\n'-1,-1.50\r\n");
});

test("N63 property: no field of a text begins with what starts a formula", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const bare = csvOf(value).replace(/^"/, "");
      expect(/^[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(bare) && !bare.startsWith("'")).toBe(false);
    }),
    { numRuns: 5_000 },
  );
});
