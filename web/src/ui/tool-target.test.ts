import { expect, test } from "vitest";
import { targetOf } from "./tool-target.ts";

test("CHT-2: a card names what its call works on", () => {
  expect(targetOf('{"limit":3,"path":"src/app.ts"}')).toBe("src/app.ts");
  expect(targetOf('{"query":"find me","limit":3}')).toBe("find me");
  expect(targetOf('{"depth":2}')).toBe("2");
  expect(targetOf(`{"path":"${"x".repeat(200)}"}`)).toHaveLength(81);
  for (const odd of ["", "{", "[]", "null", '{"a":{}}', '"text"']) expect(targetOf(odd), odd).toBe("");
});
