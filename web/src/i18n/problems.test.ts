import { expect, test } from "vitest";
import { ApiProblem } from "../data/client.ts";
import { setLocale } from "./locale.ts";
import { problemText } from "./problems.ts";

test("N18: text refused for what cannot be seen in it is told apart from other faults of a form", () => {
  setLocale("en");
  const refused = (fault: string): string =>
    problemText(new ApiProblem("bad_request", 400, { fields: { title: fault } }));
  expect(refused("bad_text")).toBe("It contains invisible or unusable characters.");
  expect(refused("too_big")).not.toBe(refused("bad_text"));
});
