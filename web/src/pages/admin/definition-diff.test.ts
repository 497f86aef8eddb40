import { expect, test } from "vitest";
import { sideBySide } from "./definition-diff.ts";

test("POL-6: old and new stand beside each other, every line of both, changed ones marked", () => {
  const rows = sideBySide('{"name":"a","readOnly":false}', '{"name":"a","readOnly":true,"x":1}');
  expect(rows.map((row) => [row.kind, row.before?.trim() ?? null, row.after?.trim() ?? null])).toEqual([
    ["same", "{", "{"],
    ["same", '"name": "a",', '"name": "a",'],
    ["changed", '"readOnly": false', '"readOnly": true,'],
    ["changed", null, '"x": 1'],
    ["same", "}", "}"],
  ]);
});

test("POL-6: what is no JSON is compared as text", () => {
  expect(sideBySide("a\nb", "a\nc")).toEqual([
    { kind: "same", before: "a", after: "a" },
    { kind: "changed", before: "b", after: "c" },
  ]);
});
