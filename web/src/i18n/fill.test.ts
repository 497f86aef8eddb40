import { expect, test } from "vitest";
import { fill } from "./fill.ts";

test("APR-2: a value is shown as it is, whatever places and patterns it spells", () => {
  expect(fill("{{ a }} in {{b}}", { a: "{{ b }}", b: "$& $1 $$ $'" })).toBe("{{ b }} in $& $1 $$ $'");
  expect(fill("{{ a }} {{ toString }}", { a: 3 })).toBe("3 {{ toString }}");
  expect(fill("{{ a }}")).toBe("{{ a }}");
});
