import { drift } from "@aiw/contract/drift";
import { afterAll, expect, test } from "vitest";
import { setLocale } from "../../i18n/locale.ts";
import { driftText } from "./drift-words.ts";

afterAll(() => setLocale("en"));

test("APR-19 OPS-9 why a target changed is said in the reader's language with its facts, each code of the contract", () => {
  const staleReason = "The target branch has changed.";
  const facts = { files: "src/a.ts, {{ branch }}", branch: "main", commit: "0123456789ab" };
  setLocale("de");
  for (const code of drift.shape.code.options) {
    const text = driftText({ drift: { code, facts }, staleReason });
    expect(text, code).not.toBe(staleReason);
    expect(text, code).toMatch(/\b(der|die|den|am) /i);
  }
  expect(driftText({ drift: { code: "files_changed", facts }, staleReason })).toBe(
    "Am Zielbranch inzwischen geändert: src/a.ts, {{ branch }}",
  );
  // Only the sentence is known, or nothing is different.
  expect(driftText({ drift: null, staleReason })).toBe(staleReason);
  expect(driftText({ drift: null, staleReason: null })).toBeNull();
});
