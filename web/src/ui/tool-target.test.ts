import { expect, test } from "vitest";
import { asksPerson, targetOf } from "./tool-target.ts";

test("CHT-2: a card names what its call works on", () => {
  expect(targetOf('{"limit":3,"path":"src/app.ts"}')).toBe("src/app.ts");
  expect(targetOf('{"query":"find me","limit":3}')).toBe("find me");
  expect(targetOf('{"depth":2}')).toBe("2");
  expect(targetOf(`{"path":"${"x".repeat(200)}"}`)).toHaveLength(81);
  expect(targetOf('{"anyone":false,"question":"Which branch?"}')).toBe("Which branch?");
  for (const odd of ["", "{", "[]", "null", '{"a":{}}', '"text"']) expect(targetOf(odd), odd).toBe("");
});

test("RUN-16 APR-9: a question to a person and an input wait for words, not for an approval", () => {
  expect(["user.ask_user", "input.order_number", "git.propose_change", "inputs.x", null].map(asksPerson)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
