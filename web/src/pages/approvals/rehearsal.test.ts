import { beforeEach, expect, test } from "vitest";
import { setLocale } from "../../i18n/locale.ts";
import { rehearsalText } from "./rehearsal.ts";

const [base, commit] = ["4e1c9a7b2d3f".padEnd(40, "0"), "9f8e7d6c5b4a".padEnd(40, "0")];
const preview = {
  title: "t",
  kind: "diff" as const,
  fields: [
    { label: "base", value: base },
    { label: "commit", value: commit },
  ],
};
const told = "The change was applied to commit 4e1c9a7b2d3f; the commit it makes is 9f8e7d6c5b4a.";
beforeEach(() => setLocale("de"));

test("OPS-9: a rehearsal is told in the reader's language, from the commits of the preview", () => {
  expect(rehearsalText(preview, told)).toBe(
    "Die Änderung wurde auf Commit 4e1c9a7b2d3f angewendet; daraus entsteht Commit 9f8e7d6c5b4a.",
  );
  setLocale("en");
  expect(rehearsalText(preview, told)).toBe(told);
});

test("APR-2: what the page cannot word, or speaks of other commits, is quoted as it was frozen", () => {
  expect(rehearsalText({ title: "t", kind: "arguments" }, "12 rows would change.")).toBe("„12 rows would change.“");
  expect(rehearsalText(preview, told.replace("9f8e", "0000"))).toBe(`„${told.replace("9f8e", "0000")}“`);
});
