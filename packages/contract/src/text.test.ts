import { expect, test } from "vitest";
import { saysSomething } from "./text.ts";

test("N37: blanks, control, invisible, filling and reordering characters alone say nothing; one letter, digit or sign does", () => {
  for (const nothing of [
    "",
    " \t\n",
    "\u200b",
    " \u2060 ",
    "\u00ad",
    "\u3164",
    "\u202e\u2066",
    "\u2800",
    "\u00a0",
    "\ufeff",
    "\ue000",
    "\u0000",
  ])
    expect([nothing, saysSomething(nothing)]).toEqual([nothing, false]);
  for (const something of ["a", "0", "-", "\u200bno\u200b", "é", "猫", "👍", " . "])
    expect([something, saysSomething(something)]).toEqual([something, true]);
});
