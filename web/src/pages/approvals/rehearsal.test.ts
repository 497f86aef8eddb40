import { beforeEach, expect, test } from "vitest";
import { setLocale } from "../../i18n/locale.ts";
import { otherEvidence, rehearsalText } from "./rehearsal.ts";

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

test("APR-20: the evidence of a rehearsal is told with its time, head, tree and conflicts; what cannot be rehearsed says so", () => {
  setLocale("en");
  const evidence = { base, head: base, target: "main", commit, files: 2, conflicts: [] as string[], tree: commit };
  const rehearsed = (more: object): string =>
    rehearsalText(preview, { kind: "rehearsed", at: "2026-11-30T11:03:00Z", evidence: { ...evidence, ...more } });
  expect(rehearsed({})).toMatch(
    /applies to main at 4e1c9a7b2d3f: 2 file\(s\), no conflicts, resulting tree 9f8e7d6c5b4a/,
  );
  expect(rehearsed({ conflicts: ["a.ts"], tree: null })).toContain("a.ts");
  expect(rehearsalText(preview, { kind: "none", why: "not_possible" })).toBe("This action cannot be rehearsed.");
  expect(otherEvidence({ kind: "rehearsed", at: "2026-11-30T11:03:00Z", evidence: { rows: 12 } })).toEqual({
    rows: 12,
  });
  expect(otherEvidence({ kind: "none", why: "unreachable" })).toBeNull();
});

test("APR-2: what the page cannot word, or speaks of other commits, is quoted as it was frozen", () => {
  expect(rehearsalText({ title: "t", kind: "arguments" }, "12 rows would change.")).toBe("„12 rows would change.“");
  expect(rehearsalText(preview, told.replace("9f8e", "0000"))).toBe(`„${told.replace("9f8e", "0000")}“`);
});
