import { expect, test } from "vitest";
import { textsOf, valueOf, valuesOf } from "./limits-model.ts";

const defaults = { modelCalls: 200, runTokens: 2_000_000, runWallS: 3600, toolResultBytes: 65_536, identicalCalls: 10 };

test("RUN-10 an empty field is the installation's limit; a number has to lie within the bounds", () => {
  expect(valueOf(" ", 1, 10)).toBeNull();
  expect(valueOf(" 7 ", 1, 10)).toBe(7);
  for (const wrong of ["0", "11", "-1", "1.5", "1e1", "x", "９"]) expect(valueOf(wrong, 1, 10)).toBeUndefined();
});

test("RUN-10 what is shown is what is saved, and one wrong field saves nothing", () => {
  const values = { modelCalls: 5, runTokens: null, runWallS: 60, toolResultBytes: null, identicalCalls: 3 };
  const texts = textsOf({ values, defaults, version: 1 });
  expect(valuesOf(texts, defaults)).toEqual(values);
  expect(valuesOf({ ...texts, modelCalls: "201" }, defaults)).toBeUndefined();
});
